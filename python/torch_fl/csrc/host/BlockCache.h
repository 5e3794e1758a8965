//===- BlockCache.h - freed memory that is used again -----------*- C++ -*-===//
//
// Memory fresh from the system costs a page fault per page at its first use,
// which takes longer than many kernels. Programs free and allocate the same
// sizes over and over, so large blocks wait here for the next one of their
// size.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <atomic>
#include <cstddef>
#include <list>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace torch_fl {

class BlockCache {
public:
  /// Memory for `size` bytes. Error, thrown by torch's allocator, if the host
  /// has none.
  void *take(size_t size);
  /// Keeps memory that `take(size)` gave, or returns it to the host.
  void give(void *data, size_t size);
  /// Returns everything that waits to the host.
  void clear();
  /// Bytes of what `take(size)` gives.
  static size_t roundedSize(size_t size);
  /// Bytes that wait.
  size_t bytes() const { return total; }

private:
  struct Waiting {
    void *data;
    size_t size;
  };
  using Queue = std::list<Waiting>; // oldest first

  void *find(size_t size);
  std::vector<void *> dropOldest(size_t limit);

  std::mutex mutex;
  Queue waiting;
  std::unordered_map<size_t, std::vector<Queue::iterator>> bySize;
  std::atomic<size_t> total{0};
};

} // namespace torch_fl
