//===- RuntimeCalls.h - C functions that kernels call -----------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#ifndef CPU_LIB_CONVERSION_RUNTIMECALLS_H
#define CPU_LIB_CONVERSION_RUNTIMECALLS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::triton::cpu {

/// The module around the function whose block is given.
ModuleOp moduleOf(Block *block);

/// A C function of the runtime, declared on first use; `result` null is void.
LLVM::LLVMFuncOp runtimeFunction(OpBuilder &b, ModuleOp module, StringRef name,
                                 ArrayRef<Type> args, Type result = {});

/// The address of a constant of the module; equal constants are shared.
Value globalAddress(OpBuilder &b, ModuleOp module, Type type, Attribute value,
                    StringRef stem);

/// The address of `text`, terminated by a zero.
Value globalString(OpBuilder &b, ModuleOp module, StringRef text);

} // namespace mlir::triton::cpu

#endif // CPU_LIB_CONVERSION_RUNTIMECALLS_H
