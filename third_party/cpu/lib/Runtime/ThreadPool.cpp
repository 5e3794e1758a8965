//===- ThreadPool.cpp - our own worker threads ----------------------------===//

#include "ThreadPool.h"
#include "Spin.h"
#include <csignal>
#include <pthread.h>
#include <sched.h>

using namespace mlir::triton::cpu;

namespace {

/// About 10 us. Longer spins cost more than a wake-up: on a virtual machine
/// they trap, and elsewhere they take a processor from others.
constexpr int kSpinsBeforeSleep = 200;

/// The caller waits for chunks in flight, which are short. Past this, somebody
/// else needs the processor.
constexpr int kSpinsBeforeYield = 2000;

uint32_t epochOf(uint64_t gate) { return uint32_t(gate >> 32); }

} // namespace

void ThreadPool::run(int threads, TeamUse use,
                     llvm::function_ref<void()> body) {
  std::unique_lock<std::mutex> exclusive(jobMutex, std::defer_lock);
  if (use == TeamUse::Needed)
    exclusive.lock();
  else if (!exclusive.try_lock())
    return body();
  grow(threads - 1);
  job = &body;
  joinLimit.store(threads - 1, std::memory_order_relaxed);
  uint64_t next = uint64_t(epochOf(gate.load(std::memory_order_relaxed)) + 1);
  gate.store(next << 32 | kOpen, std::memory_order_seq_cst);
  // Either this sees the sleeper, or the sleeper sees the new epoch.
  if (sleepers.load(std::memory_order_seq_cst) > 0) {
    {
      std::lock_guard<std::mutex> lock(sleepMutex);
    }
    if (threads > 2)
      wake.notify_all();
    else
      wake.notify_one();
  }
  body();
  gate.fetch_and(~kOpen, std::memory_order_acq_rel);
  awaitWorkers();
}

void ThreadPool::awaitWorkers() {
  for (int spins = 0; gate.load(std::memory_order_acquire) & kInside; ++spins) {
    if (spins < kSpinsBeforeYield)
      pauseProcessor();
    else
      sched_yield();
  }
}

/// Fewer workers than wanted is not an error: the caller does the rest.
void ThreadPool::grow(int count) {
  int running = workers.load(std::memory_order_relaxed);
  if (running >= count)
    return;
  // Signals are for the program's threads.
  sigset_t all, previous;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &previous);
  for (; running < count; ++running) {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, &workerMain, this) != 0)
      break;
    pthread_detach(thread);
  }
  workers.store(running, std::memory_order_relaxed);
  pthread_sigmask(SIG_SETMASK, &previous, nullptr);
}

void *ThreadPool::workerMain(void *self) {
  static_cast<ThreadPool *>(self)->work();
}

void ThreadPool::work() {
  uint32_t seen = 0;
  while (true) {
    seen = awaitJob(seen);
    if (!join(seen))
      continue;
    (*job)();
    gate.fetch_sub(1, std::memory_order_acq_rel);
  }
}

uint32_t ThreadPool::awaitJob(uint32_t seen) {
  auto current = [&] { return epochOf(gate.load(std::memory_order_seq_cst)); };
  for (int spins = 0; spins < kSpinsBeforeSleep; ++spins) {
    if (current() != seen)
      return current();
    pauseProcessor();
  }
  std::unique_lock<std::mutex> lock(sleepMutex);
  sleepers.fetch_add(1, std::memory_order_seq_cst);
  wake.wait(lock, [&] { return current() != seen; });
  sleepers.fetch_sub(1, std::memory_order_relaxed);
  return current();
}

bool ThreadPool::join(uint32_t epoch) {
  uint64_t value = gate.load(std::memory_order_acquire);
  while (epochOf(value) == epoch && (value & kOpen) &&
         (value & kInside) < joinLimit.load(std::memory_order_relaxed))
    if (gate.compare_exchange_weak(value, value + 1, std::memory_order_acq_rel,
                                   std::memory_order_acquire))
      return true;
  return false;
}
