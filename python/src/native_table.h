//===- native_table.h - compiled kernels by key -----------------*- C++ -*-===//

#ifndef TRITON_PYTHON_NATIVE_TABLE_H
#define TRITON_PYTHON_NATIVE_TABLE_H

#include "native_classify.h"
#include <cstring>
#include <vector>

namespace triton::native {

/// The hash of a key of `size` words.
inline uint64_t hashWords(const uint64_t *words, unsigned size) {
  uint64_t hash = size;
  for (unsigned i = 0; i != size; ++i) {
    hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  }
  return hash;
}

/// The key of a launch: codes, payloads, options, knobs. Built on the stack.
struct Key {
  static constexpr unsigned maxWords =
      maxLeaves / 8 + 1 + maxLeaves + 2 * maxOptions + 1;
  unsigned size = 0;
  uint64_t words[maxWords];

  void add(uint64_t word) { words[size++] = word; }
  void addArguments(const Arguments &args) {
    unsigned numWords = (args.numCodes + 7) / 8;
    if (numWords) {
      words[numWords - 1] = 0; // the padding
      std::memcpy(words, args.codes, args.numCodes);
    }
    size = numWords;
    for (unsigned i = 0; i != args.numPayloads; ++i)
      add(args.payloads[i]);
  }
  uint64_t hash() const { return hashWords(words, size); }
};

/// A kernel in the table.
struct Entry {
  std::vector<uint64_t> key;
  uint64_t hash;
  PyObject *kernel; // strong CompiledKernel
  uint64_t function;
  TritonLaunchInfo info;
  /// Bit `i` is set if the kernel may write through slot `i`.
  uint64_t written;
  /// Duration of the last launch in nanoseconds, while it was measured.
  uint64_t lastCost = ~uint64_t(0);
  /// Launches that are under way, plus one while it is in the table.
  unsigned references = 1;

  bool matches(const Key &other) const {
    return key.size() == other.size &&
           std::memcmp(key.data(), other.words, other.size * 8) == 0;
  }
  void release() {
    if (--references == 0) {
      PyObject *held = kernel;
      delete this;
      Py_DECREF(held);
    }
  }
};

/// Entries for one device.
class Table {
public:
  Entry *find(const Key &key) {
    if (__builtin_expect(last && last->matches(key), 1))
      return last;
    return findHashed(key);
  }
  /// Adds `entry` unless its key is there; returns the one that is.
  Entry *insert(Entry *entry);
  void clear();
  size_t size() const { return count; }
  template <typename F> int visit(F &&function) const {
    for (Entry *entry : slots)
      if (entry)
        if (int result = function(entry->kernel))
          return result;
    return 0;
  }

private:
  Entry *findHashed(const Key &key);
  void grow();

  std::vector<Entry *> slots; // open addressing, a power of two in size
  size_t count = 0;
  Entry *last = nullptr;
};

} // namespace triton::native

#endif // TRITON_PYTHON_NATIVE_TABLE_H
