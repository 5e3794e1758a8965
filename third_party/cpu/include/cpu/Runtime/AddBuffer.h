//===- AddBuffer.h - additions that are collected ---------------*- C++ -*-===//
//
// Many programs that add to the same places (a histogram, gradients of a
// weight) spend their time on cache lines that wander between processors. When
// nobody looks at the sums before the kernel is done, each thread collects its
// additions in lines of its own and adds those when it is through: once per
// place and thread instead of once per element.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_CPU_RUNTIME_ADDBUFFER_H
#define TRITON_CPU_RUNTIME_ADDBUFFER_H

#include <cstdint>

namespace mlir::triton::cpu {

/// Type of the elements that `triton_cpu_add_later` adds.
enum AddKind : uint32_t {
  kAddInt32 = 0,
  kAddInt64 = 1,
  kAddFloat32 = 2,
  kAddFloat64 = 3,
};

} // namespace mlir::triton::cpu

extern "C" {

/// Adds values[l] to the element at addresses[l], or at element l from `first`
/// if `addresses` is null, for every lane l < width in `mask`. The additions
/// are atomic, and done at the latest when `triton_cpu_add_now` returns.
void triton_cpu_add_later(uint32_t kind, uint32_t width,
                          const uint64_t *addresses, uint64_t first,
                          const void *values, uint64_t mask);

/// Does what this thread has collected.
void triton_cpu_add_now();
}

#endif // TRITON_CPU_RUNTIME_ADDBUFFER_H
