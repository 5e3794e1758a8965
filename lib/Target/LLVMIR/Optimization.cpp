//===- Optimization.cpp - the short LLVM pipeline -------------------------===//

#include "triton/Target/LLVMIR/Optimization.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"

#ifndef FLAGTREE_SPEC_Target_LLVMIR_Optimization_optimizeModule

using namespace llvm;

static FunctionPassManager buildPipeline() {
  FunctionPassManager passes;
  passes.addPass(EarlyCSEPass());
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()),
                                                 /*UseMemorySSA=*/true));
  passes.addPass(
      InstCombinePass(InstCombineOptions().setVerifyFixpoint(false)));
  return passes;
}

void mlir::triton::optimizeModule(Module &module, TargetMachine &machine) {
  PassBuilder builder(&machine);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  FunctionPassManager passes = buildPipeline();
  for (Function &function : module)
    if (!function.isDeclaration())
      passes.run(function, functions);
}

#endif // FLAGTREE_SPEC_Target_LLVMIR_Optimization_optimizeModule
