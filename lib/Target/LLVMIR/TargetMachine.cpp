//===- TargetMachine.cpp - target descriptions and code generators --------===//

#include "triton/Target/LLVMIR/TargetMachine.h"
#include "triton/Specialization.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>

using namespace llvm;

namespace mlir::triton {
namespace {

/// With these, LLVM narrows f32 to bf16 (or computes in bf16) by instructions
/// that treat subnormal numbers as zero.
constexpr StringLiteral kInexactFeatures[] = {"avx512bf16", "avxneconvert",
                                              "avx10.2"};

void initializeNativeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    // For inline assembly.
    InitializeNativeTargetAsmParser();
  });
}

Expected<const Target *> lookupTarget(const Triple &triple) {
  initializeNativeTarget();
  std::string reason;
  if (const Target *target = TargetRegistry::lookupTarget(triple, reason))
    return target;
  return createStringError("no code generator for target triple '" +
                           triple.str() + "': " + reason);
}

unsigned widestVector(const MCSubtargetInfo &info, const Triple &triple) {
  if (!triple.isX86())
    return 128;
  if (info.checkFeatures("+avx512f,+avx512bw,+avx512dq,+avx512vl"))
    return 512;
  return info.checkFeatures("+avx2,+fma") ? 256 : 128;
}

HostTarget describeHost() {
  HostTarget host;
  Triple triple(sys::getProcessTriple());
  host.spec.triple = triple.str();
  host.spec.cpu = sys::getHostCPUName().str();
  Expected<const Target *> target = lookupTarget(triple);
  if (!target)
    report_fatal_error(target.takeError());

  StringMap<bool, MallocAllocator> features = sys::getHostCPUFeatures();
  for (StringRef name : kInexactFeatures)
    if (features.lookup(name)) {
      features[name] = false;
      host.withheldFeatures.push_back(name.str());
    }

  // Functions carry the feature string as an attribute that is hashed often,
  // so only what differs from the processor's own set goes in.
  std::unique_ptr<MCSubtargetInfo> base(
      (*target)->createMCSubtargetInfo(triple, host.spec.cpu, ""));
  std::vector<std::string> changes;
  for (const auto &entry : features) {
    StringRef name = entry.getKey();
    if (base->checkFeatures(("+" + name).str()) != entry.getValue())
      changes.push_back(((entry.getValue() ? "+" : "-") + name).str());
    if (entry.getValue())
      host.enabledFeatures.push_back(name.str());
  }
  llvm::sort(changes);
  llvm::sort(host.enabledFeatures);
  host.spec.features = join(changes, ",");

  std::unique_ptr<MCSubtargetInfo> info((*target)->createMCSubtargetInfo(
      triple, host.spec.cpu, host.spec.features));
  host.vectorBits = widestVector(*info, triple);
  // Inserted logic: a backend's function corrects the description of a
  // processor it knows better, most of all the width of its vectors.
#ifdef FLAGTREE_SPEC_Target_LLVMIR_TargetMachine_describeHost
  FLAGTREE_SPEC_Target_LLVMIR_TargetMachine_describeHost(host);
#endif
  return host;
}

/// Checked up front: LLVM only prints a warning for an unknown processor.
Error checkProcessor(const Target &target, const Triple &triple,
                     const TargetSpec &spec) {
  std::unique_ptr<MCSubtargetInfo> info(
      target.createMCSubtargetInfo(triple, "", ""));
  if (info && (spec.cpu.empty() || info->isCPUStringValid(spec.cpu)))
    return Error::success();
  return createStringError("processor '" + spec.cpu +
                           "' is not known for target triple '" + triple.str() +
                           "'");
}

Expected<std::unique_ptr<TargetMachine>> createMachine(const Triple &triple,
                                                       const TargetSpec &spec) {
  Expected<const Target *> target = lookupTarget(triple);
  if (!target)
    return target.takeError();
  if (Error error = checkProcessor(**target, triple, spec))
    return error;

  TargetOptions options;
  // A product and a sum stay apart unless the operations say `contract`.
  options.AllowFPOpFusion = FPOpFusion::Standard;
  // The small code model: the loader puts code and constants side by side and
  // reaches the host's functions through stubs.
  std::unique_ptr<TargetMachine> machine((*target)->createTargetMachine(
      triple, spec.cpu, spec.features, options, Reloc::PIC_, CodeModel::Small,
      CodeGenOptLevel::Default, /*JIT=*/true));
  if (!machine)
    return createStringError("LLVM cannot generate code for '" + triple.str() +
                             "'");
  return machine;
}

/// A machine serves one thread at a time. Never destroyed at thread exit: the
/// main thread's exit runs after parts of LLVM are gone.
StringMap<TargetMachine *> &threadMachines() {
  thread_local auto *machines = new StringMap<TargetMachine *>();
  return *machines;
}

} // namespace

const HostTarget &getHostTarget() {
  static const HostTarget host = describeHost();
  return host;
}

Expected<HostTarget> describeProcessor(StringRef cpu) {
  HostTarget result;
  result.spec.triple = getHostTarget().spec.triple;
  result.spec.cpu = cpu.str();
  Triple triple(result.spec.triple);
  Expected<const Target *> target = lookupTarget(triple);
  if (!target)
    return target.takeError();
  if (Error error = checkProcessor(**target, triple, result.spec))
    return error;
  std::unique_ptr<MCSubtargetInfo> info(
      (*target)->createMCSubtargetInfo(triple, cpu, ""));
  std::vector<std::string> changes;
  for (const SubtargetFeatureKV &feature :
       info->getEnabledProcessorFeatures()) {
    StringRef name = feature.Key;
    if (!is_contained(kInexactFeatures, name)) {
      result.enabledFeatures.push_back(name.str());
      continue;
    }
    result.withheldFeatures.push_back(name.str());
    changes.push_back(("-" + name).str());
  }
  llvm::sort(result.enabledFeatures);
  result.spec.features = join(changes, ",");
  result.vectorBits = widestVector(*info, triple);
  return result;
}

Expected<TargetMachine *> getTargetMachine(const TargetSpec &spec) {
  Triple triple(spec.triple.empty() ? getHostTarget().spec.triple
                                    : spec.triple);
  std::string key = triple.str() + "|" + spec.cpu + "|" + spec.features;
  StringMap<TargetMachine *> &machines = threadMachines();
  auto found = machines.find(key);
  if (found != machines.end())
    return found->second;
  Expected<std::unique_ptr<TargetMachine>> machine =
      createMachine(triple, spec);
  if (!machine)
    return machine.takeError();
  return machines[key] = machine->release();
}

void abandonTargetMachines() { threadMachines().clear(); }

void attachTarget(Module &module, const TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  StringRef cpu = machine.getTargetCPU();
  StringRef features = machine.getTargetFeatureString();
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    if (!cpu.empty())
      function.addFnAttr("target-cpu", cpu);
    if (!features.empty())
      function.addFnAttr("target-features", features);
    function.setDoesNotThrow();
  }
}

} // namespace mlir::triton
