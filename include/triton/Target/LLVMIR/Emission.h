//===- Emission.h - LLVM IR to object code and assembly ---------*- C++ -*-===//

#ifndef TRITON_TARGET_LLVMIR_EMISSION_H
#define TRITON_TARGET_LLVMIR_EMISSION_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir::triton {

enum class EmissionKind { Object, Assembly };

/// Appends the code of `module` to `output`. Code generation changes the
/// module: emit from a clone when it is needed afterwards.
llvm::Error emitModule(llvm::Module &module, llvm::TargetMachine &machine,
                       EmissionKind kind, llvm::SmallVectorImpl<char> &output);

} // namespace mlir::triton

#endif // TRITON_TARGET_LLVMIR_EMISSION_H
