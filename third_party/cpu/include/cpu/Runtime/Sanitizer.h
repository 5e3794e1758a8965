//===- Sanitizer.h - checked accesses to memory -----------------*- C++ -*-===//
//
// A kernel compiled with the option `sanitize` asks before it touches memory.
// The launching thread says beforehand which memory belongs to which argument;
// the first access outside of it ends the launch: the access does not happen,
// the program that made it never goes on, and no further program starts.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_CPU_RUNTIME_SANITIZER_H
#define TRITON_CPU_RUNTIME_SANITIZER_H

#include "cpu/Runtime/Launch.h"
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlir::triton::cpu {

/// The memory that one live argument of a kernel gives access to.
struct ArgumentExtent {
  uint64_t begin = 0, end = 0; ///< addresses; `end` is past the last byte
  bool isKnown =
      true; ///< false: any readable or writable memory of the process
};

/// An access that was stopped.
struct Violation {
  std::string description; ///< lines: kind, shape ("4x16"), places ("file:12")
  uint32_t program[3];
  int64_t element;  ///< row-major, in the shape
  uint64_t address; ///< for "gather": the index
  uint64_t bytes;   ///< of the element; for "gather": the extent
  uint64_t
      arguments; ///< where the pointer comes from, a set of bits; 0: unknown
};

/// One launch of a checked kernel.
class CheckedLaunch {
public:
  explicit CheckedLaunch(std::vector<ArgumentExtent> extents)
      : extents(std::move(extents)) {}

  /// Runs program `program`. False when it, or another one, was stopped.
  bool runProgram(KernelFunction function, const uint64_t *slots,
                  const uint32_t *grid, int64_t program, void *scratch);

  bool hasStopped() const { return stopped.load(std::memory_order_acquire); }
  const Violation &violation() const { return first; }

  bool isAllowed(uint64_t address, uint64_t bytes, uint64_t arguments,
                 bool isWrite) const;
  /// Keeps the first violation of the launch.
  void stop(Violation violation);

  const std::vector<ArgumentExtent> extents;

private:
  std::atomic<bool> claimed{false}, stopped{false};
  Violation first;
};

/// Makes the next launch of the calling thread a checked one.
void armNextLaunch(std::vector<ArgumentExtent> extents);
/// What armNextLaunch made, or null.
std::unique_ptr<CheckedLaunch> takeArmedLaunch();

/// The violation that ended the last launch of the calling thread, once.
std::optional<Violation> takeViolation();
void setViolation(const Violation &violation);

} // namespace mlir::triton::cpu

extern "C" {

/// The first address of the memory of argument `argument`, and the one past its
/// last. An argument whose memory is not known has none: every access to it is
/// a case for `triton_cpu_check`.
uint64_t triton_cpu_extent_begin(uint32_t argument);
uint64_t triton_cpu_extent_end(uint32_t argument);

/// Returns if every lane in `mask` may access `bytes` bytes. Lane l is at
/// `addresses[l]`, or at first + l * stride if `addresses` is null; its element
/// has the row-major index element + l * elementStride.
void triton_cpu_check(const char *description, uint64_t arguments,
                      uint32_t bytes, uint32_t width, const uint64_t *addresses,
                      uint64_t first, uint64_t stride, uint64_t mask,
                      int64_t element, int64_t elementStride);

/// Returns if all of `indices` are in [0, extent).
void triton_cpu_check_index(const char *description, uint32_t width,
                            const int64_t *indices, int64_t extent,
                            int64_t element, int64_t elementStride);

/// Returns unless the launch has stopped.
void triton_cpu_poll();
}

#endif // TRITON_CPU_RUNTIME_SANITIZER_H
