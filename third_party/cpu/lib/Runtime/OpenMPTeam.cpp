//===- OpenMPTeam.cpp - the threads of a loaded OpenMP runtime ------------===//

#include "OpenMPTeam.h"
#include "llvm/ADT/StringRef.h"
#include <atomic>
#include <dlfcn.h>
#include <mutex>
#include <string>
#ifdef __linux__
#include <link.h>
#endif

using namespace mlir::triton::cpu;

#ifdef __linux__

namespace {

/// Path of the OpenMP runtime among the loaded libraries. Python packages ship
/// their own copies; torch's is the one whose workers we would compete with.
std::string findLoadedRuntime() {
  std::string found;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *data) {
        llvm::StringRef path(info->dlpi_name);
        auto &result = *static_cast<std::string *>(data);
        if (!path.contains("libgomp"))
          return 0;
        bool torch = path.contains("torch");
        if (torch || result.empty())
          result = path.str();
        return int(torch);
      },
      &found);
  return found;
}

/// Number of libraries loaded so far; tells cheaply that nothing is new.
unsigned long long countLoads() {
  unsigned long long loads = 0;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t size, void *data) {
        *static_cast<unsigned long long *>(data) = info->dlpi_adds;
        return 1;
      },
      &loads);
  return loads;
}

} // namespace

bool OpenMPTeam::open(const char *path) {
  void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (!library)
    return false;
  parallel =
      reinterpret_cast<decltype(parallel)>(dlsym(library, "GOMP_parallel"));
  maxThreads = reinterpret_cast<decltype(maxThreads)>(
      dlsym(library, "omp_get_max_threads"));
  return parallel && maxThreads;
}

const OpenMPTeam *OpenMPTeam::find() {
  static OpenMPTeam team;
  static std::atomic<bool> found{false};
  static std::atomic<unsigned long long> loadsSearched{0};
  static std::mutex mutex;

  if (found.load(std::memory_order_acquire))
    return &team;
  unsigned long long loads = countLoads();
  if (loads == loadsSearched.load(std::memory_order_relaxed))
    return nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  std::string path = findLoadedRuntime();
  if (!path.empty() && team.open(path.c_str()))
    found.store(true, std::memory_order_release);
  loadsSearched.store(loads, std::memory_order_relaxed);
  return found.load(std::memory_order_relaxed) ? &team : nullptr;
}

#else

bool OpenMPTeam::open(const char *) { return false; }

const OpenMPTeam *OpenMPTeam::find() { return nullptr; }

#endif

void OpenMPTeam::run(int threads, llvm::function_ref<void()> body) const {
  parallel(
      [](void *data) { (*static_cast<llvm::function_ref<void()> *>(data))(); },
      &body, unsigned(threads), 0);
}
