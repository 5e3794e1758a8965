//===- Launch.cpp - run the programs of a grid ----------------------------===//

#include "cpu/Runtime/Launch.h"
#include "CostTable.h"
#include "cpu/Runtime/DeviceHelpers.h"
#include "cpu/Runtime/Sanitizer.h"
#include "cpu/Runtime/Scratch.h"
#include "cpu/Runtime/ThreadTeam.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>

namespace mlir::triton::cpu {
namespace {

/// While running alone: look at the clock that long before calling the team in.
/// Less would mistake the cold start of the first program for its cost.
constexpr float kAloneAtLeast = 4000;

/// Programs are handed out in chunks of at least this many nanoseconds.
constexpr float kShortestChunk = 2000;

CostTable costs;

class Stopwatch {
public:
  float nanoseconds() const {
    return std::chrono::duration<float, std::nano>(Clock::now() - start)
        .count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
};

/// One launch: what to run, and how far it has come.
class Launch {
public:
  Launch(KernelFunction function, const uint64_t *slots, const uint32_t *grid,
         int64_t total, const TritonLaunchInfo &info)
      : function(function), slots(slots), grid(grid), total(total), info(info),
        checked(takeArmedLaunch()) {}

  /// Runs everything on this thread.
  void runAlone() {
    Reporting reporting(report);
    if (void *memory = scratch())
      runPrograms(0, total, memory);
  }

  /// Runs on this thread, and calls in the team when that takes long.
  void run(const TeamState &team) {
    // Programs that wait for each other make progress only together.
    if ((info.flags & TRITON_LAUNCH_BLOCKING) && total <= team.threads)
      return runOnTeam(int(total), TeamUse::Needed, [this] { takeChunks(); });

    float perProgram = costs.get(key());
    if (perProgram >= 0 && perProgram * total < team.worthSharing)
      perProgram = runWhileCheap(team.worthSharing);
    if (next.load(std::memory_order_relaxed) < total)
      share(team.threads, perProgram);
  }

  const char *finish() {
    if (report.printed.load(std::memory_order_relaxed))
      std::fflush(stdout);
    if (outOfMemory.load(std::memory_order_relaxed))
      return "out of memory: the working memory of the kernel does not fit";
    if (checked && checked->hasStopped()) {
      setViolation(checked->violation());
      return "an access to memory was out of range";
    }
    if (!report.failed.load(std::memory_order_acquire))
      return nullptr;
    thread_local char message[LaunchReport::kMessageSize];
    std::memcpy(message, report.message, sizeof(message));
    return message;
  }

private:
  /// Sends messages of helpers called on this thread to the launch.
  struct Reporting {
    explicit Reporting(LaunchReport &report)
        : previous(exchangeLaunchReport(&report)) {}
    ~Reporting() { exchangeLaunchReport(previous); }
    LaunchReport *previous;
  };

  /// Checked programs run one by one: one that is stopped ends the launch.
  void runPrograms(int64_t begin, int64_t end, void *memory) {
    if (!checked)
      return function(slots, grid, begin, end, memory);
    for (int64_t p = begin; p < end; ++p)
      if (!checked->runProgram(function, slots, grid, p, memory))
        return next.store(total, std::memory_order_relaxed);
  }

  uint64_t key() const { return reinterpret_cast<uint64_t>(function); }

  void *scratch() {
    if (info.shared == 0)
      return this; // never looked at
    void *memory = getScratch(info.shared);
    if (!memory)
      outOfMemory.store(true, std::memory_order_relaxed);
    return memory;
  }

  /// Growing batches until all is done or what is left is worth sharing.
  /// Returns the measured cost of a program.
  float runWhileCheap(float worthSharing) {
    Reporting reporting(report);
    void *memory = scratch();
    if (!memory) {
      next.store(total, std::memory_order_relaxed);
      return -1;
    }
    Stopwatch watch;
    float perProgram = 0;
    for (int64_t done = 0, batch = 1; done < total; batch *= 2) {
      int64_t end = std::min(total, done + batch);
      runPrograms(done, end, memory);
      done = checked && checked->hasStopped() ? total : end;
      next.store(done, std::memory_order_relaxed);
      float elapsed = watch.nanoseconds();
      perProgram = elapsed / done;
      if (elapsed > kAloneAtLeast && perProgram * (total - done) > worthSharing)
        break;
    }
    costs.set(key(), perProgram);
    return perProgram;
  }

  void share(int threads, float perProgram) {
    int64_t left = total - next.load(std::memory_order_relaxed);
    sharers = int(std::min<int64_t>(threads, left));
    if (perProgram > 0)
      smallestChunk = std::clamp<int64_t>(int64_t(kShortestChunk / perProgram),
                                          1, left / sharers);
    runOnTeam(sharers, TeamUse::Useful, [this] { takeChunks(); });
  }

  /// The share of one thread of the team.
  void takeChunks() {
    Reporting reporting(report);
    void *memory = scratch();
    if (!memory)
      return;
    Stopwatch watch;
    int64_t done = 0;
    int64_t begin, end;
    while (takeChunk(begin, end)) {
      runPrograms(begin, end, memory);
      done += end - begin;
    }
    if (done > 0)
      costs.set(key(), watch.nanoseconds() / done);
  }

  /// Chunks shrink towards the end, so that threads finish together.
  bool takeChunk(int64_t &begin, int64_t &end) {
    begin = next.load(std::memory_order_relaxed);
    do {
      if (begin >= total)
        return false;
      int64_t chunk = (total - begin) / (int64_t(sharers) * 4);
      end = std::min(total, begin + std::max(smallestChunk, chunk));
    } while (
        !next.compare_exchange_weak(begin, end, std::memory_order_relaxed));
    return true;
  }

  KernelFunction function;
  const uint64_t *slots;
  const uint32_t *grid;
  int64_t total;
  const TritonLaunchInfo &info;
  int sharers = 1;
  int64_t smallestChunk = 1;
  std::atomic<int64_t> next{0};
  std::atomic<bool> outOfMemory{false};
  std::unique_ptr<CheckedLaunch> checked; ///< null for ordinary kernels
  LaunchReport report;
};

/// The number of programs, or -1 when it does not fit.
int64_t countPrograms(const uint32_t grid[3]) {
  uint64_t plane = uint64_t(grid[0]) * grid[1];
  uint64_t total;
  if (__builtin_mul_overflow(plane, uint64_t(grid[2]), &total) ||
      total > uint64_t(std::numeric_limits<int64_t>::max() / 2))
    return -1;
  return int64_t(total);
}

const char *launch(uint64_t function, const uint32_t grid[3], uint64_t,
                   const uint64_t *slots, uint32_t,
                   const TritonLaunchInfo *info) {
  int64_t total = countPrograms(grid);
  if (total <= 0)
    return total == 0 ? nullptr : "the grid has more than 2^62 programs";
  Launch run(reinterpret_cast<KernelFunction>(function), slots, grid, total,
             *info);
  TeamState team = total == 1 ? TeamState{1, 0} : getTeamState();
  if (team.threads == 1)
    run.runAlone();
  else
    run.run(team);
  return run.finish();
}

int currentDevice() { return 0; }

uint64_t currentStream(int) { return 0; }

} // namespace

const TritonDriverAbi *getDriverAbi() {
  static const TritonDriverAbi abi = {TRITON_DRIVER_ABI_VERSION, &currentDevice,
                                      &currentStream, &launch};
  return &abi;
}

void forgetLaunchCost(uint64_t function) { costs.forget(function); }

} // namespace mlir::triton::cpu
