//===- ThreadPool.h - our own worker threads --------------------*- C++ -*-===//

#ifndef TRITON_CPU_LIB_RUNTIME_THREADPOOL_H
#define TRITON_CPU_LIB_RUNTIME_THREADPOOL_H

#include "cpu/Runtime/ThreadTeam.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace mlir::triton::cpu {

/// Workers that wait for one job at a time. A job is open while the caller
/// runs it itself; workers that wake up meanwhile join, workers that wake up
/// later have missed it. So the caller never waits for a sleeping worker.
///
/// A pool is never destroyed: its workers may be asleep in it at exit.
class ThreadPool {
public:
  /// Runs `body` on the caller and at most `threads - 1` workers. When another
  /// thread's job occupies the pool and workers are only useful, the caller
  /// runs it alone.
  void run(int threads, TeamUse use, llvm::function_ref<void()> body);

  /// Whether some worker would take a job without being woken up. A hint.
  bool isAwake() const {
    return sleepers.load(std::memory_order_relaxed) <
           workers.load(std::memory_order_relaxed);
  }

private:
  void grow(int count);
  static void *workerMain(void *self);
  [[noreturn]] void work();
  uint32_t awaitJob(uint32_t seen);
  bool join(uint32_t epoch);
  void awaitWorkers();

  // `gate` holds epoch << 32 | open bit | number of workers inside.
  static constexpr uint64_t kOpen = uint64_t(1) << 31;
  static constexpr uint64_t kInside = kOpen - 1;

  alignas(64) std::atomic<uint64_t> gate{0};
  /// The open job. Written while the gate is closed and nobody is inside.
  llvm::function_ref<void()> *job = nullptr;
  /// Read before joining, so possibly that of a later job; joining then fails.
  std::atomic<uint64_t> joinLimit{0};

  alignas(64) std::atomic<int> sleepers{0};
  std::mutex sleepMutex;
  std::condition_variable wake;

  std::mutex jobMutex;
  std::atomic<int> workers{0};
};

} // namespace mlir::triton::cpu

#endif // TRITON_CPU_LIB_RUNTIME_THREADPOOL_H
