//===- Registration.cpp - dialects and passes of this backend ---*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#include "mthreads/Conversion/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/DialectRegistry.h"

void registerTritonBackend_mthreads(mlir::DialectRegistry &registry) {
  registry.insert<mlir::func::FuncDialect, mlir::LLVM::LLVMDialect>();
  mlir::triton::mthreads::registerConversionPasses();
}
