//===- EmitBuffer.cpp - tensors in scratch memory ---------------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

Buffer Emitter::allocate(RankedTensorType type, int inner) {
  Buffer buffer;
  buffer.inner = inner;
  buffer.shape.assign(type.getShape().begin(), type.getShape().end());
  buffer.elem = type.getElementType();
  int64_t bytes = type.getNumElements() * memBytes(buffer.elem);
  OpBuilder::InsertionGuard guard(b);
  Value offset = i64(scratchTop);
  b.setInsertionPointAfterValue(offset);
  buffer.base =
      LLVM::GEPOp::create(b, loc, kernel.scratch.getType(), b.getI8Type(),
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
  std::optional<Lanes> inside = insidePiece({}, p);
  Value mask = inside ? inside->base : Value();
  at(level);
  if (laneStride == 1)
    return Lanes::vector(loadVector(ptr, buffer.elem, p.width, mask, {}),
                         level);
  Lanes lanes = Lanes::uniform(ptr, level);
  lanes.kind = Lanes::Affine;
  lanes.stride = laneStride * memBytes(buffer.elem);
  Value addresses = lanePointers(lanes, p.width);
  at(level);
  return Lanes::vector(gatherVector(addresses, buffer.elem, p.width, mask, {}),
                       level);
}

void Emitter::writeBuffer(const Buffer &buffer, const Point &p,
                          const Lanes &value) {
  Value v = asVector(value, buffer.elem, p.width);
  int64_t laneStride;
  unsigned level;
  Value ptr = bufferAddress(buffer, p, laneStride, level);
  std::optional<Lanes> inside = insidePiece({}, p);
  Value mask = inside ? inside->base : Value();
  if (p.width == 1 || laneStride == 1) {
    here();
    return storeVector(ptr, v, buffer.elem, p.width, mask);
  }
  Lanes lanes = Lanes::uniform(ptr, level);
  lanes.kind = Lanes::Affine;
  lanes.stride = laneStride * memBytes(buffer.elem);
  Value addresses = lanePointers(lanes, p.width);
  here();
  scatterVector(addresses, v, buffer.elem, p.width, mask);
}

void Emitter::copyBuffer(const Buffer &from, const Buffer &to) {
  int64_t bytes = memBytes(from.elem);
  for (int64_t d : from.shape)
    bytes *= d;
  if (from.inner != to.inner) {
    Nest nest;
    nest.shape = to.shape;
    nest.vecDim = to.inner < 0 ? to.shape.size() - 1 : to.inner;
    nest.width = lanesFor(to.shape[nest.vecDim]);
    return forEachPoint(nest, {}, [&](const Point &p) {
      writeBuffer(to, p, readBuffer(from, p));
    });
  }
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
  Nest nest = chooseNest(v, type.getShape(), {}, target.inner);
  if (mayTranspose(nest, target))
    materializeTransposed(v, nest, target);
  else
    forEachPoint(nest, v,
                 [&](const Point &p) { writeBuffer(target, p, eval(v, p)); });
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
