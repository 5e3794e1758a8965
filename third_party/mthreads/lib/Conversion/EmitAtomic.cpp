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
                         MemSemantic memOrder,
                         function_ref<Value(int64_t)> access) {
  Value result = op->getResult(0);
  auto type = dyn_cast<RankedTensorType>(result.getType());
  Type elem = getElementTypeOrSelf(result.getType());
  if (memOrder == MemSemantic::RELEASE ||
      memOrder == MemSemantic::ACQUIRE_RELEASE)
    barrier();
  order(AccessKind::Atomic, ptr, false);
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
  } else if (memOrder == MemSemantic::ACQUIRE ||
             memOrder == MemSemantic::ACQUIRE_RELEASE) {
    barrier();
  }
  set(result, old);
}

static bool acquires(MemSemantic order) {
  return order == MemSemantic::ACQUIRE || order == MemSemantic::ACQUIRE_RELEASE;
}

/// (old value, success)
static Value compareExchange(OpBuilder &b, Location loc, Value ptr,
                             Value expected, Value v, MemSemantic order) {
  return LLVM::AtomicCmpXchgOp::create(
      b, loc, ptr, expected, v, ordering(order),
      acquires(order) ? LLVM::AtomicOrdering::acquire
                      : LLVM::AtomicOrdering::monotonic);
}

static Value castBits(OpBuilder &b, Location loc, Value v, Type type) {
  if (v.getType() == type)
    return v;
  return arith::BitcastOp::create(b, loc, type, v);
}

//===----------------------------------------------------------------------===//
// Values of less than 32 bits: exchange the word that contains them
//===----------------------------------------------------------------------===//

Value Emitter::exchangeNarrow(Value ptr, Type elem, MemSemantic order,
                              function_ref<Value(Value)> next) {
  Type word = b.getI32Type(), type = registerType(elem);
  unsigned width = 8 * memoryBytes(elem);
  Type bits = b.getIntegerType(width);
  Value address = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), ptr);
  Value aligned = arith::AndIOp::create(b, loc, address, i64(~3));
  Value wordPtr = LLVM::IntToPtrOp::create(b, loc, ptr.getType(), aligned);
  Value byte = arith::AndIOp::create(b, loc, address, i64(3));
  Value shift = arith::ShLIOp::create(
      b, loc, arith::TruncIOp::create(b, loc, word, byte), i32(3));
  Value others = arith::XOrIOp::create(
      b, loc,
      arith::ShLIOp::create(b, loc, i32((int64_t(1) << width) - 1), shift),
      i32(-1));
  Value first =
      LLVM::LoadOp::create(b, loc, word, wordPtr, 4, /*isVolatile=*/true);
  auto loop = scf::WhileOp::create(
      b, loc, {word, type}, first,
      [&](OpBuilder &, Location, ValueRange args) {
        Value down = arith::ShRUIOp::create(b, loc, args[0], shift);
        Value old =
            castBits(b, loc, arith::TruncIOp::create(b, loc, bits, down), type);
        Value wanted = extend(castBits(b, loc, next(old), bits), word, false);
        Value merged = arith::OrIOp::create(
            b, loc, arith::AndIOp::create(b, loc, args[0], others),
            arith::ShLIOp::create(b, loc, wanted, shift));
        Value pair = compareExchange(b, loc, wordPtr, args[0], merged, order);
        Value seen = LLVM::ExtractValueOp::create(b, loc, pair, 0);
        Value done = LLVM::ExtractValueOp::create(b, loc, pair, 1);
        Value again =
            arith::XOrIOp::create(b, loc, done, integer(b.getI1Type(), 1));
        scf::ConditionOp::create(b, loc, again, ValueRange{seen, old});
      },
      [&](OpBuilder &, Location, ValueRange args) {
        scf::YieldOp::create(b, loc, args[0]);
      });
  return loop.getResult(1);
}

Value Emitter::combineNarrow(AtomicRMWOp op, Type elem, Value old, Value v) {
  switch (op.getAtomicRmwOp()) {
  case RMWOp::AND:
    return arith::AndIOp::create(b, loc, old, v);
  case RMWOp::OR:
    return arith::OrIOp::create(b, loc, old, v);
  case RMWOp::XOR:
    return arith::XOrIOp::create(b, loc, old, v);
  case RMWOp::ADD:
    return arith::AddIOp::create(b, loc, old, v);
  case RMWOp::FADD: {
    Value sum = arith::AddFOp::create(b, loc, toF32(old, elem), toF32(v, elem));
    return fromF32(sum, elem, false);
  }
  case RMWOp::MAX:
    return arith::MaxSIOp::create(b, loc, old, v);
  case RMWOp::MIN:
    return arith::MinSIOp::create(b, loc, old, v);
  case RMWOp::UMAX:
    return arith::MaxUIOp::create(b, loc, old, v);
  case RMWOp::UMIN:
    return arith::MinUIOp::create(b, loc, old, v);
  case RMWOp::XCHG:
    return v;
  }
  return v;
}

//===----------------------------------------------------------------------===//
// tt.atomic_rmw and tt.atomic_cas
//===----------------------------------------------------------------------===//

void Emitter::emitAtomicRMW(AtomicRMWOp op) {
  Type elem = getElementTypeOrSelf(op.getType());
  bool isNarrow = memoryBytes(elem) < 4;
  emitAtomic(
      op, op.getPtr(), op.getMask(), op.getSem(), [&](int64_t r) -> Value {
        Value ptr = element(op.getPtr(), r), v = element(op.getVal(), r);
        if (isNarrow)
          return exchangeNarrow(ptr, elem, op.getSem(), [&](Value old) {
            return combineNarrow(op, elem, old, v);
          });
        return LLVM::AtomicRMWOp::create(b, loc, binaryOp(op.getAtomicRmwOp()),
                                         ptr, v, ordering(op.getSem()),
                                         StringRef(), memoryBytes(elem));
      });
}

/// Bits are compared, also those of floats.
void Emitter::emitAtomicCAS(AtomicCASOp op) {
  Type elem = getElementTypeOrSelf(op.getType()), type = registerType(elem);
  Type bits = b.getIntegerType(8 * memoryBytes(elem));
  bool isNarrow = memoryBytes(elem) < 4;
  emitAtomic(op, op.getPtr(), {}, op.getSem(), [&](int64_t r) -> Value {
    Value ptr = element(op.getPtr(), r);
    Value expected = castBits(b, loc, element(op.getCmp(), r), bits);
    Value v = castBits(b, loc, element(op.getVal(), r), bits);
    if (isNarrow)
      return exchangeNarrow(ptr, elem, op.getSem(), [&](Value old) {
        Value found = castBits(b, loc, old, bits);
        Value isExpected = arith::CmpIOp::create(
            b, loc, arith::CmpIPredicate::eq, found, expected);
        return arith::SelectOp::create(b, loc, isExpected, v, found);
      });
    Value pair = compareExchange(b, loc, ptr, expected, v, op.getSem());
    return castBits(b, loc, LLVM::ExtractValueOp::create(b, loc, pair, 0),
                    type);
  });
}
