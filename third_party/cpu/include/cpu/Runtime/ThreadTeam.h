//===- ThreadTeam.h - threads that share one piece of work ------*- C++ -*-===//
//
// A launch runs on torch's own OpenMP threads when an OpenMP runtime is
// loaded: its workers spin for a while after each torch operation, and would
// take the processors from threads of ours. Otherwise, and always in a forked
// child (where the OpenMP runtime hangs), it runs on our pool.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_CPU_RUNTIME_THREADTEAM_H
#define TRITON_CPU_RUNTIME_THREADTEAM_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::triton::cpu {

/// What work started by the calling thread finds.
struct TeamState {
  /// Threads it may use: `setNumThreads`, else TRITON_CPU_NUM_THREADS, else the
  /// OpenMP runtime's setting, else the processors this process may run on.
  int threads;
  /// Nanoseconds of work from which calling the others in is a gain.
  float worthSharing;
};

TeamState getTeamState();

/// 0 goes back to the automatic choice.
void setNumThreads(int count);

enum class TeamUse {
  Useful, ///< other threads make it faster
  Needed, ///< the work cannot end without them
};

/// Calls `body` on the calling thread and on up to `threads - 1` others, and
/// returns when all of them are done. Others may come late, or not at all when
/// they are only useful, so `body` takes its share from a common counter until
/// nothing is left.
void runOnTeam(int threads, TeamUse use, llvm::function_ref<void()> body);

/// "openmp" or "pool": what `runOnTeam` would use now.
const char *getTeamKind();

/// Makes forked children safe. To be called once, before any fork.
void installForkHandler();

} // namespace mlir::triton::cpu

#endif // TRITON_CPU_RUNTIME_THREADTEAM_H
