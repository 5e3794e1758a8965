//===- Generator.cpp - random numbers of the flagos device ----------------===//
#include "Generator.h"
#include "Backing.h"

#include <c10/core/GeneratorImpl.h>
#include <c10/util/Exception.h>

#include <mutex>

namespace torch_fl {
namespace {

/// Numbers come from a generator of the backing device, which operators that
/// run there can use: they refuse those of another device. The same seed thus
/// gives the same numbers as there.
class BackedGenerator final : public c10::GeneratorImpl {
public:
  /// Stands for the default one of the backing device, if `backed` is not
  /// defined. That one is asked for when it is needed, because asking starts
  /// the device.
  explicit BackedGenerator(at::Generator backed)
      : GeneratorImpl(flagosDevice(),
                      c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)),
        backed(std::move(backed)) {}

  void set_current_seed(uint64_t seed) override {
    get().set_current_seed(seed);
  }
  uint64_t current_seed() const override { return get().current_seed(); }
  uint64_t seed() override { return get().seed(); }
  void set_offset(uint64_t offset) override {
    at::Generator &generator = get();
    if (hasOffset(generator))
      return generator.set_offset(offset);
    TORCH_CHECK_VALUE(
        offset == 0, "flagos: the generator of random numbers in host memory ",
        "has no offset, so it cannot be set to ", offset, ". A place in its ",
        "numbers is kept by get_state() and set_state()");
  }
  uint64_t get_offset() const override {
    const at::Generator &generator = get();
    return hasOffset(generator) ? generator.get_offset() : 0;
  }
  void set_state(const c10::TensorImpl &state) override {
    get().unsafeGetGeneratorImpl()->set_state(state);
  }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
    return get().unsafeGetGeneratorImpl()->get_state();
  }

  at::Generator &get() const {
    std::lock_guard<std::mutex> lock(mutex);
    if (!backed.defined())
      backed = backing().defaultGenerator();
    return backed;
  }

private:
  /// The CPU's generator refuses questions about an offset, but torch asks
  /// every generator of another device for it, to pickle it and to put the
  /// offset back.
  static bool hasOffset(const at::Generator &generator) {
    return !generator.device().is_cpu();
  }

  GeneratorImpl *clone_impl() const override {
    return new BackedGenerator(get().clone());
  }

  mutable std::mutex mutex;
  mutable at::Generator backed;
};

} // namespace

at::Generator newGenerator() {
  return at::make_generator<BackedGenerator>(backing().newGenerator());
}

const at::Generator &defaultGenerator() {
  static auto *generator =
      new at::Generator(at::make_generator<BackedGenerator>(at::Generator()));
  return *generator;
}

at::Generator backingGenerator(const at::Generator &generator) {
  auto *own =
      dynamic_cast<BackedGenerator *>(generator.unsafeGetGeneratorImpl());
  TORCH_CHECK(own, "expected a generator of flagos, got one of ",
              generator.device());
  return own->get();
}

} // namespace torch_fl
