//===- Optimization.cpp - the short LLVM pipeline -------------------------===//

#include "triton/Target/LLVMIR/Optimization.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/PassTimingInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/StandardInstrumentations.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include <cstdlib>
#include <mutex>
#include <optional>

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

static StringRef environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

static bool isOn(const char *name) {
  StringRef value = environment(name);
  return !value.empty() && value != "0";
}

/// Sets the flag `name` of LLVM's own command line, for the whole process.
static void setFlag(StringRef name) {
  auto &flags = cl::getRegisteredOptions();
  auto found = flags.find(name);
  if (found == flags.end() || found->second->addOccurrence(0, name, ""))
    errs() << "triton: LLVM has no flag '" << name << "' without a value\n";
}

/// Whether DISABLE_LLVM_OPT leaves the pipeline out: "1" does. Anything else is
/// a list of flags, such as disable-licm-promotion, that are set instead.
static bool leavesOutPipeline() {
  StringRef value = environment("DISABLE_LLVM_OPT");
  if (value.empty() || value == "0" || value == "1")
    return value == "1";
  static std::once_flag once;
  std::call_once(once, [&] {
    SmallVector<StringRef> names;
    value.split(names, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    for (StringRef name : names)
      setFlag(name.trim());
  });
  return false;
}

namespace {
/// LLVM_IR_ENABLE_DUMP prints the IR after each pass, LLVM_ENABLE_TIMING the
/// time of each, both to the error output.
class Observers {
public:
  explicit Observers(LLVMContext &context) {
    if (isOn("LLVM_IR_ENABLE_DUMP")) {
      static std::once_flag once;
      std::call_once(once, [] { setFlag("print-after-all"); });
      printing.emplace(context, /*DebugLogging=*/false);
      printing->registerCallbacks(callbacks);
    }
    if (isOn("LLVM_ENABLE_TIMING")) {
      timing.emplace(/*Enabled=*/true);
      timing->setOutStream(errs());
      timing->registerCallbacks(callbacks);
    }
  }

  ~Observers() {
    if (timing)
      timing->print();
  }

  PassInstrumentationCallbacks callbacks;

private:
  std::optional<StandardInstrumentations> printing;
  std::optional<TimePassesHandler> timing;
};
} // namespace

void mlir::triton::optimizeModule(Module &module, TargetMachine &machine) {
  if (leavesOutPipeline())
    return;
  Observers observers(module.getContext());
  PassBuilder builder(&machine, PipelineTuningOptions(), std::nullopt,
                      &observers.callbacks);
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
