//===- EmitMemory.cpp - loads, stores, atomics, buffers ---------*- C++ -*-===//
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
static Value fromMemory(OpBuilder &b, Location loc, Value v, Type elem, Type to) {
  if (v.getType() == to)
    return v;
  if (elem.isInteger(1)) {
    Value zero = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(v.getType())));
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
    Value pass = other ? toMemory(b, loc, other, elem, mem) : zero(memType(elem), width);
    v = LLVM::MaskedLoadOp::create(b, loc, mem, ptr, mask, pass,
                                   b.getI32IntegerAttr(align));
  } else {
    v = LLVM::LoadOp::create(b, loc, mem, ptr, align);
  }
  return fromMemory(b, loc, v, elem, valueType(elem, width));
}

void Emitter::storeVector(Value ptr, Value v, Type elem, int64_t width,
                          Value mask) {
  Value m = toMemory(b, loc, v, elem, vectorOf(memType(elem), width));
  unsigned align = memBytes(elem);
  if (mask)
    LLVM::MaskedStoreOp::create(b, loc, m, ptr, mask, b.getI32IntegerAttr(align));
  else
    LLVM::StoreOp::create(b, loc, m, ptr, align);
}

Value Emitter::gatherVector(Value addresses, Type elem, int64_t width,
                            Value mask, Value other) {
  auto ptrs = VectorType::get({width}, LLVM::LLVMPointerType::get(b.getContext()));
  Value pointers = LLVM::IntToPtrOp::create(b, loc, ptrs, addresses);
  Type mem = vectorOf(memType(elem), width);
  Value pass = other ? toMemory(b, loc, other, elem, mem) : zero(memType(elem), width);
  Value v = LLVM::masked_gather::create(
      b, loc, mem, pointers, mask ? mask : allTrue(b, loc, width), pass,
      b.getI32IntegerAttr(memBytes(elem)));
  return fromMemory(b, loc, v, elem, valueType(elem, width));
}

void Emitter::scatterVector(Value addresses, Value v, Type elem, int64_t width,
                            Value mask) {
  auto ptrs = VectorType::get({width}, LLVM::LLVMPointerType::get(b.getContext()));
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
// Buffers
//===----------------------------------------------------------------------===//

Buffer Emitter::allocate(RankedTensorType type) {
  Buffer buffer;
  buffer.shape.assign(type.getShape().begin(), type.getShape().end());
  buffer.elem = type.getElementType();
  int64_t bytes = type.getNumElements() * memBytes(buffer.elem);
  OpBuilder::InsertionGuard guard(b);
  Value offset = i64(scratchTop);
  b.setInsertionPointAfterValue(offset);
  buffer.base = LLVM::GEPOp::create(b, loc, kernel.scratch.getType(), b.getI8Type(),
                                    kernel.scratch, ArrayRef<LLVM::GEPArg>{offset});
  scratchTop += llvm::alignTo(bytes, 64);
  maxScratch = std::max(maxScratch, scratchTop);
  return buffer;
}

/// Address of the point in lane 0; `laneStride` is the distance between lanes
/// in elements.
Value Emitter::bufferAddress(const Buffer &buffer, const Point &p,
                             int64_t &laneStride, unsigned &level) {
  laneStride = 0;
  level = 0;
  Value ptr = buffer.base;
  int64_t bytes = memBytes(buffer.elem);
  for (auto [index, stride, extent] :
       llvm::zip(p.dims, buffer.strides(), buffer.shape)) {
    if (index.vec)
      laneStride = stride;
    if (extent == 1)
      continue;
    level = std::max(level, index.level);
    at(level);
    ptr = offsetPtr(ptr, b.createOrFold<arith::MulIOp>(loc, index.base,
                                                       i64(stride * bytes)));
  }
  return ptr;
}

Lanes Emitter::readBuffer(const Buffer &buffer, const Point &p) {
  int64_t laneStride;
  unsigned level;
  Value ptr = bufferAddress(buffer, p, laneStride, level);
  at(level);
  if (p.width == 1)
    return Lanes::uniform(loadVector(ptr, buffer.elem, 1, {}, {}), level);
  if (laneStride == 1)
    return Lanes::vector(loadVector(ptr, buffer.elem, p.width, {}, {}), level);
  Lanes lanes = Lanes::uniform(ptr, level);
  lanes.kind = Lanes::Affine;
  lanes.stride = laneStride * memBytes(buffer.elem);
  Value addresses = lanePointers(lanes, p.width);
  at(level);
  return Lanes::vector(gatherVector(addresses, buffer.elem, p.width, {}, {}), level);
}

void Emitter::writeBuffer(const Buffer &buffer, const Point &p,
                          const Lanes &value) {
  Value v = asVector(value, buffer.elem, p.width);
  int64_t laneStride;
  unsigned level;
  Value ptr = bufferAddress(buffer, p, laneStride, level);
  if (p.width == 1 || laneStride == 1) {
    here();
    return storeVector(ptr, v, buffer.elem, p.width, {});
  }
  Lanes lanes = Lanes::uniform(ptr, level);
  lanes.kind = Lanes::Affine;
  lanes.stride = laneStride * memBytes(buffer.elem);
  Value addresses = lanePointers(lanes, p.width);
  here();
  scatterVector(addresses, v, buffer.elem, p.width, {});
}

void Emitter::copyBuffer(const Buffer &from, const Buffer &to) {
  int64_t bytes = memBytes(from.elem);
  for (int64_t d : from.shape)
    bytes *= d;
  here();
  LLVM::MemcpyOp::create(b, loc, to.base, from.base, i64(bytes), false);
}

void Emitter::prepare(ArrayRef<Value> trees, ArrayRef<int64_t> shape,
                      bool mayCapture) {
  SmallVector<Value> now, capture;
  for (Value tree : trees) {
    auto type = dyn_cast<RankedTensorType>(tree.getType());
    walkTree(tree, identityMap(type ? type.getRank() : 0),
             [&](Value v, const DimMap &dims) {
               if (buffers.contains(v))
                 return false;
               if (!plan.isLazy(v))
                 return true;
               auto t = cast<RankedTensorType>(v.getType());
               bool visited = mayCapture && t.getShape() == shape &&
                              dims == identityMap(t.getRank());
               if (!visited) {
                 now.push_back(v);
                 return false;
               }
               capture.push_back(v);
               return true;
             });
  }
  for (Value v : now)
    materialize(v);
  for (Value v : capture)
    if (!buffers.contains(v)) {
      buffers[v] = allocate(cast<RankedTensorType>(v.getType()));
      capturing.insert(v);
    }
  beginRoot();
}

void Emitter::finishCaptures() { capturing.clear(); }

void Emitter::materialize(Value v, const Buffer &target) {
  auto type = cast<RankedTensorType>(v.getType());
  if (auto it = buffers.find(v); it != buffers.end()) {
    if (it->second.base != target.base)
      copyBuffer(it->second, target);
    return;
  }
  prepare(v, type.getShape());
  Nest nest = chooseNest(v, type.getShape());
  forEachPoint(nest, v, [&](const Point &p) { writeBuffer(target, p, eval(v, p)); });
  finishCaptures();
}

const Buffer &Emitter::materialize(Value v) {
  auto it = buffers.find(v);
  if (it != buffers.end())
    return it->second;
  Buffer target = preassigned.lookup(v);
  if (!target.base)
    target = allocate(cast<RankedTensorType>(v.getType()));
  materialize(v, target);
  return buffers[v] = target;
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

  bool uniform = ptr.isUniform() && (!mask || mask->isUniform());
  if (uniform && (!other || other->isUniform())) {
    Value address = ptr.base;
    at(level);
    // A scalar that is masked off is read from scratch memory and thrown away.
    if (mask)
      address = arith::SelectOp::create(b, loc, mask->base, address, kernel.scratch);
    Value v;
    if (op.getIsVolatile()) {
      Type mem = memType(elem);
      v = fromMemory(b, loc,
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

  Value maskV = mask ? asVector(*mask, b.getI1Type(), p.width) : Value();
  Value otherV = other ? asVector(*other, elem, p.width) : Value();
  if (ptr.hasUnitStride(memBytes(elem))) {
    Value address = firstLane(ptr);
    if (!mask && level == depth())
      prefetchForLoad(op, address, p);
    at(level);
    return Lanes::vector(loadVector(address, elem, p.width, maskV, otherV), level);
  }
  Value addresses = lanePointers(ptr, p.width);
  at(level);
  return Lanes::vector(gatherVector(addresses, elem, p.width, maskV, otherV), level);
}

void Emitter::emitStoreAt(StoreOp op, const Point &p) {
  Type elem = getElementTypeOrSelf(op.getValue().getType());
  Lanes ptr = eval(op.getPtr(), p);
  Lanes value = eval(op.getValue(), p);
  std::optional<Lanes> mask;
  if (op.getMask()) {
    mask = eval(op.getMask(), p);
    if (isTrue(*mask))
      mask.reset();
  }
  if (failed)
    return;
  if (p.width == 1) {
    here();
    Value address = ptr.base;
    if (!mask)
      return storeVector(address, value.base, elem, 1, {});
    auto branch = scf::IfOp::create(b, loc, mask->base, false);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    return storeVector(address, value.base, elem, 1, {});
  }
  Value maskV = mask ? asVector(*mask, b.getI1Type(), p.width) : Value();
  Value v = asVector(value, elem, p.width);
  if (ptr.hasUnitStride(memBytes(elem))) {
    Value address = firstLane(ptr);
    if (!mask)
      prefetchAhead(address, op.getValue().getType(), p, true);
    here();
    return storeVector(address, v, elem, p.width, maskV);
  }
  Value addresses = lanePointers(ptr, p.width);
  here();
  scatterVector(addresses, v, elem, p.width, maskV);
}

void Emitter::emitStore(StoreOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getValue().getType());
  SmallVector<Value> trees(op->operand_begin(), op->operand_end());
  ArrayRef<int64_t> shape = type ? type.getShape() : ArrayRef<int64_t>();
  prepare(trees, shape);
  Nest nest = chooseNest(trees, shape, op.getPtr());
  forEachPoint(nest, trees, [&](const Point &p) { emitStoreAt(op, p); },
               op.getMask());
  finishCaptures();
}

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
    here();
    auto emit = [&]() -> Value {
      return LLVM::AtomicRMWOp::create(b, loc, binaryOp(op.getAtomicRmwOp()),
                                       ptr.base, val.base, ordering(op.getSem()),
                                       StringRef(), memBytes(elem));
    };
    Value old;
    if (mask && !isTrue(*mask)) {
      auto branch = scf::IfOp::create(b, loc, scalarType(elem), mask->base, true);
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
    Value pair = LLVM::AtomicCmpXchgOp::create(b, loc, ptr.base, asBits(cmp.base),
                                               asBits(val.base), success, failure);
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
