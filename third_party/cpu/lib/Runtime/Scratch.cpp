//===- Scratch.cpp - working memory of kernels ----------------------------===//

#include "cpu/Runtime/Scratch.h"
#include <cstdlib>

namespace {

constexpr size_t kAlignment = 64;

/// Grows and is kept until its thread ends: consecutive launches find it
/// mapped and in the cache.
struct Buffer {
  void *data = nullptr;
  size_t size = 0;

  ~Buffer() { std::free(data); }

  void *get(size_t wanted) {
    if (wanted <= size)
      return data;
    std::free(data);
    size_t rounded = (wanted + kAlignment - 1) / kAlignment * kAlignment;
    data = std::aligned_alloc(kAlignment, rounded);
    size = data ? rounded : 0;
    return data;
  }
};

thread_local Buffer buffer;

} // namespace

void *mlir::triton::cpu::getScratch(size_t size) { return buffer.get(size); }
