//===- ToLLVMPasses.h - from MLIR's own dialects to LLVM's ------*- C++ -*-===//

#ifndef TRITON_TARGET_LLVMIR_TOLLVMPASSES_H
#define TRITON_TARGET_LLVMIR_TOLLVMPASSES_H

namespace mlir {
class OpPassManager;
namespace triton {

/// Adds the passes that turn func, scf, cf, arith, math, ub and vector into
/// the LLVM dialect. What is left afterwards is reported by the translation:
/// vector.multi_reduction and vector.scan (lowerings emit vectors of rank 1),
/// math functions without an instruction, 8-bit floats.
void addToLLVMPasses(OpPassManager &passes);

/// Makes these passes known to tools, by their names.
void registerToLLVMPasses();

} // namespace triton
} // namespace mlir

#endif // TRITON_TARGET_LLVMIR_TOLLVMPASSES_H
