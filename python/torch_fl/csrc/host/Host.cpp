//===- Host.cpp - flagos in host memory -----------------------------------===//
#include "HostParts.h"
#include "Lstm.h"
#include "Products.h"

#include <ATen/CPUGeneratorImpl.h>

namespace torch_fl {
namespace {

class Host final : public Backing {
public:
  c10::Device device() const override { return c10::DeviceType::CPU; }
  std::string name() const override { return "the CPU"; }
  bool isStarted() const override { return true; }

  c10::DeviceAllocator *allocator() const override { return hostAllocator(); }
  c10::DataPtr adopt(const c10::Storage &storage) const override {
    return adoptHostMemory(storage);
  }
  c10::Allocator *pinnedAllocator() const override {
    return hostPinnedAllocator();
  }
  bool isPinned(const void *data) const override {
    return isPinnedOnHost(data);
  }
  const c10::impl::DeviceGuardImplInterface *guard() const override {
    return hostGuard();
  }

  /// One of its own, not the CPU's: both start with the same seed.
  at::Generator defaultGenerator() const override { return newGenerator(); }
  at::Generator newGenerator() const override {
    return at::detail::createCPUGenerator();
  }

  void registerOperators() const override {
    registerHostCells();
    registerHostLstm();
    registerHostNetworks();
    registerHostHistogram();
    registerHostAttention();
    registerHostProducts();
  }
};

} // namespace

const Backing &hostBacking() {
  static const auto *host = new Host;
  return *host;
}

} // namespace torch_fl
