//===- EmitStream.cpp - stores that go past the caches ----------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// A store that misses the caches reads its line first: a copy moves three words
// for two. Nontemporal stores save that, but leave nothing in the caches for
// whoever reads the result next. So they are for results that would not fit
// there: what a launch writes is compared with a limit when it runs.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

/// Whether a launch writes so much through a store of `type`, as i1.
Value Emitter::writesMuch(RankedTensorType type) {
  int64_t bytes = type.getNumElements() * memBytes(type.getElementType());
  Value &much = muchWritten[bytes];
  if (much)
    return much;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(kernel.allPrograms);
  auto predicate = arith::CmpIPredicate::uge;
  int64_t programs = llvm::divideCeil(options.streamBytes, bytes);
  return much = arith::CmpIOp::create(b, loc, predicate, kernel.allPrograms,
                                      i64(programs));
}

/// Stores `v` at `place` past the caches if that pays, through them to
/// `otherwise` if not. False if the first is out of the question; nothing has
/// been emitted then.
bool Emitter::storeStreaming(const StoreAt &s, Value place, Value otherwise,
                             Value v, const Point &p) {
  StoreOp op = s.op;
  auto type = cast<RankedTensorType>(op.getValue().getType());
  Type elem = type.getElementType();
  // Parts of lines cost more than they save, and vectors of less than 16 bytes
  // have no instruction.
  constexpr int64_t line = 64, shortestRun = 4 * line;
  int64_t bytes = std::min(line, p.width * memBytes(elem));
  if (!streamable.contains(s.op) || !isRun(type, p, shortestRun) || bytes < 16)
    return false;
  // Where steps along the run are whole vectors, its start is as aligned as
  // they are.
  Value start = raggedPieces ? place : s.ptr.base;
  at(raggedPieces ? depth() : s.ptr.level);
  Value misplaced = arith::AndIOp::create(
      b, loc, LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), start),
      i64(bytes - 1));
  Value streams = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        misplaced, i64(0));
  streams = arith::AndIOp::create(b, loc, streams, writesMuch(type));
  if (s.overlap)
    streams = arith::SelectOp::create(b, loc, s.overlap,
                                      constant(b.getBoolAttr(false)), streams);
  here();
  auto branch = scf::IfOp::create(b, loc, streams, /*withElseRegion=*/true);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  Value stored = inMemory(v, elem, p.width);
  LLVM::StoreOp::create(b, loc, stored, place, bytes, /*isVolatile=*/false,
                        /*isNonTemporal=*/true);
  b.setInsertionPoint(branch.elseBlock()->getTerminator());
  if (isRun(type, p, kMinimumRun))
    prefetch(offsetPtr(otherwise, i64(kPrefetchDistance)), /*forWrite=*/true,
             3);
  storeVector(otherwise, v, elem, p.width, {});
  streamed = true;
  return true;
}
