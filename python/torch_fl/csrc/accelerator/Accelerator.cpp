//===- Accelerator.cpp - flagos in memory of an accelerator ---------------===//
#include "AcceleratorParts.h"

#include <ATen/Context.h>

#include <mutex>
#include <pthread.h>

namespace torch_fl {
namespace {

/// Set in a process that was forked from one in which the accelerator works.
bool isLost = false;

class Accelerator final : public Backing {
public:
  explicit Accelerator(c10::DeviceType type) : type(type) {}

  c10::Device device() const override { return {type, 0}; }
  std::string name() const override {
    return c10::DeviceTypeName(type, /*lower_case=*/true);
  }
  bool isStarted() const override { return hooks().hasPrimaryContext(0); }
  void start() const override {
    TORCH_CHECK(!isLost,
                "flagos: this process was forked from one that had "
                "started ",
                name(),
                ", which does not survive that. Start processes with "
                "multiprocessing's method 'spawn'");
    std::call_once(started, [this] {
      at::globalContext().lazyInitDevice(type);
      pthread_atfork(nullptr, nullptr, [] { isLost = true; });
    });
  }

  c10::DeviceAllocator *allocator() const override {
    return acceleratorAllocator(device());
  }
  c10::DataPtr adopt(const c10::Storage &storage) const override {
    return adoptAcceleratorMemory(storage);
  }
  c10::Allocator *pinnedAllocator() const override {
    start();
    return hooks().getPinnedMemoryAllocator();
  }
  bool isPinned(const void *data) const override {
    return hooks().isPinnedPtr(data);
  }
  const c10::impl::DeviceGuardImplInterface *guard() const override {
    return acceleratorGuard(device());
  }

  /// The accelerator's own: a seed for one is a seed for both.
  at::Generator defaultGenerator() const override {
    start();
    return hooks().getDefaultGenerator(0);
  }
  at::Generator newGenerator() const override {
    start();
    return hooks().getNewGenerator(0);
  }

  void registerOperators() const override {
    registerAttention();
    registerLayouts();
  }

private:
  const at::AcceleratorHooksInterface &hooks() const {
    return at::globalContext().getAcceleratorHooksInterface(type);
  }

  c10::DeviceType type;
  mutable std::once_flag started;
};

} // namespace

const Backing &acceleratorBacking(c10::DeviceType type) {
  // Whether such a device works is not asked: that could start it.
  TORCH_CHECK(at::globalContext().getAcceleratorHooksInterface(type).isBuilt(),
              "flagos cannot live in the memory of ",
              c10::DeviceTypeName(type, /*lower_case=*/true),
              ": this torch was built without that device");
  static const auto *accelerator = new Accelerator(type);
  return *accelerator;
}

} // namespace torch_fl
