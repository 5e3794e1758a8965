//===- Heap.cpp - memory of flagos in huge pages --------------------------===//
#include "Heap.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <sys/mman.h>
#include <unistd.h>

namespace torch_fl {
namespace {

constexpr size_t kLine = 64;
constexpr size_t kHugePage = size_t(2) << 20;
/// Address space; a page of it is memory once it is used.
constexpr size_t kChunk = size_t(32) << 20;

size_t roundedUp(size_t value, size_t step) {
  return (value + step - 1) / step * step;
}

/// Up to the next eighth of a power of two: sizes that differ a little, such as
/// those of the last batch, share blocks. One line more, so that tensors of
/// 4 KB and its multiples do not all begin at the same line of the first cache.
size_t blockSize(size_t size) {
  size_t step = kLine;
  while (step * 16 <= size)
    step *= 2;
  return roundedUp(size, step) + kLine;
}

/// The host needs its memory for other things, too: an eighth of it.
size_t mostWaiting() {
  static const size_t limit = static_cast<size_t>(sysconf(_SC_PAGESIZE)) *
                              static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) / 8;
  return limit;
}

/// `size` bytes of fresh memory at a multiple of a huge page; null if there are
/// none. Where the system has no huge pages, they are small.
char *mapped(size_t size) {
  void *map = mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED)
    return nullptr;
  auto *begin = static_cast<char *>(map);
  size_t before = roundedUp(reinterpret_cast<uintptr_t>(begin), kHugePage) -
                  reinterpret_cast<uintptr_t>(begin);
  if (before)
    munmap(begin, before);
  char *data = begin + before;
  munmap(data + size, kHugePage - before);
#ifdef MADV_HUGEPAGE
  madvise(data, size, MADV_HUGEPAGE);
#endif
  return data;
}

} // namespace

/// Blocks of a class have at least the size that begins it.
size_t Heap::classOf(size_t size) {
  size_t lines = size / kLine, power = 0;
  while ((lines >> power) >= 16)
    ++power;
  return power * 8 + (lines >> power);
}

Heap::Block *Heap::take(size_t size) {
  size_t needed = blockSize(size);
  Block *block = needed < size ? nullptr : find(needed);
  if (block) {
    takenBytes += block->size;
    block->asked = size;
  }
  return block;
}

Heap::Block *Heap::find(size_t size) {
  if (Block *block = takeRecent(size))
    return block;
  mergeRecent();
  if (Block *block = takeBestFit(size))
    return block;
  if (!addChunk(size)) {
    clear();
    if (!addChunk(size))
      return nullptr;
  }
  return takeBestFit(size);
}

void Heap::give(Block *block) {
  block->resident = block->size;
  takenBytes -= block->size;
  waitingBytes += block->resident;
  recent[classOf(block->size)].push_back(block);
  if (waitingBytes > mostWaiting()) {
    mergeRecent();
    dropUntil(mostWaiting() / 8 * 7);
  }
}

void Heap::clear() {
  mergeRecent();
  dropUntil(0);
}

Heap::Block *Heap::takeRecent(size_t size) {
  auto &same = recent[classOf(size)];
  if (same.empty() || same.back()->size < size)
    return nullptr;
  Block *block = same.back();
  same.pop_back();
  waitingBytes -= block->resident;
  return block;
}

Heap::Block *Heap::takeBestFit(size_t size) {
  Block key{nullptr, size, 0, 0, nullptr, nullptr, false};
  auto found = merged.lower_bound(&key);
  if (found == merged.end())
    return nullptr;
  Block *block = *found;
  merged.erase(found);
  block->isFree = false;
  waitingBytes -= block->resident;
  if (block->size == size)
    return block;

  // The rest stays free. Pages are used from the front, so what has none yet is
  // at the end.
  size_t left = block->resident - std::min(block->resident, size);
  auto *rest = new Block{block->data + size,
                         block->size - size,
                         left,
                         0,
                         block,
                         block->next,
                         true};
  if (rest->next)
    rest->next->previous = rest;
  block->next = rest;
  block->size = size;
  waitingBytes += left;
  merged.insert(rest);
  return block;
}

bool Heap::addChunk(size_t size) {
  size_t bytes = std::max(kChunk, roundedUp(size, kHugePage));
  char *data = bytes < size ? nullptr : mapped(bytes);
  if (!data)
    return false;
  merged.insert(new Block{data, bytes, 0, 0, nullptr, nullptr, true});
  return true;
}

void Heap::mergeRecent() {
  for (auto &same : recent) {
    for (Block *block : same)
      merged.insert(mergeWithNeighbours(block));
    same.clear();
  }
}

/// The free block that `block` becomes a part of, not in `merged`.
Heap::Block *Heap::mergeWithNeighbours(Block *block) {
  block->isFree = true;
  if (block->next && block->next->isFree)
    absorbNext(block);
  Block *before = block->previous;
  if (!before || !before->isFree)
    return block;
  merged.erase(before);
  absorbNext(before);
  return before;
}

void Heap::absorbNext(Block *block) {
  std::unique_ptr<Block> next(block->next);
  merged.erase(next.get());
  block->size += next->size;
  block->resident += next->resident;
  block->next = next->next;
  if (block->next)
    block->next->previous = block;
}

/// The largest first: few calls return much.
void Heap::dropUntil(size_t limit) {
  for (auto next = merged.end();
       waitingBytes > limit && next != merged.begin();) {
    auto current = std::prev(next);
    if (returnPages(*current))
      next = merged.erase(current);
    else
      next = current;
  }
}

/// Whether nothing is left of the block: it was a whole chunk.
bool Heap::returnPages(Block *block) {
  size_t before = block->resident;
  if (!block->previous && !block->next) {
    waitingBytes -= before;
    munmap(block->data, block->size);
    delete block;
    return true;
  }
  auto address = reinterpret_cast<uintptr_t>(block->data);
  size_t first = roundedUp(address, kHugePage) - address;
  size_t last = (address + block->size) / kHugePage * kHugePage - address;
  if (first >= last || last > block->size)
    return false;
  madvise(block->data + first, last - first, MADV_DONTNEED);
  block->resident = std::min(before, block->size - (last - first));
  waitingBytes -= before - block->resident;
  return false;
}

} // namespace torch_fl
