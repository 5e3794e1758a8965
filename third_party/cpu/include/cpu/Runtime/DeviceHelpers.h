//===- DeviceHelpers.h - print and assert in kernels ------------*- C++ -*-===//
//
// C functions that compiled kernels call by name.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_CPU_RUNTIME_DEVICEHELPERS_H
#define TRITON_CPU_RUNTIME_DEVICEHELPERS_H

#include <atomic>
#include <cstdint>
#include <cstdio>

namespace mlir::triton::cpu {

/// What the programs of one launch tell their launcher.
struct LaunchReport {
  static constexpr size_t kMessageSize = 512;
  std::atomic<bool> failed{false};
  std::atomic<bool> printed{false};
  /// Set when `failed` is: the first failed assertion.
  char message[kMessageSize];

  LaunchReport() {}
};

/// Makes `report` the one that helpers called on this thread write to, and
/// returns the previous one.
LaunchReport *exchangeLaunchReport(LaunchReport *report);

/// How `triton_cpu_print` reads `bits`.
enum PrintKind : uint32_t {
  kPrintSigned = 0,   ///< integer of `width` bits
  kPrintUnsigned = 1, ///< integer of `width` bits
  kPrintFloat = 2,    ///< IEEE float of `width` 32 or 64 bits
  kPrintPointer = 3,  ///< address
  kPrintNothing = 4,  ///< only the prefix
};

} // namespace mlir::triton::cpu

extern "C" {

/// Prints one line for one element of a value:
///   pid (x, y, z) idx (i, j) prefix: value
/// `format` is kind | width << 8 | hex << 16. `linear` is the row-major index
/// in `shape` of `rank` dimensions; rank 0 is a scalar, without idx.
void triton_cpu_print(const char *prefix, uint32_t format, uint64_t bits,
                      uint32_t x, uint32_t y, uint32_t z, int64_t linear,
                      const int64_t *shape, uint32_t rank);

/// Records a failed assertion of program (x, y, z). The launch goes on and
/// reports the first one when it is done.
void triton_cpu_assert_fail(const char *message, const char *file,
                            const char *function, uint32_t line, uint32_t x,
                            uint32_t y, uint32_t z);
}

#endif // TRITON_CPU_RUNTIME_DEVICEHELPERS_H
