//===- EmitAtomic.cpp - atomics, one element after the other ----*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#include "CollectAdds.h"
#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

//===----------------------------------------------------------------------===//
// Atomics, one element after the other
//===----------------------------------------------------------------------===//

static LLVM::AtomicOrdering ordering(MemSemantic sem) {
  switch (sem) {
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

/// A nest that visits one element at a time.
static Nest scalarNest(Type type) {
  Nest nest;
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    nest.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  return nest;
}

void Emitter::emitAtomicRMW(AtomicRMWOp op) {
  if (mayCollect && isCollectable(op))
    return emitCollectedAdd(op);
  Value result = op.getResult();
  auto type = dyn_cast<RankedTensorType>(result.getType());
  Type elem = getElementTypeOrSelf(result.getType());
  Nest nest = scalarNest(result.getType());
  SmallVector<Value> trees(op->operand_begin(), op->operand_end());
  prepare(trees, nest.shape);
  bool used = !result.use_empty();
  Buffer target;
  if (used && type)
    target = allocate(type);
  forEachPoint(nest, trees, [&](const Point &p) {
    Lanes ptr = eval(op.getPtr(), p), val = eval(op.getVal(), p);
    std::optional<Lanes> mask;
    if (op.getMask())
      mask = eval(op.getMask(), p);
    if (failed)
      return;
    checkAccess({op, "atomic", result.getType(), elem, op.getPtr(), &ptr,
                 mask ? &*mask : nullptr, /*mayWait=*/true},
                p, depth());
    here();
    auto emit = [&]() -> Value {
      return LLVM::AtomicRMWOp::create(
          b, loc, binaryOp(op.getAtomicRmwOp()), ptr.base, val.base,
          ordering(op.getSem()), StringRef(), memBytes(elem));
    };
    Value old;
    if (mask && !matchPattern(mask->base, m_One())) {
      auto branch =
          scf::IfOp::create(b, loc, scalarType(elem), mask->base, true);
      b.setInsertionPointToStart(branch.thenBlock());
      Value v = emit();
      scf::YieldOp::create(b, loc, v);
      Value none = zero(elem, 1);
      b.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(b, loc, none);
      old = branch.getResult(0);
    } else {
      old = emit();
    }
    if (!type)
      scalars[result] = old;
    else if (used)
      writeBuffer(target, p, Lanes::uniform(old, depth()));
  });
  if (used && type)
    buffers[result] = target;
  finishCaptures();
}

void Emitter::emitAtomicCAS(AtomicCASOp op) {
  blocking = true; // usually a lock that another program holds
  Value result = op.getResult();
  auto type = dyn_cast<RankedTensorType>(result.getType());
  Type elem = getElementTypeOrSelf(result.getType());
  Nest nest = scalarNest(result.getType());
  SmallVector<Value> trees(op->operand_begin(), op->operand_end());
  prepare(trees, nest.shape);
  Buffer target;
  if (type)
    target = allocate(type);
  forEachPoint(nest, trees, [&](const Point &p) {
    Lanes ptr = eval(op.getPtr(), p), cmp = eval(op.getCmp(), p),
          val = eval(op.getVal(), p);
    if (failed)
      return;
    checkAccess({op, "atomic", result.getType(), elem, op.getPtr(), &ptr,
                 nullptr, /*mayWait=*/true},
                p, depth());
    here();
    // cmpxchg compares bits, which is what the operation means for floats.
    Type bits = b.getIntegerType(memBytes(elem) * 8);
    auto asBits = [&](Value v) -> Value {
      if (isa<FloatType>(v.getType()))
        return arith::BitcastOp::create(b, loc, bits, v);
      return v;
    };
    LLVM::AtomicOrdering success = ordering(op.getSem());
    LLVM::AtomicOrdering failure =
        success == LLVM::AtomicOrdering::acq_rel ||
                success == LLVM::AtomicOrdering::acquire
            ? LLVM::AtomicOrdering::acquire
            : LLVM::AtomicOrdering::monotonic;
    Value pair = LLVM::AtomicCmpXchgOp::create(
        b, loc, ptr.base, asBits(cmp.base), asBits(val.base), success, failure);
    Value old = LLVM::ExtractValueOp::create(b, loc, pair, 0);
    if (isa<FloatType>(elem))
      old = arith::BitcastOp::create(b, loc, elem, old);
    if (!type)
      scalars[result] = old;
    else
      writeBuffer(target, p, Lanes::uniform(old, depth()));
  });
  if (type)
    buffers[result] = target;
  finishCaptures();
}
