//===- OpenMPTeam.h - the threads of a loaded OpenMP runtime ----*- C++ -*-===//

#ifndef TRITON_CPU_LIB_RUNTIME_OPENMPTEAM_H
#define TRITON_CPU_LIB_RUNTIME_OPENMPTEAM_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::triton::cpu {

/// GNU's OpenMP runtime, as far as this process has loaded it.
class OpenMPTeam {
public:
  /// The runtime, or null when none is loaded. Torch's copy is preferred.
  static const OpenMPTeam *find();

  /// What `omp_set_num_threads` (and torch.set_num_threads) last chose.
  int getMaxThreads() const { return maxThreads(); }

  void run(int threads, llvm::function_ref<void()> body) const;

private:
  bool open(const char *path);

  void (*parallel)(void (*)(void *), void *, unsigned, unsigned) = nullptr;
  int (*maxThreads)() = nullptr;
};

} // namespace mlir::triton::cpu

#endif // TRITON_CPU_LIB_RUNTIME_OPENMPTEAM_H
