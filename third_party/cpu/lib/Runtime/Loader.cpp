//===- Loader.cpp - object code into this process -------------------------===//

#include "cpu/Runtime/Loader.h"
#include "DebugObjects.h"
#include "cpu/Runtime/HostSymbols.h"
#include "cpu/Runtime/Seal.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/Debugging/DebugInfoSupport.h"
#include "llvm/ExecutionEngine/Orc/Debugging/PerfSupportPlugin.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/ExecutionEngine/Orc/TargetProcess/JITLoaderPerf.h"
#include "llvm/ExecutionEngine/Orc/TaskDispatch.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdlib>
#include <mutex>

using namespace llvm;
using namespace llvm::orc;

namespace mlir::triton::cpu {
namespace {

/// Defines the functions of HostSymbols.h when an object refers to them.
class HostSymbolGenerator : public DefinitionGenerator {
public:
  Error tryToGenerate(LookupState &, LookupKind, JITDylib &dylib,
                      JITDylibLookupFlags,
                      const SymbolLookupSet &wanted) override {
    SymbolMap found;
    for (const auto &[symbol, flags] : wanted)
      if (void *address = findHostSymbol(*symbol))
        found[symbol] = {ExecutorAddr::fromPtr(address),
                         JITSymbolFlags::Exported | JITSymbolFlags::Callable};
    if (found.empty())
      return Error::success();
    return dylib.define(absoluteSymbols(std::move(found)));
  }
};

/// TRITON_CPU_PERF: tell perf about every kernel. Read once.
bool isPerfWanted() {
  StringRef text =
      std::getenv("TRITON_CPU_PERF") ? std::getenv("TRITON_CPU_PERF") : "";
  return !text.empty() && text != "0" && !text.equals_insensitive("false") &&
         !text.equals_insensitive("off");
}

/// The linker: one dylib per kernel, so that equal names do not clash and each
/// can be unloaded, and one with the host's functions.
///
/// Only ORC's object layer is used. The layers above compile IR, which would
/// need a target machine at start-up.
class Linker {
public:
  static Expected<std::unique_ptr<Linker>> create() {
    // Work is done on the calling thread: threads of its own would not
    // survive a fork.
    auto control = SelfExecutorProcessControl::Create(
        nullptr, std::make_unique<InPlaceTaskDispatcher>());
    if (!control)
      return control.takeError();
    std::unique_ptr<Linker> linker(new Linker(std::move(*control)));
    auto host = linker->session.createJITDylib("<host>");
    if (!host)
      return host.takeError();
    linker->host = &*host;
    host->addGenerator(std::make_unique<HostSymbolGenerator>());
    return linker;
  }

  Expected<LoadedKernel> load(StringRef name, StringRef object) {
    uint64_t handle = ++lastHandle;
    messages.clear();
    Expected<JITDylib &> dylib =
        session.createJITDylib("kernel" + std::to_string(handle));
    if (!dylib)
      return dylib.takeError();
    dylib->addToLinkOrder(*host);
    Expected<uint64_t> address = link(*dylib, name, object);
    if (address) {
      kernels[handle] = {&*dylib, DebugObject::add(object, places->addresses)};
      return LoadedKernel{handle, *address};
    }
    Error error = join(address.takeError());
    return joinErrors(std::move(error), session.removeJITDylib(*dylib));
  }

  Error unload(uint64_t handle) {
    auto kernel = kernels.find(handle);
    if (kernel == kernels.end())
      return createStringError("no kernel is loaded under handle " +
                               std::to_string(handle));
    JITDylib &dylib = *kernel->second.dylib;
    kernels.erase(kernel);
    return session.removeJITDylib(dylib);
  }

private:
  explicit Linker(std::unique_ptr<ExecutorProcessControl> control)
      : session(std::move(control)), objects(session) {
    session.setErrorReporter([this](Error error) {
      if (!messages.empty())
        messages += "; ";
      messages += toString(std::move(error));
    });
    places = std::make_shared<SectionAddresses>();
    objects.addPlugin(places);
    if (isPerfWanted()) {
      // Else the linker drops the line tables before perf's part sees them.
      objects.addPlugin(std::make_shared<DebugInfoPreservationPlugin>());
      objects.addPlugin(std::make_shared<PerfSupportPlugin>(
          session.getExecutorProcessControl(),
          ExecutorAddr::fromPtr(&llvm_orc_registerJITLoaderPerfStart),
          ExecutorAddr::fromPtr(&llvm_orc_registerJITLoaderPerfEnd),
          ExecutorAddr::fromPtr(&llvm_orc_registerJITLoaderPerfImpl),
          /*EmitDebugInfo=*/true, /*EmitUnwindInfo=*/true));
    }
  }

  Expected<uint64_t> link(JITDylib &dylib, StringRef name, StringRef object) {
    // The object is copied: the linker reads it at 16-byte alignment.
    if (Error error =
            objects.add(dylib, MemoryBuffer::getMemBufferCopy(object, name)))
      return error;
    auto symbol = session.lookup({&dylib}, session.intern(name));
    if (!symbol)
      return symbol.takeError();
    return symbol->getAddress().getValue();
  }

  /// Adds what the session reported on the way to `error`.
  Error join(Error error) {
    std::string text = toString(std::move(error));
    if (!messages.empty())
      text += ": " + messages;
    return createStringError(text);
  }

  ExecutionSession session;
  ObjectLinkingLayer objects;
  JITDylib *host = nullptr;
  std::shared_ptr<SectionAddresses> places;
  struct Kernel {
    JITDylib *dylib = nullptr;
    std::unique_ptr<DebugObject> debug; ///< null without line information
  };
  DenseMap<uint64_t, Kernel> kernels;
  uint64_t lastHandle = 0;
  std::string messages;
};

std::mutex linkerMutex;

/// Never destroyed: kernels may be unloaded by destructors that run late.
Expected<Linker &> getLinker() {
  static Linker *linker = nullptr;
  if (!linker) {
    auto created = Linker::create();
    if (!created)
      return created.takeError();
    linker = created->release();
  }
  return *linker;
}

} // namespace

Expected<LoadedKernel> loadKernel(StringRef name, StringRef object) {
  Expected<StringRef> content = unsealObject(object);
  if (!content)
    return content.takeError();
  std::lock_guard<std::mutex> lock(linkerMutex);
  Expected<Linker &> linker = getLinker();
  if (!linker)
    return linker.takeError();
  return linker->load(name, *content);
}

Error unloadKernel(uint64_t handle) {
  std::lock_guard<std::mutex> lock(linkerMutex);
  Expected<Linker &> linker = getLinker();
  if (!linker)
    return linker.takeError();
  return linker->unload(handle);
}

} // namespace mlir::triton::cpu
