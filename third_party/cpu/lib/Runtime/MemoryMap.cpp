//===- MemoryMap.cpp - memory of this process -----------------------------===//

#include "MemoryMap.h"
#include <cinttypes>
#include <cstdio>
#include <mutex>
#include <vector>

namespace mlir::triton::cpu {
namespace {

struct Region {
  uint64_t begin, end;
  bool read, write;
};

/// The regions of the process by address; empty where the system has no list.
std::vector<Region> readRegions() {
  std::vector<Region> regions;
#ifdef __linux__
  std::FILE *file = std::fopen("/proc/self/maps", "re");
  if (!file)
    return regions;
  char line[512];
  bool atStart = true; // of a line: long paths come in several pieces
  while (std::fgets(line, sizeof(line), file)) {
    Region region;
    char rights[5];
    if (atStart && std::sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s",
                               &region.begin, &region.end, rights) == 3) {
      region.read = rights[0] == 'r';
      region.write = rights[1] == 'w';
      regions.push_back(region);
    }
    atStart = false;
    for (const char *c = line; *c; ++c)
      atStart |= *c == '\n';
  }
  std::fclose(file);
#endif
  return regions;
}

bool covers(const std::vector<Region> &regions, uint64_t address,
            uint64_t bytes, bool forWrite) {
  uint64_t end = address + bytes;
  if (end < address)
    return false;
  // An access may lie across regions that follow each other.
  for (const Region &region : regions) {
    if (address < region.begin)
      return false;
    if (address >= region.end)
      continue;
    if (!region.read || (forWrite && !region.write))
      return false;
    address = region.end;
    if (address >= end)
      return true;
  }
  return false;
}

} // namespace

bool isAccessible(uint64_t address, uint64_t bytes, bool forWrite) {
  static std::mutex mutex;
  static std::vector<Region> known;
  std::lock_guard<std::mutex> lock(mutex);
  if (covers(known, address, bytes, forWrite))
    return true;
  known = readRegions(); // memory may be new
  return known.empty() || covers(known, address, bytes, forWrite);
}

} // namespace mlir::triton::cpu
