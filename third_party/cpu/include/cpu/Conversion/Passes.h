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

/// Lowers every `tt.func` kernel to a `func.func` of loops over vectors of
/// `vectorBits` bits, with the calling convention of the CPU launcher. With
/// `sanitize` every access to memory is checked (cpu/Runtime/Sanitizer.h).
std::unique_ptr<Pass> createLowerBlocksPass(unsigned vectorBits,
                                            bool sanitize = false);

/// What the launcher needs to know about a lowered kernel.
struct KernelInfo {
  std::string name;
  int64_t scratch = 0;   ///< bytes of scratch memory per running program
  bool blocking = false; ///< may wait for another program or print
};

/// Reads the attributes that createLowerBlocksPass left on the kernel. Returns
/// an empty name if the module holds no lowered kernel.
KernelInfo kernelInfo(ModuleOp module);

void registerConversionPasses();

} // namespace triton::cpu
} // namespace mlir

#endif // CPU_CONVERSION_PASSES_H
