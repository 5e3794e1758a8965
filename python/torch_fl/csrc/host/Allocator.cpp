//===- Allocator.cpp - memory of flagos on the host -----------------------===//
#include "Heap.h"
#include "HostParts.h"

#include <c10/util/Exception.h>

#include <cstring>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <unistd.h>

using c10::CachingDeviceAllocator::DeviceStats;

namespace torch_fl {
namespace {

constexpr auto kAll =
    static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE);
const c10::Device kDevice = flagosDevice();

void deleteBlock(void *context);
void deleteAdopted(void *context);

/// Memory that a CPU operator made, counted as the device's while it lives.
struct Adopted {
  size_t size;
  c10::Storage host;
};

class HostMemoryAllocator final : public c10::DeviceAllocator {
public:
  c10::DataPtr allocate(size_t size) override {
    if (size == 0)
      return {nullptr, kDevice};
    if (Heap::Block *block = take(size))
      return {block->data, block, &deleteBlock, kDevice};
    reportNoMemory(size);
  }

  c10::DataPtr adopt(const c10::Storage &host) {
    auto *adopted = new Adopted{host.nbytes(), host};
    std::lock_guard<std::mutex> lock(mutex);
    adoptedBytes += adopted->size;
    count(adopted->size);
    return {host.mutable_data(), adopted, &deleteAdopted, kDevice};
  }

  void release(Heap::Block *block) {
    std::lock_guard<std::mutex> lock(mutex);
    size_t size = block->asked;
    heap.give(block);
    uncount(size);
  }

  void release(const Adopted &adopted) {
    std::lock_guard<std::mutex> lock(mutex);
    adoptedBytes -= adopted.size;
    uncount(adopted.size);
  }

  /// Around a fork: another thread must not hold the lock, which nobody would
  /// give back in the child.
  void lock() { mutex.lock(); }
  void unlock() { mutex.unlock(); }

  void copy_data(void *target, const void *source, size_t size) const override {
    std::memcpy(target, source, size);
  }
  c10::DeleterFnPtr raw_deleter() const override {
    return nullptr;
  } // the pointer alone does not tell the block

  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t) override {
    std::lock_guard<std::mutex> lock(mutex);
    heap.clear();
    updateReserved();
  }
  void recordStream(const c10::DataPtr &, c10::Stream) override {}

  DeviceStats getDeviceStats(c10::DeviceIndex) override {
    std::lock_guard<std::mutex> lock(mutex);
    return stats;
  }
  void resetAccumulatedStats(c10::DeviceIndex) override {
    std::lock_guard<std::mutex> lock(mutex);
    forEachStat(
        [](c10::CachingAllocator::Stat &stat) { stat.reset_accumulated(); });
    stats.num_ooms = 0;
  }
  void resetPeakStats(c10::DeviceIndex) override {
    std::lock_guard<std::mutex> lock(mutex);
    forEachStat([](c10::CachingAllocator::Stat &stat) { stat.reset_peak(); });
  }
  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex) override {
    auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return {page * static_cast<size_t>(sysconf(_SC_AVPHYS_PAGES)),
            page * static_cast<size_t>(sysconf(_SC_PHYS_PAGES))};
  }

private:
  Heap::Block *take(size_t size) {
    std::lock_guard<std::mutex> lock(mutex);
    Heap::Block *block = heap.take(size);
    if (block)
      count(size);
    return block;
  }

  [[noreturn]] void reportNoMemory(size_t size) {
    DeviceStats now;
    {
      std::lock_guard<std::mutex> lock(mutex);
      stats.num_ooms += 1;
      now = stats;
    }
    TORCH_CHECK_WITH(
        OutOfMemoryError, false,
        "flagos:0 is out of memory: tried to allocate ", size, " bytes; ",
        now.allocated_bytes[kAll].current, " bytes are allocated, ",
        getMemoryInfo(0).first,
        " bytes of the host are free. Release tensors or use smaller ones");
  }

  void count(size_t size) {
    stats.allocation[kAll].increase(1);
    stats.active[kAll].increase(1);
    stats.num_device_alloc += 1;
    for (auto *sum : sums())
      (*sum)[kAll].increase(size);
    updateReserved();
  }

  void uncount(size_t size) {
    stats.allocation[kAll].decrease(1);
    stats.active[kAll].decrease(1);
    stats.num_device_free += 1;
    for (auto *sum : sums())
      (*sum)[kAll].decrease(size);
    updateReserved();
  }

  /// What is allocated, active and requested is the same.
  std::array<c10::CachingAllocator::StatArray *, 3> sums() {
    return {&stats.allocated_bytes, &stats.active_bytes,
            &stats.requested_bytes};
  }

  /// Reserved is also what waits to be used again.
  void updateReserved() {
    auto now = static_cast<int64_t>(adoptedBytes + heap.bytes());
    auto &reserved = stats.reserved_bytes[kAll];
    if (now >= reserved.current)
      reserved.increase(now - reserved.current);
    else
      reserved.decrease(reserved.current - now);
  }

  template <typename Function> void forEachStat(Function function) {
    function(stats.allocation[kAll]);
    function(stats.active[kAll]);
    for (auto *sum : sums())
      function((*sum)[kAll]);
    function(stats.reserved_bytes[kAll]);
  }

  std::mutex mutex;
  DeviceStats stats;
  Heap heap;
  size_t adoptedBytes = 0;
};

/// Never destroyed: tensors may outlive everything else of the process.
HostMemoryAllocator &allocator() {
  static auto *instance = new HostMemoryAllocator;
  static const int registered =
      pthread_atfork([] { instance->lock(); }, [] { instance->unlock(); },
                     [] { instance->unlock(); });
  TORCH_INTERNAL_ASSERT(registered == 0, "no memory for a handler of forks");
  return *instance;
}

void deleteBlock(void *context) {
  allocator().release(static_cast<Heap::Block *>(context));
}

/// Its memory is released without a lock: that may release more of flagos'.
void deleteAdopted(void *context) {
  std::unique_ptr<Adopted> adopted(static_cast<Adopted *>(context));
  allocator().release(*adopted);
}

} // namespace

c10::DeviceAllocator *hostAllocator() { return &allocator(); }

c10::DataPtr adoptHostMemory(const c10::Storage &host) {
  if (host.nbytes() == 0)
    return {nullptr, kDevice};
  return allocator().adopt(host);
}

} // namespace torch_fl
