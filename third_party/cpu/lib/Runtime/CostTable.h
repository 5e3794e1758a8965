//===- CostTable.h - how long programs of a kernel take ---------*- C++ -*-===//

#ifndef TRITON_CPU_LIB_RUNTIME_COSTTABLE_H
#define TRITON_CPU_LIB_RUNTIME_COSTTABLE_H

#include <atomic>
#include <cstdint>

namespace mlir::triton::cpu {

/// Last measured nanoseconds per program, by kernel entry point. A hint: two
/// kernels that share a slot overwrite each other, and a reader racing with a
/// writer may get the other kernel's number.
class CostTable {
public:
  /// Negative when nothing is known.
  float get(uint64_t function) const {
    const Slot &slot = slotOf(function);
    if (slot.function.load(std::memory_order_relaxed) != function)
      return -1;
    return slot.nanoseconds.load(std::memory_order_relaxed);
  }

  void set(uint64_t function, float nanoseconds) {
    Slot &slot = slots[indexOf(function)];
    slot.nanoseconds.store(nanoseconds, std::memory_order_relaxed);
    slot.function.store(function, std::memory_order_relaxed);
  }

  void forget(uint64_t function) {
    Slot &slot = slots[indexOf(function)];
    if (slot.function.load(std::memory_order_relaxed) == function)
      slot.function.store(0, std::memory_order_relaxed);
  }

private:
  struct Slot {
    std::atomic<uint64_t> function{0};
    std::atomic<float> nanoseconds{0};
  };

  static constexpr unsigned kBits = 10;

  static unsigned indexOf(uint64_t function) {
    return unsigned(function * 0x9e3779b97f4a7c15u >> (64 - kBits));
  }
  const Slot &slotOf(uint64_t function) const {
    return slots[indexOf(function)];
  }

  Slot slots[1u << kBits];
};

} // namespace mlir::triton::cpu

#endif // TRITON_CPU_LIB_RUNTIME_COSTTABLE_H
