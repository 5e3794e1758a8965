//===- Hooks.cpp - what torch asks about the flagos device ----------------===//
#include "Allocator.h"
#include "Generator.h"
#include "PinnedMemory.h"

#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/Resize.h>

namespace torch_fl {
namespace {

struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  c10::DeviceIndex deviceCount() const override { return 1; }
  c10::DeviceIndex getCurrentDevice() const override { return 0; }
  void setCurrentDevice(c10::DeviceIndex device) const override {
    check(device);
  }
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex device) const override {
    check(device);
    return 0;
  }
  /// A negative index changes nothing.
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex device) const override {
    if (device >= 0)
      check(device);
    return 0;
  }

  const at::Generator &
  getDefaultGenerator(c10::DeviceIndex device) const override {
    check(device);
    return defaultGenerator();
  }
  at::Generator getNewGenerator(c10::DeviceIndex device) const override {
    check(device);
    return newGenerator();
  }

  c10::Device getDeviceFromPtr(void *) const override {
    return {c10::DeviceType::PrivateUse1, 0};
  }
  c10::Allocator *getPinnedMemoryAllocator() const override {
    return pinnedAllocator();
  }
  bool isPinnedPtr(const void *data) const override { return isPinned(data); }

  void resizePrivateUse1Bytes(const c10::Storage &storage,
                              size_t size) const override {
    at::native::resize_bytes_cpu(storage.unsafeGetStorageImpl(), size);
  }

private:
  static void check(c10::DeviceIndex device) {
    TORCH_CHECK(device <= 0, "there is one flagos device, flagos:0; got index ",
                static_cast<int>(device));
  }
};

/// Torch keeps the pointer for good.
const bool registered = [] {
  at::RegisterPrivateUse1HooksInterface(new Hooks);
  return true;
}();

} // namespace
} // namespace torch_fl
