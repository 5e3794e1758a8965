//===- DebugObjects.h - kernels as gdb sees them ----------------*- C++ -*-===//
//
// A debugger learns of code that no file holds through a list in memory
// (gdb's JIT compilation interface; lldb reads it, too): each entry is an
// object file whose section headers say where the sections were loaded.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_CPU_LIB_RUNTIME_DEBUGOBJECTS_H
#define TRITON_CPU_LIB_RUNTIME_DEBUGOBJECTS_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include <memory>

namespace mlir::triton::cpu {

/// Notes where the linker puts the sections of the object it works on.
class SectionAddresses : public llvm::orc::ObjectLinkingLayer::Plugin {
public:
  void modifyPassConfig(llvm::orc::MaterializationResponsibility &,
                        llvm::jitlink::LinkGraph &,
                        llvm::jitlink::PassConfiguration &passes) override;
  llvm::Error
  notifyFailed(llvm::orc::MaterializationResponsibility &) override {
    return llvm::Error::success();
  }
  llvm::Error notifyRemovingResources(llvm::orc::JITDylib &,
                                      llvm::orc::ResourceKey) override {
    return llvm::Error::success();
  }
  void notifyTransferringResources(llvm::orc::JITDylib &,
                                   llvm::orc::ResourceKey,
                                   llvm::orc::ResourceKey) override {}

  /// Of the object that was linked last.
  llvm::StringMap<uint64_t> addresses;
};

/// An object in the debugger's list, for as long as it lives.
class DebugObject {
public:
  /// Null for an object without line information, or of a format that has no
  /// such list.
  static std::unique_ptr<DebugObject>
  add(llvm::StringRef object, const llvm::StringMap<uint64_t> &addresses);
  ~DebugObject();

private:
  struct Entry;
  explicit DebugObject(std::unique_ptr<Entry> entry);
  std::unique_ptr<Entry> entry;
};

} // namespace mlir::triton::cpu

#endif // TRITON_CPU_LIB_RUNTIME_DEBUGOBJECTS_H
