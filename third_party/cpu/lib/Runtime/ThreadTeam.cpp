//===- ThreadTeam.cpp - threads that share one piece of work --------------===//

#include "cpu/Runtime/ThreadTeam.h"
#include "OpenMPTeam.h"
#include "ThreadPool.h"
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <thread>
#ifdef __linux__
#include <sched.h>
#endif

namespace mlir::triton::cpu {
namespace {

constexpr int kMaxThreads = 1024;

// Nanoseconds of work that pay for calling in others: threads that spin and
// take the work at once, threads asleep (on a virtual machine the wake-up alone
// costs the caller 10 us), and OpenMP's, which may be either.
constexpr float kWorthAwake = 4000;
constexpr float kWorthAsleep = 25000;
constexpr float kWorthOpenMP = 8000;

std::atomic<int> chosenThreads{0};
std::atomic<bool> inForkedChild{false};
std::atomic<ThreadPool *> pool{nullptr};

/// The threads of the parent's pool do not exist in the child, and its mutexes
/// are in any state: leak it and start anew when needed.
void afterForkInChild() {
  inForkedChild.store(true, std::memory_order_relaxed);
  pool.store(nullptr, std::memory_order_relaxed);
}

ThreadPool &getPool() {
  ThreadPool *current = pool.load(std::memory_order_acquire);
  if (current)
    return *current;
  auto *created = new ThreadPool();
  if (pool.compare_exchange_strong(current, created, std::memory_order_acq_rel))
    return *created;
  delete created;
  return *current;
}

const OpenMPTeam *getOpenMP() {
  if (inForkedChild.load(std::memory_order_relaxed))
    return nullptr;
  return OpenMPTeam::find();
}

int countProcessors() {
#ifdef __linux__
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
    return std::max(1, CPU_COUNT(&allowed));
#endif
  return std::max(1u, std::thread::hardware_concurrency());
}

/// 0 when the variable is unset or not a positive number; `TRITON_CPU_*` are
/// checked and reported by the Python side.
int readEnvironment() {
  const char *text = std::getenv("TRITON_CPU_NUM_THREADS");
  return text ? std::clamp(std::atoi(text), 0, kMaxThreads) : 0;
}

int chooseThreads(const OpenMPTeam *openMP) {
  if (int chosen = chosenThreads.load(std::memory_order_relaxed))
    return chosen;
  static const int environment = readEnvironment();
  if (environment)
    return environment;
  if (openMP)
    return std::clamp(openMP->getMaxThreads(), 1, kMaxThreads);
  static const int processors = countProcessors();
  return processors;
}

float choosePrice(const OpenMPTeam *openMP) {
  if (openMP)
    return kWorthOpenMP;
  ThreadPool *current = pool.load(std::memory_order_acquire);
  return current && current->isAwake() ? kWorthAwake : kWorthAsleep;
}

} // namespace

TeamState getTeamState() {
  const OpenMPTeam *openMP = getOpenMP();
  return {chooseThreads(openMP), choosePrice(openMP)};
}

void setNumThreads(int count) {
  chosenThreads.store(std::clamp(count, 0, kMaxThreads),
                      std::memory_order_relaxed);
}

void runOnTeam(int threads, TeamUse use, llvm::function_ref<void()> body) {
  if (threads < 2)
    body();
  else if (const OpenMPTeam *team = getOpenMP())
    team->run(threads, body);
  else
    getPool().run(threads, use, body);
}

const char *getTeamKind() { return getOpenMP() ? "openmp" : "pool"; }

void installForkHandler() {
  static std::once_flag once;
  std::call_once(once,
                 [] { pthread_atfork(nullptr, nullptr, &afterForkInChild); });
}

} // namespace mlir::triton::cpu
