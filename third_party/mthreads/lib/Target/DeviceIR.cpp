//===- DeviceIR.cpp - LLVM IR as the device's tools read it -----*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// The device's code generator is an LLVM of its own and older than ours. Its
// parser rejects what was added since, so flags and attributes that only inform
// optimizations are dropped before printing.
//
//===----------------------------------------------------------------------===//

#include "mthreads/Target/DeviceIR.h"

#include "mlir/IR/BuiltinOps.h"
#include "triton/Target/LLVMIR/Translation.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"

using namespace llvm;
using namespace mlir::triton::mthreads;

static const StringRef kNeutralPrefix = "simt.";

/// Merges what the lowering emitted once per element. Passes that rewrite
/// operations are left to the device's tools: they would use intrinsics that
/// those do not know.
static void simplify(Module &module) {
  PassBuilder builder;
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
  passes.addPass(EarlyCSEPass());
  passes.addPass(ADCEPass());
  for (Function &function : module)
    if (!function.isDeclaration())
      passes.run(function, functions);
}

static Error nameDevice(Module &module, const DeviceTarget &target) {
  StringMap<StringRef> names;
  for (const auto &[neutral, name] : target.names)
    names[neutral] = name;
  for (GlobalValue &value : make_early_inc_range(module.global_values())) {
    if (!value.getName().starts_with(kNeutralPrefix))
      continue;
    if (value.use_empty()) {
      value.eraseFromParent();
      continue;
    }
    auto found = names.find(value.getName());
    if (found == names.end())
      return createStringError("the target has no name for '" +
                               value.getName() + "'");
    value.setName(found->second);
  }
  return Error::success();
}

static void dropNewFlags(Instruction &instruction) {
  if (isa<PossiblyDisjointInst, PossiblyNonNegInst, TruncInst, ICmpInst,
          GetElementPtrInst>(instruction))
    instruction.dropPoisonGeneratingFlags();
  instruction.dropUnknownNonDebugMetadata();
  if (auto *call = dyn_cast<CallBase>(&instruction))
    call->setAttributes({});
}

static void setAttributes(Module &module) {
  for (Function &function : module) {
    bool isBarrier = function.isDeclaration() && !function.isIntrinsic() &&
                     !function.doesNotAccessMemory();
    function.setAttributes({});
    function.setDoesNotThrow();
    if (isBarrier)
      function.setConvergent();
    for (Instruction &instruction : instructions(function))
      dropNewFlags(instruction);
  }
}

static void annotate(Module &module, StringRef name, Function &kernel,
                     StringRef key, int32_t number) {
  LLVMContext &context = module.getContext();
  auto *type = Type::getInt32Ty(context);
  module.getOrInsertNamedMetadata(name)->addOperand(MDNode::get(
      context, {ValueAsMetadata::get(&kernel), MDString::get(context, key),
                ConstantAsMetadata::get(ConstantInt::get(type, number))}));
}

/// The text, with the calling convention where the kernel is defined.
static std::string print(const Module &module, const Function &kernel,
                         StringRef convention) {
  std::string text, head = "\ndefine ";
  raw_string_ostream(text) << module;
  size_t afterDefine = head.size();
  raw_string_ostream stream(head);
  stream << "void ";
  kernel.printAsOperand(stream, /*PrintType=*/false);
  stream << '(';
  size_t at = text.find(head);
  assert(at != std::string::npos && "kernels are defined without attributes");
  return text.insert(at + afterDefine, convention.str() + " ");
}

Expected<std::string> mlir::triton::mthreads::writeDeviceIR(
    mlir::ModuleOp op, const DeviceTarget &target,
    const std::string &kernelName, int32_t threads) {
  LLVMContext context;
  auto translated = translateToLLVMIR(op, context);
  if (!translated)
    return translated.takeError();
  Module &module = **translated;
  Function *kernel = module.getFunction(kernelName);
  if (!kernel || kernel->isDeclaration())
    return createStringError("the module defines no kernel '" + kernelName +
                             "'");
  module.setTargetTriple(Triple(target.triple));
  auto layout = llvm::DataLayout::parse(target.dataLayout);
  if (!layout)
    return layout.takeError();
  module.setDataLayout(*layout);
  simplify(module);
  setAttributes(module);
  std::string problem;
  raw_string_ostream stream(problem);
  if (verifyModule(module, &stream))
    return createStringError("invalid LLVM IR: " + problem);
  if (Error error = nameDevice(module, target))
    return error;
  annotate(module, target.annotations, *kernel, "kernel", 1);
  annotate(module, target.annotations, *kernel, "maxntidx", threads);
  return print(module, *kernel, target.kernelConvention);
}
