//===- ToLLVMPasses.cpp - from MLIR's own dialects to LLVM's --------------===//

#include "triton/Target/LLVMIR/ToLLVMPasses.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

// No canonicalization in between: it would take as long as all of these, and
// LLVM's own simplifications follow.
static constexpr std::unique_ptr<Pass> (*toLLVM[])() = {
    [] { return createSCFToControlFlowPass(); },
    [] { return createConvertMathToLLVMPass(); },
    [] { return createConvertVectorToLLVMPass(); },
    [] { return createUBToLLVMConversionPass(); },
    [] { return createArithToLLVMConversionPass(); },
    [] { return createConvertControlFlowToLLVMPass(); },
    [] { return createConvertFuncToLLVMPass(); },
    [] { return createReconcileUnrealizedCastsPass(); },
};

void mlir::triton::addToLLVMPasses(OpPassManager &passes) {
  for (auto *create : toLLVM)
    passes.addPass(create());
}

void mlir::triton::registerToLLVMPasses() {
  for (auto *create : toLLVM)
    registerPass(create);
}
