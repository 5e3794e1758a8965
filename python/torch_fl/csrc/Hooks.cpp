//===- Hooks.cpp - what torch asks about the flagos device ----------------===//
#include "Hooks.h"
#include "Backing.h"
#include "Generator.h"
#include "Resize.h"

#include <ATen/detail/PrivateUse1HooksInterface.h>

namespace torch_fl {
namespace {

struct Hooks final : at::PrivateUse1HooksInterface {
  void init() const override { backing().start(); }
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(c10::DeviceIndex) const override {
    return backing().isStarted();
  }
  c10::DeviceIndex deviceCount() const override { return 1; }
  c10::DeviceIndex getCurrentDevice() const override { return 0; }
  void setCurrentDevice(c10::DeviceIndex device) const override {
    checkFlagosIndex(device);
  }
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex device) const override {
    checkFlagosIndex(device);
    return 0;
  }
  /// A negative index changes nothing.
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex device) const override {
    checkFlagosIndex(device);
    return 0;
  }

  const at::Generator &
  getDefaultGenerator(c10::DeviceIndex device) const override {
    checkFlagosIndex(device);
    return defaultGenerator();
  }
  at::Generator getNewGenerator(c10::DeviceIndex device) const override {
    checkFlagosIndex(device);
    return newGenerator();
  }

  c10::Device getDeviceFromPtr(void *) const override { return flagosDevice(); }
  c10::Allocator *getPinnedMemoryAllocator() const override {
    return backing().pinnedAllocator();
  }
  bool isPinnedPtr(const void *data) const override {
    return backing().isPinned(data);
  }

  void resizePrivateUse1Bytes(const c10::Storage &storage,
                              size_t size) const override {
    resizeStorage(storage, size);
  }
};

} // namespace

void registerHooks() { at::RegisterPrivateUse1HooksInterface(new Hooks); }

} // namespace torch_fl
