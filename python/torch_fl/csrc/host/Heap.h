//===- Heap.h - memory of flagos in huge pages ------------------*- C++ -*-===//
//
// Programs free and allocate the same sizes over and over. Fresh memory from
// the system costs a page fault per page at its first use, and small pages cost
// a walk through the page tables for each few KB that a kernel touches, which
// takes longer than many kernels. So memory comes from the system in large
// chunks of huge pages, and freed blocks wait here for the next tensor.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <array>
#include <cstddef>
#include <set>
#include <vector>

namespace torch_fl {

/// Not safe for threads: whoever owns it locks.
class Heap {
public:
  /// A piece of a chunk, in use or free. Those of a chunk are in a list by
  /// address.
  struct Block {
    char *data;
    size_t size;
    /// Bytes that the system has given pages for, at most.
    size_t resident;
    /// Bytes that were asked for.
    size_t asked = 0;
    Block *previous = nullptr, *next = nullptr;
    bool isFree = false;
  };

  /// A block of at least `size` bytes, aligned for vectors; null if the system
  /// has no memory.
  Block *take(size_t size);
  /// Keeps the block for later, or returns memory if too much waits.
  void give(Block *block);
  /// Returns what waits to the system, except parts of pages that are in use.
  void clear();
  /// Bytes of blocks, in use or waiting.
  size_t bytes() const { return takenBytes + waitingBytes; }

private:
  struct BySize {
    bool operator()(const Block *a, const Block *b) const {
      return a->size != b->size ? a->size < b->size : a->data < b->data;
    }
  };
  /// 8 for each power of two.
  static constexpr size_t kClasses = 8 * 64;

  static size_t classOf(size_t size);
  Block *find(size_t size);
  Block *takeRecent(size_t size);
  Block *takeBestFit(size_t size);
  bool addChunk(size_t size);
  void mergeRecent();
  Block *mergeWithNeighbours(Block *block);
  void absorbNext(Block *block);
  void dropUntil(size_t limit);
  bool returnPages(Block *block);

  /// By class, the ones freed last at the end: they are in the processor's
  /// caches, if any are. Neighbours are not merged yet.
  std::array<std::vector<Block *>, kClasses> recent;
  /// The other free ones.
  std::set<Block *, BySize> merged;
  size_t takenBytes = 0, waitingBytes = 0;
};

} // namespace torch_fl
