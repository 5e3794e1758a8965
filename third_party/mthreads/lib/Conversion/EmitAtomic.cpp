//===- EmitAtomic.cpp - atomic operations -----------------------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// Each element is the work of one thread. Where other threads hold the element,
// too, they get the old value through shared memory.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::mthreads;

static LLVM::AtomicOrdering ordering(MemSemantic order) {
  switch (order) {
  case MemSemantic::RELAXED:
    return LLVM::AtomicOrdering::monotonic;
  case MemSemantic::ACQUIRE:
    return LLVM::AtomicOrdering::acquire;
  case MemSemantic::RELEASE:
    return LLVM::AtomicOrdering::release;
  case MemSemantic::ACQUIRE_RELEASE:
    return LLVM::AtomicOrdering::acq_rel;
  }
  return LLVM::AtomicOrdering::seq_cst;
}

static LLVM::AtomicBinOp binaryOp(RMWOp op) {
  switch (op) {
  case RMWOp::AND:
    return LLVM::AtomicBinOp::_and;
  case RMWOp::OR:
    return LLVM::AtomicBinOp::_or;
  case RMWOp::XOR:
    return LLVM::AtomicBinOp::_xor;
  case RMWOp::ADD:
    return LLVM::AtomicBinOp::add;
  case RMWOp::FADD:
    return LLVM::AtomicBinOp::fadd;
  case RMWOp::MAX:
    return LLVM::AtomicBinOp::max;
  case RMWOp::MIN:
    return LLVM::AtomicBinOp::min;
  case RMWOp::UMAX:
    return LLVM::AtomicBinOp::umax;
  case RMWOp::UMIN:
    return LLVM::AtomicBinOp::umin;
  case RMWOp::XCHG:
    return LLVM::AtomicBinOp::xchg;
  }
  return LLVM::AtomicBinOp::xchg;
}

/// Runs `access` for the elements of `op` that this thread owns. Memory order
/// is that of the whole block, so barriers stand around it.
void Emitter::emitAtomic(Operation *op, Value ptr, Value mask,
                         MemSemantic order,
                         function_ref<Value(int64_t)> access) {
  Value result = op->getResult(0);
  auto type = dyn_cast<RankedTensorType>(result.getType());
  Type elem = getElementTypeOrSelf(result.getType());
  if (memoryBytes(elem) < 4)
    return void(error(op, "the target has no atomic operations on " +
                              Twine(8 * memoryBytes(elem)) + "-bit values"));
  if (order == MemSemantic::RELEASE || order == MemSemantic::ACQUIRE_RELEASE)
    barrier();
  SmallVector<int64_t> one = {1};
  Layout layout = type ? layoutOf(type) : Layout(one, threads, 1);
  Value owner = type ? isOwner(layout) : isFirstThread();
  Registers old;
  for (int64_t r = 0; r < layout.registers(); ++r) {
    Value condition = both(owner, mask ? element(mask, r) : Value());
    Value none = zero(registerType(elem));
    old.push_back(predicated(condition, none, [&] {
                    return Registers{access(r)};
                  }).front());
  }
  if (owner && !result.use_empty()) {
    beginShared();
    SharedBlock block = allocateShared(elem, layout.size());
    predicated(owner, [&] {
      for (auto [r, v] : llvm::enumerate(old))
        writeShared(block, elementIndex(layout, r), v);
    });
    barrier();
    old = readAll(block, layout);
  } else if (order == MemSemantic::ACQUIRE ||
             order == MemSemantic::ACQUIRE_RELEASE) {
    barrier();
  }
  set(result, old);
}

void Emitter::emitAtomicRMW(AtomicRMWOp op) {
  Type elem = getElementTypeOrSelf(op.getType());
  emitAtomic(op, op.getPtr(), op.getMask(), op.getSem(), [&](int64_t r) {
    return LLVM::AtomicRMWOp::create(
        b, loc, binaryOp(op.getAtomicRmwOp()), element(op.getPtr(), r),
        element(op.getVal(), r), ordering(op.getSem()), StringRef(),
        memoryBytes(elem));
  });
}

void Emitter::emitAtomicCAS(AtomicCASOp op) {
  Type elem = getElementTypeOrSelf(op.getType());
  Type type = registerType(elem);
  // Bits are compared, also those of floats.
  Type bits = b.getIntegerType(8 * memoryBytes(elem));
  auto cast = [&](Value v, Type to) -> Value {
    return v.getType() == to ? v
                             : Value(arith::BitcastOp::create(b, loc, to, v));
  };
  emitAtomic(op, op.getPtr(), {}, op.getSem(), [&](int64_t r) {
    bool acquires = op.getSem() == MemSemantic::ACQUIRE ||
                    op.getSem() == MemSemantic::ACQUIRE_RELEASE;
    Value pair = LLVM::AtomicCmpXchgOp::create(
        b, loc, element(op.getPtr(), r), cast(element(op.getCmp(), r), bits),
        cast(element(op.getVal(), r), bits), ordering(op.getSem()),
        acquires ? LLVM::AtomicOrdering::acquire
                 : LLVM::AtomicOrdering::monotonic);
    return cast(LLVM::ExtractValueOp::create(b, loc, pair, 0), type);
  });
}
