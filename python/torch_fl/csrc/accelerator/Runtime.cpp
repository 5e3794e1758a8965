//===- Runtime.cpp - guard, streams and events of flagos, accelerated -----===//
//
// A stream of flagos has the number of the accelerator's stream that it is. The
// accelerator's current device is not changed: its operators see to that by
// themselves, and flagos is one device only.
//
//===----------------------------------------------------------------------===//
#include "AcceleratorParts.h"

namespace torch_fl {
namespace {

using c10::Device;
using c10::DeviceIndex;
using c10::Stream;

class RenamedGuard final : public c10::impl::DeviceGuardImplInterface {
public:
  explicit RenamedGuard(Device device)
      : device(device), inner(*c10::impl::getDeviceGuardImpl(device.type())) {}

  c10::DeviceType type() const override { return flagosDevice().type(); }
  DeviceIndex deviceCount() const noexcept override { return 1; }
  Device getDevice() const override { return flagosDevice(); }
  void setDevice(Device wanted) const override { checkFlagosDevice(wanted); }
  void uncheckedSetDevice(Device) const noexcept override {}
  Device exchangeDevice(Device wanted) const override {
    checkFlagosDevice(wanted);
    return flagosDevice();
  }
  c10::DeviceCapability getDeviceCapability(Device asked) const override {
    return inner.getDeviceCapability(theirs(asked));
  }

  Stream getStream(Device asked) const override {
    return ours(inner.getStream(theirs(asked)));
  }
  Stream getDefaultStream(Device asked) const override {
    return ours(inner.getDefaultStream(theirs(asked)));
  }
  Stream getStreamFromGlobalPool(Device asked, bool isUrgent) const override {
    return ours(inner.getStreamFromGlobalPool(theirs(asked), isUrgent));
  }
  Stream getNewStream(Device asked, int priority) const override {
    return ours(inner.getNewStream(theirs(asked), priority));
  }
  Stream exchangeStream(Stream stream) const override {
    return ours(inner.exchangeStream(theirs(stream)));
  }
  void *getStreamNativeHandle(const Stream stream) const override {
    return inner.getStreamNativeHandle(theirs(stream));
  }
  bool queryStream(const Stream &stream) const override {
    return inner.queryStream(theirs(stream));
  }
  void synchronizeStream(const Stream &stream) const override {
    inner.synchronizeStream(theirs(stream));
  }
  void synchronizeDevice(const DeviceIndex index) const override {
    checkFlagosIndex(index);
    inner.synchronizeDevice(device.index());
  }
  void recordDataPtrOnStream(const c10::DataPtr &memory,
                             const Stream &stream) const override {
    backing().allocator()->recordStream(memory, stream);
  }

  void record(void **event, const Stream &stream, const DeviceIndex,
              const c10::EventFlag flag) const override {
    inner.record(event, theirs(stream), device.index(), flag);
  }
  void destroyEvent(void *event, const DeviceIndex) const noexcept override {
    inner.destroyEvent(event, device.index());
  }
  void block(void *event, const Stream &stream) const override {
    inner.block(event, theirs(stream));
  }
  bool queryEvent(void *event) const override {
    return inner.queryEvent(event);
  }
  void synchronizeEvent(void *event) const override {
    inner.synchronizeEvent(event);
  }
  double elapsedTime(void *begin, void *end, const DeviceIndex) const override {
    return inner.elapsedTime(begin, end, device.index());
  }

private:
  Device theirs(Device asked) const {
    checkFlagosDevice(asked);
    return device;
  }
  Stream theirs(const Stream &stream) const {
    checkFlagosDevice(stream.device());
    return Stream(Stream::UNSAFE, device, stream.id());
  }
  static Stream ours(const Stream &stream) {
    return Stream(Stream::UNSAFE, flagosDevice(), stream.id());
  }

  Device device;
  const c10::impl::DeviceGuardImplInterface &inner;
};

} // namespace

const c10::impl::DeviceGuardImplInterface *acceleratorGuard(Device device) {
  static const auto *guard = new RenamedGuard(device);
  return guard;
}

} // namespace torch_fl
