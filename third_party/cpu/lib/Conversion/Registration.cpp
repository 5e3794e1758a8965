//===- Registration.cpp - the CPU backend's dialects and passes -*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#include "cpu/Conversion/Passes.h"
#include "cpu/Math/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;

void registerTritonBackend_cpu(DialectRegistry &registry) {
  registry
      .insert<func::FuncDialect, LLVM::LLVMDialect, vector::VectorDialect>();
  triton::cpu::registerConversionPasses();
  triton::cpu::registerMathPasses();
}
