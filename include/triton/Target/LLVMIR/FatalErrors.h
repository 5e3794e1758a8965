//===- FatalErrors.h - survive LLVM's fatal errors --------------*- C++ -*-===//

#ifndef TRITON_TARGET_LLVMIR_FATALERRORS_H
#define TRITON_TARGET_LLVMIR_FATALERRORS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace mlir::triton {

/// Runs `body` and returns its error. When LLVM reports a fatal error on this
/// thread meanwhile, the process goes on and the message is returned instead.
/// What `body` was working on is then in an unknown state and must be leaked:
/// frames between the report and here are skipped without destructors.
/// `fatal` tells the two cases apart.
llvm::Error runCatchingFatalErrors(llvm::function_ref<llvm::Error()> body,
                                   bool &fatal);

} // namespace mlir::triton

#endif // TRITON_TARGET_LLVMIR_FATALERRORS_H
