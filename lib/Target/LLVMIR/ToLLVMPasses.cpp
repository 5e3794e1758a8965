//===- ToLLVMPasses.cpp - from MLIR's own dialects to LLVM's --------------===//

#include "triton/Target/LLVMIR/ToLLVMPasses.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

// No canonicalization in between: it would take as long as all of these, and
// LLVM's own simplifications follow.
void mlir::triton::addToLLVMPasses(OpPassManager &passes) {
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createConvertVectorToLLVMPass());
  passes.addPass(createUBToLLVMConversionPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createConvertFuncToLLVMPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
}
