//===- native_start.cc - starting a kernel --------------------------------===//

#include "native_function.h"

#include <chrono>

namespace triton::native {

State state;

/// A counter that advances at a constant rate and is cheap to read.
static inline uint64_t ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  return std::chrono::steady_clock::now().time_since_epoch().count();
#endif
}

static uint64_t nanoseconds() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

// When the library was loaded, to learn the rate of `ticks`.
static const uint64_t startTicks = ticks();
static const uint64_t startTime = nanoseconds();

/// Kernels that took fewer ticks than this run with the interpreter locked.
/// Unlocking costs little by itself, but when another thread is waiting, it
/// takes the interpreter for a whole slice of 5 ms.
static uint64_t shortLaunch() {
  constexpr uint64_t limit = 20000;      // ns
  constexpr uint64_t settled = 10000000; // ns until the rate is exact enough
  static uint64_t known = 0;
  if (__builtin_expect(known != 0, 1))
    return known;
  uint64_t elapsed = nanoseconds() - startTime;
  if (elapsed < settled)
    return 0;
  return known = limit * double(ticks() - startTicks) / double(elapsed);
}

const char *start(const TritonDriverAbi &driver, uint64_t function,
                  const uint32_t sizes[3], uint64_t stream,
                  const uint64_t *slots, uint32_t numSlots,
                  const TritonLaunchInfo &info, uint64_t &lastCost) {
  bool keepLock =
      !(info.flags & TRITON_LAUNCH_BLOCKING) && lastCost < shortLaunch();
  const char *error;
  uint64_t before = ticks();
  if (keepLock) {
    error = driver.launch(function, sizes, stream, slots, numSlots, &info);
    lastCost = ticks() - before;
    return error;
  }
  PyThreadState *thread = PyEval_SaveThread();
  error = driver.launch(function, sizes, stream, slots, numSlots, &info);
  uint64_t after = ticks();
  PyEval_RestoreThread(thread);
  lastCost = after - before;
  return error;
}

} // namespace triton::native
