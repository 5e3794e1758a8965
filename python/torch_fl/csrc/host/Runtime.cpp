//===- Runtime.cpp - guard, streams and events of flagos on the host ------===//
//
// There is one device, 0. Work on it is complete when the call that started it
// returns, so a stream is only a number and an event only a point in time.
//
//===----------------------------------------------------------------------===//
#include "HostParts.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <c10/util/Exception.h>

#include <atomic>
#include <chrono>

namespace torch_fl {
namespace {

using Clock = std::chrono::steady_clock;

const c10::Device kDevice = flagosDevice();

thread_local c10::StreamId currentStream = 0;
std::atomic<c10::StreamId> streamsMade{0};

c10::Stream streamOf(c10::StreamId id) {
  return c10::Stream(c10::Stream::UNSAFE, kDevice, id);
}

struct HostGuard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return kDevice.type(); }
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
  c10::Device getDevice() const override { return kDevice; }
  void setDevice(c10::Device device) const override {
    checkFlagosDevice(device);
  }
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::Device exchangeDevice(c10::Device device) const override {
    checkFlagosDevice(device);
    return kDevice;
  }

  /// All types but those of quantized tensors, which torch has for devices that
  /// it knows by name.
  c10::DeviceCapability getDeviceCapability(c10::Device device) const override {
    checkFlagosDevice(device);
    c10::DeviceCapability capability;
    auto &types = capability.capability_data.supported_scalar_types;
    types.has_QInt8 = types.has_QUInt8 = types.has_QInt32 = 0;
    types.has_QUInt4x2 = types.has_QUInt2x4 = 0;
    return capability;
  }

  c10::Stream getStream(c10::Device device) const override {
    checkFlagosDevice(device);
    return streamOf(currentStream);
  }
  c10::Stream getDefaultStream(c10::Device device) const override {
    checkFlagosDevice(device);
    return streamOf(0);
  }
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override {
    return getNewStream(device, 0);
  }
  c10::Stream getNewStream(c10::Device device, int) const override {
    checkFlagosDevice(device);
    return streamOf(++streamsMade);
  }
  c10::Stream exchangeStream(c10::Stream stream) const override {
    checkFlagosDevice(stream.device());
    auto previous = currentStream;
    currentStream = stream.id();
    return streamOf(previous);
  }
  void *getStreamNativeHandle(const c10::Stream) const override {
    return nullptr;
  }
  bool queryStream(const c10::Stream &) const override { return true; }
  void synchronizeStream(const c10::Stream &) const override {}
  void synchronizeDevice(const c10::DeviceIndex) const override {}

  void record(void **event, const c10::Stream &stream, const c10::DeviceIndex,
              const c10::EventFlag) const override {
    checkFlagosDevice(stream.device());
    if (!*event)
      *event = new Clock::time_point;
    *static_cast<Clock::time_point *>(*event) = Clock::now();
  }
  void destroyEvent(void *event,
                    const c10::DeviceIndex) const noexcept override {
    delete static_cast<Clock::time_point *>(event);
  }
  void block(void *, const c10::Stream &) const override {}
  bool queryEvent(void *) const override { return true; }
  void synchronizeEvent(void *) const override {}

  /// Milliseconds.
  double elapsedTime(void *begin, void *end,
                     const c10::DeviceIndex) const override {
    TORCH_CHECK(
        begin && end,
        "elapsed_time needs two events that were recorded; record both first");
    return std::chrono::duration<double, std::milli>(
               *static_cast<Clock::time_point *>(end) -
               *static_cast<Clock::time_point *>(begin))
        .count();
  }
};

} // namespace

const c10::impl::DeviceGuardImplInterface *hostGuard() {
  static const auto *guard = new HostGuard;
  return guard;
}

} // namespace torch_fl
