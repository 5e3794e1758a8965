//===- Allocator.cpp - memory of flagos on an accelerator -----------------===//
//
// The accelerator's allocator does the work and the counting. Its pieces are
// handed on as they are, with the name of the device changed.
//
//===----------------------------------------------------------------------===//
#include "AcceleratorParts.h"

#include <c10/core/DeviceGuard.h>

namespace torch_fl {
namespace {

using c10::CachingDeviceAllocator::DeviceStats;

void dropStorage(void *context) { delete static_cast<c10::Storage *>(context); }

c10::DataPtr renamed(c10::DataPtr memory) {
  void *data = memory.get();
  auto deleter = memory.get_deleter();
  return {data, memory.release_context(), deleter, flagosDevice()};
}

class RenamedAllocator final : public c10::DeviceAllocator {
public:
  explicit RenamedAllocator(c10::Device device) : device(device) {}

  c10::DataPtr allocate(size_t size) override {
    auto &theirs = inner();
    c10::DeviceGuard guard(device);
    return renamed(theirs.allocate(size));
  }
  void copy_data(void *target, const void *source, size_t size) const override {
    c10::DeviceGuard guard(device);
    inner().copy_data(target, source, size);
  }
  c10::DeleterFnPtr raw_deleter() const override {
    return inner().raw_deleter();
  }

  bool initialized() override { return inner().initialized(); }
  void emptyCache(c10::MempoolId_t pool) override { inner().emptyCache(pool); }
  void recordStream(const c10::DataPtr &memory, c10::Stream stream) override {
    bool isAdopted = memory.get_deleter() == &dropStorage;
    const auto &theirs =
        isAdopted
            ? static_cast<c10::Storage *>(memory.get_context())->data_ptr()
            : memory;
    inner().recordStream(theirs,
                         c10::Stream(c10::Stream::UNSAFE, device, stream.id()));
  }

  DeviceStats getDeviceStats(c10::DeviceIndex) override {
    return inner().getDeviceStats(device.index());
  }
  void resetAccumulatedStats(c10::DeviceIndex) override {
    inner().resetAccumulatedStats(device.index());
  }
  void resetPeakStats(c10::DeviceIndex) override {
    inner().resetPeakStats(device.index());
  }
  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex) override {
    return inner().getMemoryInfo(device.index());
  }

private:
  /// Started before the first use: importing torch_fl must not start it,
  /// because a started accelerator does not survive a fork.
  c10::DeviceAllocator &inner() const {
    backing().start();
    return *c10::getDeviceAllocator(device.type());
  }

  c10::Device device;
};

} // namespace

c10::DeviceAllocator *acceleratorAllocator(c10::Device device) {
  static auto *allocator = new RenamedAllocator(device);
  return allocator;
}

c10::DataPtr adoptAcceleratorMemory(const c10::Storage &storage) {
  // Usually the result that the storage belongs to is about to be dropped, so
  // its memory can be taken.
  if (storage.use_count() == 1)
    return renamed(
        storage.set_data_ptr(c10::DataPtr(nullptr, storage.device())));
  return {storage.mutable_data(), new c10::Storage(storage), &dropStorage,
          flagosDevice()};
}

} // namespace torch_fl
