//===- PinnedMemory.cpp - host memory marked as pinned --------------------===//
#include "HostParts.h"

#include <c10/core/impl/alloc_cpu.h>

#include <cstring>
#include <map>
#include <mutex>

namespace torch_fl {
namespace {

void releasePinned(void *data);

class PinnedAllocator final : public c10::Allocator {
public:
  c10::DataPtr allocate(size_t size) override {
    void *data = size ? c10::alloc_cpu(size) : nullptr;
    if (data) {
      std::lock_guard<std::mutex> lock(mutex);
      ends[data] = static_cast<const char *>(data) + size;
    }
    return {data, data, &releasePinned, c10::Device(c10::DeviceType::CPU)};
  }

  void release(void *data) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      ends.erase(data);
    }
    c10::free_cpu(data);
  }

  bool holds(const void *data) {
    std::lock_guard<std::mutex> lock(mutex);
    auto after = ends.upper_bound(data);
    return after != ends.begin() && data < std::prev(after)->second;
  }

  c10::DeleterFnPtr raw_deleter() const override { return &releasePinned; }
  void copy_data(void *target, const void *source, size_t size) const override {
    std::memcpy(target, source, size);
  }

private:
  std::mutex mutex;
  std::map<const void *, const void *> ends; // by where a block begins
};

PinnedAllocator &allocator() {
  static auto *instance = new PinnedAllocator;
  return *instance;
}

void releasePinned(void *data) { allocator().release(data); }

} // namespace

c10::Allocator *hostPinnedAllocator() { return &allocator(); }

bool isPinnedOnHost(const void *data) { return allocator().holds(data); }

} // namespace torch_fl
