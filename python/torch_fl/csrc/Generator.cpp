//===- Generator.cpp - random numbers of the flagos device ----------------===//
#include "Generator.h"

#include <ATen/CPUGeneratorImpl.h>
#include <c10/core/GeneratorImpl.h>
#include <c10/util/Exception.h>

namespace torch_fl {
namespace {

/// Numbers come from a CPU generator of its own, which operators that run on
/// the CPU can use: they refuse those of another device. The same seed thus
/// gives the same numbers as on the CPU.
class HostBackedGenerator final : public c10::GeneratorImpl {
public:
  explicit HostBackedGenerator(at::Generator host)
      : GeneratorImpl(c10::Device(c10::DeviceType::PrivateUse1, 0),
                      c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)),
        host(std::move(host)) {}

  void set_current_seed(uint64_t seed) override { host.set_current_seed(seed); }
  uint64_t current_seed() const override { return host.current_seed(); }
  uint64_t seed() override { return host.seed(); }
  void set_offset(uint64_t offset) override { host.set_offset(offset); }
  uint64_t get_offset() const override { return host.get_offset(); }
  void set_state(const c10::TensorImpl &state) override {
    host.unsafeGetGeneratorImpl()->set_state(state);
  }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
    return host.unsafeGetGeneratorImpl()->get_state();
  }

  at::Generator host;

private:
  GeneratorImpl *clone_impl() const override {
    return new HostBackedGenerator(host.clone());
  }
};

} // namespace

at::Generator newGenerator() {
  return at::make_generator<HostBackedGenerator>(
      at::detail::createCPUGenerator());
}

const at::Generator &defaultGenerator() {
  static auto *generator = new at::Generator(newGenerator());
  return *generator;
}

at::Generator hostGenerator(const at::Generator &generator) {
  auto *own =
      dynamic_cast<HostBackedGenerator *>(generator.unsafeGetGeneratorImpl());
  TORCH_CHECK(own, "expected a generator of flagos, got one of ",
              generator.device());
  return own->host;
}

} // namespace torch_fl
