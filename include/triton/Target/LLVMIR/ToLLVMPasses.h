//===- ToLLVMPasses.h - from MLIR's own dialects to LLVM's ------*- C++ -*-===//

#ifndef TRITON_TARGET_LLVMIR_TOLLVMPASSES_H
#define TRITON_TARGET_LLVMIR_TOLLVMPASSES_H

namespace mlir {
class OpPassManager;
namespace triton {

/// Adds the passes that turn func, scf, cf, arith, math, ub and vector into
/// the LLVM dialect. What is left afterwards is reported by the translation.
void addToLLVMPasses(OpPassManager &passes);

} // namespace triton
} // namespace mlir

#endif // TRITON_TARGET_LLVMIR_TOLLVMPASSES_H
