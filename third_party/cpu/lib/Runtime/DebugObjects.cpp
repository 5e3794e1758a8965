//===- DebugObjects.cpp - kernels as gdb sees them ------------------------===//

#include "DebugObjects.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"
#include "llvm/ExecutionEngine/Orc/TargetProcess/JITLoaderGDB.h"
#include "llvm/Object/ELF.h"
#include <string>

using namespace llvm;

// Defined in LLVM, exported by libtriton.map, and known to debuggers by name.
extern "C" {
extern jit_descriptor __jit_debug_descriptor;
void __jit_debug_register_code();
}

namespace mlir::triton::cpu {

void SectionAddresses::modifyPassConfig(orc::MaterializationResponsibility &,
                                        jitlink::LinkGraph &,
                                        jitlink::PassConfiguration &passes) {
  passes.PostAllocationPasses.push_back([this](jitlink::LinkGraph &graph) {
    addresses.clear();
    for (jitlink::Section &section : graph.sections()) {
      jitlink::SectionRange range(section);
      if (!range.empty() &&
          section.getMemLifetime() != orc::MemLifetime::NoAlloc)
        addresses[section.getName()] = range.getStart().getValue();
    }
    return Error::success();
  });
}

struct DebugObject::Entry : jit_code_entry {
  std::string content;
};

/// Writes the addresses into the section headers of `content`. False for an
/// object without line information.
static bool relocateSections(std::string &content,
                             const StringMap<uint64_t> &addresses) {
  using File = object::ELF64LE;
  auto file = object::ELFFile<File>::create(content);
  if (!file) {
    consumeError(file.takeError());
    return false;
  }
  auto sections = file->sections();
  if (!sections) {
    consumeError(sections.takeError());
    return false;
  }
  bool hasLines = false;
  for (const File::Shdr &header : *sections) {
    Expected<StringRef> name = file->getSectionName(header);
    if (!name) {
      consumeError(name.takeError());
      return false;
    }
    hasLines |= *name == ".debug_line";
    auto found = addresses.find(*name);
    // The headers lie in `content`, which is ours.
    if ((header.sh_flags & ELF::SHF_ALLOC) && found != addresses.end())
      const_cast<File::Shdr &>(header).sh_addr = found->second;
  }
  return hasLines;
}

/// The list is changed under the loader's lock only.
std::unique_ptr<DebugObject>
DebugObject::add(StringRef object, const StringMap<uint64_t> &addresses) {
  auto entry = std::make_unique<Entry>();
  entry->content = object.str();
  if (!relocateSections(entry->content, addresses))
    return nullptr;
  entry->symfile_addr = entry->content.data();
  entry->symfile_size = entry->content.size();
  entry->prev_entry = nullptr;
  entry->next_entry = __jit_debug_descriptor.first_entry;
  if (entry->next_entry)
    entry->next_entry->prev_entry = entry.get();
  __jit_debug_descriptor.first_entry = entry.get();
  __jit_debug_descriptor.relevant_entry = entry.get();
  __jit_debug_descriptor.action_flag = JIT_REGISTER_FN;
  __jit_debug_register_code();
  return std::unique_ptr<DebugObject>(new DebugObject(std::move(entry)));
}

DebugObject::DebugObject(std::unique_ptr<Entry> entry)
    : entry(std::move(entry)) {}

DebugObject::~DebugObject() {
  if (entry->prev_entry)
    entry->prev_entry->next_entry = entry->next_entry;
  else
    __jit_debug_descriptor.first_entry = entry->next_entry;
  if (entry->next_entry)
    entry->next_entry->prev_entry = entry->prev_entry;
  __jit_debug_descriptor.relevant_entry = entry.get();
  __jit_debug_descriptor.action_flag = JIT_UNREGISTER_FN;
  __jit_debug_register_code();
}

} // namespace mlir::triton::cpu
