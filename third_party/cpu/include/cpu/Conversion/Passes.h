//===- Passes.h - conversion of TTIR to loops for the CPU ------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#ifndef CPU_CONVERSION_PASSES_H
#define CPU_CONVERSION_PASSES_H

#include <cstdint>
#include <memory>
#include <string>

namespace mlir {
class ModuleOp;
class Pass;

namespace triton::cpu {

/// Turns tensors that a loop only advances by a uniform step (pointer tensors
/// of a matmul, offsets) into a scalar that the loop carries. TTIR to TTIR.
std::unique_ptr<Pass> createScalarizeCarriedPass();

struct LoweringOptions {
  unsigned vectorBits = 512; ///< width of a vector register
  /// Every access to memory is checked (cpu/Runtime/Sanitizer.h).
  bool sanitize = false;
  bool dotInt8 = false; ///< the processor has AVX512-VNNI
  bool dotBF16 = false; ///< the processor has AVX512-BF16
  /// Atomic additions may be collected by the runtime
  /// (cpu/Runtime/AddBuffer.h).
  bool collectAdds = false;
  /// What launches write past the caches if it is at least so many bytes, by
  /// instructions of x86. 0: nothing.
  uint64_t streamBytes = 0;
};

/// Lowers every `tt.func` kernel to a `func.func` of loops over vectors, with
/// the calling convention of the CPU launcher.
std::unique_ptr<Pass> createLowerBlocksPass(const LoweringOptions &options);

/// What the launcher needs to know about a lowered kernel.
struct KernelInfo {
  std::string name;
  int64_t scratch = 0;   ///< bytes of scratch memory per running program
  bool blocking = false; ///< may wait for another program or print
  bool dotBF16 = false;  ///< needs AVX512-BF16
};

/// Reads the attributes that createLowerBlocksPass left on the kernel. Returns
/// an empty name if the module holds no lowered kernel.
KernelInfo kernelInfo(ModuleOp module);

void registerConversionPasses();

} // namespace triton::cpu
} // namespace mlir

#endif // CPU_CONVERSION_PASSES_H
