//===- Translation.h - MLIR's LLVM dialect to LLVM IR -----------*- C++ -*-===//

#ifndef TRITON_TARGET_LLVMIR_TRANSLATION_H
#define TRITON_TARGET_LLVMIR_TRANSLATION_H

#include "llvm/Support/Error.h"
#include <memory>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace mlir {
class ModuleOp;
namespace triton {

/// Translates `module`, which holds operations of the LLVM dialect only, into
/// an LLVM module of `context`. The error carries MLIR's diagnostics.
llvm::Expected<std::unique_ptr<llvm::Module>>
translateToLLVMIR(ModuleOp module, llvm::LLVMContext &context);

} // namespace triton
} // namespace mlir

#endif // TRITON_TARGET_LLVMIR_TRANSLATION_H
