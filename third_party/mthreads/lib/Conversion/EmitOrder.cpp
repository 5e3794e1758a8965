//===- EmitOrder.cpp - memory is accessed in program order ------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// A block that is stored over one that was loaded, or loaded after it was
// stored, may be held by other threads. A barrier between the two lets all
// threads finish the first. No barrier is needed between atomic operations, and
// where both go through the same pointers, all different, of which each is one
// thread's.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::mthreads;

void PendingAccesses::merge(const PendingAccesses &other) {
  reads.insert(other.reads.begin(), other.reads.end());
  writes.insert(other.writes.begin(), other.writes.end());
  atomics |= other.atomics;
}

bool Emitter::isOwnMemory(Value ptr, const Layout &layout) {
  return !layout.isReplicated() &&
         axisInfo->getContiguity(ptr) == layout.size();
}

void Emitter::order(AccessKind kind, Value ptr, bool isOwn) {
  auto meets = [&](const llvm::SmallSetVector<Value, 4> &accesses) {
    bool areOwn = isOwn && accesses.size() == 1 && accesses[0] == ptr;
    return !accesses.empty() && !areOwn;
  };
  bool mustWait = meets(pending.writes) ||
                  (kind != AccessKind::Read && meets(pending.reads)) ||
                  (kind != AccessKind::Atomic && pending.atomics);
  if (mustWait)
    barrier();
  if (kind == AccessKind::Read)
    pending.reads.insert(ptr);
  else if (kind == AccessKind::Write)
    pending.writes.insert(ptr);
  else
    pending.atomics = true;
}

/// What the body of `loop` accesses, through pointers of any iteration.
static PendingAccesses accessesIn(Operation *loop) {
  PendingAccesses found;
  loop->walk([&](Operation *op) {
    if (isa<LoadOp>(op))
      found.reads.insert(Value());
    else if (isa<StoreOp>(op))
      found.writes.insert(Value());
    else if (isa<AtomicRMWOp, AtomicCASOp>(op))
      found.atomics = true;
  });
  return found;
}

void Emitter::emitLoopBody(Operation *loop, function_ref<void()> body) {
  PendingAccesses before = pending, ofBody = accessesIn(loop);
  pending.merge(ofBody);
  body();
  pending.merge(ofBody);
  pending.merge(before); // the body may not run at all
}
