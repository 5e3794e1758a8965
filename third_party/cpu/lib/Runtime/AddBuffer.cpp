//===- AddBuffer.cpp - additions that are collected -----------------------===//

#include "cpu/Runtime/AddBuffer.h"
#include <algorithm>
#include <cstring>
#include <type_traits>

using namespace mlir::triton::cpu;

namespace {

constexpr uint64_t kLineBytes = 64;
/// With their tags half of a first-level cache.
constexpr uint32_t kNumLines = 256;
/// After so many lanes it is decided whether collecting is worth it, and if
/// not, so many are done at once before it is tried again.
constexpr uint32_t kWindow = 1024, kPause = 16384;

template <typename T> constexpr AddKind kindOf() {
  if constexpr (std::is_same_v<T, int32_t>)
    return kAddInt32;
  else if constexpr (std::is_same_v<T, int64_t>)
    return kAddInt64;
  else if constexpr (std::is_same_v<T, float>)
    return kAddFloat32;
  else
    return kAddFloat64;
}

/// Changes nothing when it is added: -0.0 for floats, which 0.0 is not.
template <typename T> constexpr T neutral() {
  return std::is_floating_point_v<T> ? T(-0.0) : T(0);
}

template <typename T> bool isNeutral(T value) {
  T none = neutral<T>();
  return std::memcmp(&value, &none, sizeof(T)) == 0;
}

template <typename T> void addAtomically(T *place, T value) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>; // wraps
    __atomic_fetch_add(reinterpret_cast<Unsigned *>(place), Unsigned(value),
                       __ATOMIC_ACQ_REL);
  } else {
    using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    auto *bits = reinterpret_cast<Bits *>(place);
    Bits old = __atomic_load_n(bits, __ATOMIC_RELAXED), sum;
    do {
      T before;
      std::memcpy(&before, &old, sizeof(T));
      T after = before + value;
      std::memcpy(&sum, &after, sizeof(T));
    } while (!__atomic_compare_exchange_n(bits, &old, sum, /*weak=*/true,
                                          __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
  }
}

template <typename T> T plus(T x, T y) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return T(Unsigned(x) + Unsigned(y));
  } else {
    return x + y;
  }
}

/// What one thread has collected: lines of memory, each in the one slot that
/// its address has.
class Buffer {
public:
  /// Not inlined: where the compiler knows that the buffer is thread-local, it
  /// asks for its address at every element.
  template <typename T>
  __attribute__((noinline)) void
  addLanes(uint32_t width, const uint64_t *addresses, uint64_t first,
           const T *values, uint64_t mask) {
    if (paused > 0) {
      paused -= std::min(width, paused);
      forLanes<T>(width, addresses, first, mask, [&](uint64_t at, uint32_t l) {
        addAtomically(reinterpret_cast<T *>(at), values[l]);
      });
      return;
    }
    if (!addresses && first % sizeof(T) == 0)
      addRun(width, first, values, mask);
    else
      forLanes<T>(width, addresses, first, mask,
                  [&](uint64_t at, uint32_t l) { addOne(at, values[l]); });
    lookups += width;
    if (lookups >= kWindow)
      judge();
  }

  void flush() {
    for (uint32_t i = 0; i < numUsed; ++i) {
      empty(used[i]);
      isListed[used[i]] = false;
    }
    numUsed = 0;
  }

private:
  template <typename T, typename Action>
  static void forLanes(uint32_t width, const uint64_t *addresses,
                       uint64_t first, uint64_t mask, Action action) {
    for (uint32_t l = 0; l < width; ++l)
      if (mask >> l & 1)
        action(addresses ? addresses[l] : first + l * sizeof(T), l);
  }

  template <typename T> void addOne(uint64_t at, T value) {
    if (__builtin_expect(at % sizeof(T) != 0, 0))
      return addAtomically(reinterpret_cast<T *>(at), value);
    T &sum = lineOf<T>(at / kLineBytes)[at % kLineBytes / sizeof(T)];
    sum = plus(sum, value);
  }

  /// Neighbours, a line at a time.
  template <typename T>
  void addRun(uint32_t width, uint64_t first, const T *values, uint64_t mask) {
    for (uint32_t l = 0; l < width;) {
      uint64_t at = first + l * sizeof(T);
      uint32_t place = uint32_t(at % kLineBytes / sizeof(T));
      uint32_t count =
          std::min(uint32_t(kLineBytes / sizeof(T)) - place, width - l);
      uint64_t wanted = ((uint64_t(1) << count) - 1) << l; // count <= 16
      if (mask & wanted) {
        T *sums = lineOf<T>(at / kLineBytes) + place;
        if ((mask & wanted) == wanted)
          for (uint32_t i = 0; i < count; ++i)
            sums[i] = plus(sums[i], values[l + i]);
        else
          for (uint32_t i = 0; i < count; ++i)
            if (mask >> (l + i) & 1)
              sums[i] = plus(sums[i], values[l + i]);
      }
      l += count;
    }
  }

  /// The sums of a line, in its slot.
  template <typename T> T *lineOf(uint64_t line) {
    uint32_t index = uint32_t((line ^ line >> 8) % kNumLines);
    uint64_t tag = line << 2 | kindOf<T>();
    T *sums = reinterpret_cast<T *>(data[index]);
    if (__builtin_expect(tags[index] != tag, 0))
      claim<T>(index, tag);
    return sums;
  }

  template <typename T>
  __attribute__((noinline)) void claim(uint32_t index, uint64_t tag) {
    ++misses;
    empty(index);
    if (!isListed[index]) {
      isListed[index] = true;
      used[numUsed++] = uint16_t(index);
    }
    tags[index] = tag;
    T *sums = reinterpret_cast<T *>(data[index]);
    std::fill_n(sums, kLineBytes / sizeof(T), neutral<T>());
  }

  template <typename T> void addLine(uint32_t index) {
    auto *place = reinterpret_cast<T *>((tags[index] >> 2) * kLineBytes);
    auto *sums = reinterpret_cast<T *>(data[index]);
    for (uint32_t i = 0; i < kLineBytes / sizeof(T); ++i)
      if (!isNeutral(sums[i])) // the rest of the line is not ours to touch
        addAtomically(place + i, sums[i]);
  }

  void empty(uint32_t index) {
    if (tags[index] == 0)
      return;
    switch (tags[index] & 3) {
    case kAddInt32:
      addLine<int32_t>(index);
      break;
    case kAddInt64:
      addLine<int64_t>(index);
      break;
    case kAddFloat32:
      addLine<float>(index);
      break;
    case kAddFloat64:
      addLine<double>(index);
      break;
    }
    tags[index] = 0;
  }

  /// Lines that are hardly ever met again are better not collected.
  void judge() {
    if (misses > lookups / 2) {
      flush();
      paused = kPause;
    }
    lookups = misses = 0;
  }

  alignas(kLineBytes) unsigned char data[kNumLines][kLineBytes];
  uint64_t tags[kNumLines] = {}; ///< line of memory and kind; 0: free
  bool isListed[kNumLines] = {};
  uint16_t used[kNumLines];
  uint32_t numUsed = 0;
  uint32_t lookups = 0, misses = 0, paused = 0; ///< in lanes
};

/// Made by the thread's first addition, kept until the thread ends.
Buffer &threadBuffer() {
  thread_local Buffer buffer;
  return buffer;
}

} // namespace

void triton_cpu_add_later(uint32_t kind, uint32_t width,
                          const uint64_t *addresses, uint64_t first,
                          const void *values, uint64_t mask) {
  Buffer &buffer = threadBuffer();
  auto add = [&](auto *typed) {
    buffer.addLanes(width, addresses, first, typed, mask);
  };
  switch (kind) {
  case kAddInt32:
    return add(static_cast<const int32_t *>(values));
  case kAddInt64:
    return add(static_cast<const int64_t *>(values));
  case kAddFloat32:
    return add(static_cast<const float *>(values));
  case kAddFloat64:
    return add(static_cast<const double *>(values));
  }
}

void triton_cpu_add_now() { threadBuffer().flush(); }
