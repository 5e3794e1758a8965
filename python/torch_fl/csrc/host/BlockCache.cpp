//===- BlockCache.cpp - freed memory that is used again -------------------===//
#include "BlockCache.h"

#include <c10/core/impl/alloc_cpu.h>
#include <c10/util/Exception.h>

#include <cstdint>
#include <sys/mman.h>
#include <unistd.h>

namespace torch_fl {
namespace {

/// Smaller blocks are left to the C library, which does not return them to the
/// system at once.
constexpr size_t kSmallestKept = size_t(64) << 10;
constexpr size_t kHugePage = size_t(2) << 20;

/// The host needs its memory for other things, too: an eighth of it.
size_t mostKept() {
  static const size_t limit = static_cast<size_t>(sysconf(_SC_PAGESIZE)) *
                              static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) / 8;
  return limit;
}

/// One page fault for what would be 512. Where the system says no, pages are
/// small.
void wantHugePages(void *data, size_t size) {
#ifdef MADV_HUGEPAGE
  auto begin = reinterpret_cast<uintptr_t>(data);
  auto first = (begin + kHugePage - 1) / kHugePage * kHugePage;
  auto last = (begin + size) / kHugePage * kHugePage;
  if (first < last)
    madvise(reinterpret_cast<void *>(first), last - first, MADV_HUGEPAGE);
#endif
}

} // namespace

/// Up to the next eighth of a power of two: at most 12.5 % are lost, and sizes
/// that differ a little, such as those of the last batch, share blocks.
size_t BlockCache::roundedSize(size_t size) {
  if (size < kSmallestKept)
    return size;
  size_t step = kSmallestKept / 8;
  while (step * 16 <= size)
    step *= 2;
  return (size + step - 1) / step * step;
}

void *BlockCache::take(size_t size) {
  if (size < kSmallestKept)
    return c10::alloc_cpu(size);
  size_t rounded = roundedSize(size);
  if (void *data = find(rounded))
    return data;
  void *data;
  try {
    data = c10::alloc_cpu(rounded);
  } catch (const c10::Error &) {
    clear();
    data = c10::alloc_cpu(rounded);
  }
  if (rounded >= kHugePage)
    wantHugePages(data, rounded);
  return data;
}

void BlockCache::give(void *data, size_t size) {
  if (size < kSmallestKept)
    return c10::free_cpu(data);
  size_t rounded = roundedSize(size);
  std::vector<void *> dropped;
  {
    std::lock_guard<std::mutex> lock(mutex);
    bySize[rounded].push_back(waiting.insert(waiting.end(), {data, rounded}));
    total += rounded;
    dropped = dropOldest(mostKept());
  }
  for (void *block : dropped)
    c10::free_cpu(block);
}

void BlockCache::clear() {
  std::vector<void *> dropped;
  {
    std::lock_guard<std::mutex> lock(mutex);
    dropped = dropOldest(0);
  }
  for (void *block : dropped)
    c10::free_cpu(block);
}

/// The one that was freed last: it is in the processor's caches, if any is.
void *BlockCache::find(size_t size) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = bySize.find(size);
  if (found == bySize.end() || found->second.empty())
    return nullptr;
  auto entry = found->second.back();
  found->second.pop_back();
  void *data = entry->data;
  total -= size;
  waiting.erase(entry);
  return data;
}

std::vector<void *> BlockCache::dropOldest(size_t limit) {
  std::vector<void *> dropped;
  while (total > limit) {
    auto oldest = waiting.begin();
    auto &same = bySize[oldest->size];
    for (auto entry = same.begin(); entry != same.end(); ++entry)
      if (*entry == oldest) {
        same.erase(entry);
        break;
      }
    dropped.push_back(oldest->data);
    total -= oldest->size;
    waiting.erase(oldest);
  }
  return dropped;
}

} // namespace torch_fl
