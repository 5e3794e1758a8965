//===- Backing.cpp - where the flagos device lives ------------------------===//
#include "Backing.h"
#include "Hooks.h"

#include <c10/util/Exception.h>

namespace torch_fl {
namespace {

const Backing *chosen = nullptr;

const Backing &backingOf(c10::DeviceType type) {
  return type == c10::DeviceType::CPU ? hostBacking()
                                      : acceleratorBacking(type);
}

} // namespace

void checkFlagosDevice(c10::Device device) {
  TORCH_CHECK(device.type() == c10::DeviceType::PrivateUse1,
              "expected a flagos device, got ", device);
  checkFlagosIndex(device.index());
}

void checkFlagosIndex(c10::DeviceIndex index) {
  TORCH_CHECK(index <= 0, "there is one flagos device, flagos:0; got index ",
              static_cast<int>(index));
}

const Backing &backing() {
  TORCH_CHECK(chosen, "flagos is not started; import torch_fl first");
  return *chosen;
}

void start(c10::DeviceType type) {
  if (chosen) {
    TORCH_CHECK(chosen->device().type() == type,
                "flagos lives in the memory of ", chosen->name(),
                " already; one process cannot move it to that of ",
                c10::DeviceTypeName(type, /*lower_case=*/true));
    return;
  }
  const Backing &backing = backingOf(type);
  constexpr auto own = c10::DeviceType::PrivateUse1;
  c10::SetAllocator(own, backing.allocator());
  c10::impl::registerDeviceGuard(own, backing.guard());
  backing.registerOperators();
  chosen = &backing;
  registerHooks();
}

} // namespace torch_fl
