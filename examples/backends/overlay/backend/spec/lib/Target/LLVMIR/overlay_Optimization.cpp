//===- overlay_Optimization.cpp - More than one round ---------------------===//

#include "triton/Target/LLVMIR/Optimization.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"

using namespace llvm;

void mlir::triton::optimizeModule(Module &module, TargetMachine &machine,
                                  unsigned rounds) {
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

  FunctionPassManager passes;
  for (unsigned round = 0; round < rounds; ++round) {
    passes.addPass(EarlyCSEPass());
    passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()),
                                                   /*UseMemorySSA=*/true));
    passes.addPass(
        InstCombinePass(InstCombineOptions().setVerifyFixpoint(false)));
  }
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    passes.run(function, functions);
    function.addFnAttr("overlay-rounds", std::to_string(rounds));
  }
}
