//===- EmitMemory.cpp - loads and stores ------------------------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

//===----------------------------------------------------------------------===//
// Scalars and vectors in memory
//===----------------------------------------------------------------------===//

/// From the type in memory to the type of the value: bytes to i1, addresses to
/// pointers, bytes to 8-bit floats.
static Value fromMemory(OpBuilder &b, Location loc, Value v, Type elem,
                        Type to) {
  if (v.getType() == to)
    return v;
  if (elem.isInteger(1)) {
    Value zero = arith::ConstantOp::create(
        b, loc, cast<TypedAttr>(b.getZeroAttr(v.getType())));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, v, zero);
  }
  if (isa<triton::PointerType>(elem))
    return LLVM::IntToPtrOp::create(b, loc, to, v);
  return arith::BitcastOp::create(b, loc, to, v);
}

static Value toMemory(OpBuilder &b, Location loc, Value v, Type elem, Type to) {
  if (v.getType() == to)
    return v;
  if (elem.isInteger(1))
    return arith::ExtUIOp::create(b, loc, to, v);
  if (isa<triton::PointerType>(elem))
    return LLVM::PtrToIntOp::create(b, loc, to, v);
  return arith::BitcastOp::create(b, loc, to, v);
}

static Type vectorOf(Type elem, int64_t width) {
  return width == 1 ? elem : Type(VectorType::get({width}, elem));
}

static Value allTrue(OpBuilder &b, Location loc, int64_t width) {
  auto type = VectorType::get({width}, b.getI1Type());
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, true));
}

Value Emitter::loadVector(Value ptr, Type elem, int64_t width, Value mask,
                          Value other) {
  Type mem = vectorOf(memType(elem), width);
  unsigned align = memBytes(elem);
  Value v;
  if (mask) {
    Value pass =
        other ? toMemory(b, loc, other, elem, mem) : zero(memType(elem), width);
    v = LLVM::MaskedLoadOp::create(b, loc, mem, ptr, mask, pass,
                                   b.getI32IntegerAttr(align));
  } else {
    v = LLVM::LoadOp::create(b, loc, mem, ptr, align);
  }
  return fromMemory(b, loc, v, elem, valueType(elem, width));
}

Value Emitter::inMemory(Value v, Type elem, int64_t width) {
  return toMemory(b, loc, v, elem, vectorOf(memType(elem), width));
}

void Emitter::storeVector(Value ptr, Value v, Type elem, int64_t width,
                          Value mask) {
  Value m = inMemory(v, elem, width);
  unsigned align = memBytes(elem);
  if (mask)
    LLVM::MaskedStoreOp::create(b, loc, m, ptr, mask,
                                b.getI32IntegerAttr(align));
  else
    LLVM::StoreOp::create(b, loc, m, ptr, align);
}

Value Emitter::gatherVector(Value addresses, Type elem, int64_t width,
                            Value mask, Value other) {
  auto ptrs =
      VectorType::get({width}, LLVM::LLVMPointerType::get(b.getContext()));
  Value pointers = LLVM::IntToPtrOp::create(b, loc, ptrs, addresses);
  Type mem = vectorOf(memType(elem), width);
  Value pass =
      other ? toMemory(b, loc, other, elem, mem) : zero(memType(elem), width);
  Value v = LLVM::masked_gather::create(
      b, loc, mem, pointers, mask ? mask : allTrue(b, loc, width), pass,
      b.getI32IntegerAttr(memBytes(elem)));
  return fromMemory(b, loc, v, elem, valueType(elem, width));
}

void Emitter::scatterVector(Value addresses, Value v, Type elem, int64_t width,
                            Value mask) {
  auto ptrs =
      VectorType::get({width}, LLVM::LLVMPointerType::get(b.getContext()));
  Value pointers = LLVM::IntToPtrOp::create(b, loc, ptrs, addresses);
  Value m = toMemory(b, loc, v, elem, vectorOf(memType(elem), width));
  LLVM::masked_scatter::create(b, loc, m, pointers,
                               mask ? mask : allTrue(b, loc, width),
                               b.getI32IntegerAttr(memBytes(elem)));
}

Value Emitter::lanePointers(const Lanes &ptr, int64_t width) {
  return asVector(ptr, triton::PointerType::get(b.getI8Type(), 1), width);
}

//===----------------------------------------------------------------------===//
// Loads and stores of the kernel
//===----------------------------------------------------------------------===//

static bool isTrue(const Lanes &mask) {
  return mask.isUniform() && matchPattern(mask.base, m_One());
}

Lanes Emitter::emitLoad(LoadOp op, const Point &p) {
  Type elem = getElementTypeOrSelf(op.getType());
  Lanes ptr = eval(op.getPtr(), p);
  unsigned level = ptr.maxLevel();
  std::optional<Lanes> mask, other;
  if (op.getMask()) {
    mask = eval(op.getMask(), p);
    level = std::max(level, mask->maxLevel());
    if (isTrue(*mask)) {
      mask.reset();
    } else if (op.getOther()) {
      other = eval(op.getOther(), p);
      level = std::max(level, other->maxLevel());
    }
  }
  if (failed)
    return Lanes();
  if (op.getIsVolatile())
    level = depth();
  bool uniform = ptr.isUniform() && (!mask || mask->isUniform()) &&
                 (!other || other->isUniform());
  std::optional<Lanes> lanes = uniform ? mask : insidePiece(mask, p);
  checkAccess({op, "load", op.getType(), elem, op.getPtr(), &ptr,
               lanes ? &*lanes : nullptr, op.getIsVolatile()},
              p, level);

  if (uniform) {
    Value address = ptr.base;
    at(level);
    // A scalar that is masked off is read from scratch memory and thrown away.
    if (mask)
      address =
          arith::SelectOp::create(b, loc, mask->base, address, kernel.scratch);
    Value v;
    if (op.getIsVolatile()) {
      Type mem = memType(elem);
      v = fromMemory(
          b, loc,
          LLVM::LoadOp::create(b, loc, mem, address, memBytes(elem), true),
          elem, scalarType(elem));
    } else {
      v = loadVector(address, elem, 1, {}, {});
    }
    if (mask) {
      Value alternative = other ? other->base : zero(elem, 1);
      at(level);
      v = arith::SelectOp::create(b, loc, mask->base, v, alternative);
    }
    return Lanes::uniform(v, level);
  }

  // What is the same for all lanes is no mask but a branch.
  Value condition = mask && mask->isUniform() ? mask->base : Value();
  if (condition)
    lanes = insidePiece({}, p);
  Value maskV = lanes ? asVector(*lanes, b.getI1Type(), p.width) : Value();
  Value otherV = other ? asVector(*other, elem, p.width) : Value();
  bool isRun = ptr.hasUnitStride(memBytes(elem));
  Value address = isRun ? firstLane(ptr) : lanePointers(ptr, p.width);
  bool endsSoon = ptr.isLocal && shortestRow < kMinimumRun / memBytes(elem);
  if (isRun && !mask && !lanes && level == depth() && !endsSoon)
    prefetchForLoad(op, address, p);
  auto load = [&] {
    return isRun ? loadVector(address, elem, p.width, maskV, otherV)
                 : gatherVector(address, elem, p.width, maskV, otherV);
  };
  at(level);
  if (!condition)
    return Lanes::vector(load(), level);
  if (!otherV)
    otherV = zero(elem, p.width);
  at(level);
  // As they are in memory: vectors of half floats would be taken apart.
  otherV = inMemory(otherV, elem, p.width);
  auto branch = scf::IfOp::create(b, loc, otherV.getType(), condition,
                                  /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  Value loaded = inMemory(load(), elem, p.width);
  scf::YieldOp::create(b, loc, loaded);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, otherV);
  at(level);
  return Lanes::vector(
      fromMemory(b, loc, branch.getResult(0), elem, valueType(elem, p.width)),
      level);
}

Emitter::StoreAt Emitter::evalStore(StoreOp op, const Point &p) {
  StoreAt at;
  at.op = op;
  at.ptr = eval(op.getPtr(), p);
  at.value = eval(op.getValue(), p);
  if (op.getMask()) {
    at.mask = eval(op.getMask(), p);
    if (isTrue(*at.mask))
      at.mask.reset();
  }
  if (!failed)
    at.mask = insidePiece(at.mask, p);
  return at;
}

void Emitter::emitStoreAt(const StoreAt &s, const Point &p) {
  StoreOp op = s.op;
  Type elem = getElementTypeOrSelf(op.getValue().getType());
  if (failed)
    return;
  checkAccess({op, "store", op.getValue().getType(), elem, op.getPtr(), &s.ptr,
               s.mask ? &*s.mask : nullptr},
              p, depth());
  if (p.width == 1) {
    Value address = detour(s, s.ptr.base, p);
    here();
    if (!s.mask)
      return storeVector(address, s.value.base, elem, 1, {});
    auto branch = scf::IfOp::create(b, loc, s.mask->base, false);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    return storeVector(address, s.value.base, elem, 1, {});
  }
  Value maskV = s.mask ? asVector(*s.mask, b.getI1Type(), p.width) : Value();
  Value v = asVector(s.value, elem, p.width);
  if (s.ptr.hasUnitStride(memBytes(elem)) && s.detourStride <= 1) {
    Value place = firstLane(s.ptr);
    Value address = detour(s, place, p);
    if (!s.mask && storeStreaming(s, place, address, v, p))
      return;
    if (!s.mask)
      prefetchAhead(address, op.getValue().getType(), p, true);
    here();
    return storeVector(address, v, elem, p.width, maskV);
  }
  Value addresses = detour(s, lanePointers(s.ptr, p.width), p);
  here();
  scatterVector(addresses, v, elem, p.width, maskV);
}

void Emitter::emitStore(StoreOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getValue().getType());
  SmallVector<Value> trees(op->operand_begin(), op->operand_end());
  ArrayRef<int64_t> shape = type ? type.getShape() : ArrayRef<int64_t>();
  prepare(trees, shape);
  Nest nest = chooseNest(trees, shape, op.getPtr());
  forEachPoint(
      nest, trees, [&](const Point &p) { emitStoreAt(evalStore(op, p), p); },
      op.getMask());
  finishCaptures();
}
