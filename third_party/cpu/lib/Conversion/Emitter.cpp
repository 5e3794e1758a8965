//===- Emitter.cpp - scopes, constants and types ----------------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "CollectAdds.h"
#include "Streaming.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

SmallVector<int64_t> Buffer::strides() const {
  SmallVector<int64_t> result(shape.size(), 1);
  int64_t next = inner < 0 ? 1 : shape[inner];
  for (int i = static_cast<int>(shape.size()) - 1; i >= 0; --i) {
    if (i == inner)
      continue;
    result[i] = next;
    next *= shape[i];
  }
  return result;
}

Emitter::Emitter(OpBuilder &builder, const LoweringOptions &options)
    : b(builder), loc(builder.getUnknownLoc()), options(options),
      vectorBits(options.vectorBits), sanitize(options.sanitize) {}

LogicalResult Emitter::run(FuncOp func, Block *body, const Kernel &k) {
  kernel = k;
  plan.analyze(func);
  // A program that is stopped half-way must not leave anything to be added.
  mayCollect = options.collectAdds && !sanitize && mayCollectAdds(func);
  if (options.streamBytes)
    streamable = streamableStores(func, plan);
  scopes.clear();
  pushScope(body,
            body->mightHaveTerminator() ? body->getTerminator() : nullptr);
  for (Operation &op : func.getBody().front()) {
    if (isa<ReturnOp>(op)) {
      if (op.getNumOperands() != 0)
        error(&op, "a kernel returns nothing");
      break;
    }
    emitOp(&op);
    if (failed)
      return failure();
  }
  return success(!failed);
}

Lanes Emitter::error(Operation *op, const Twine &message) {
  if (!failed)
    op->emitError() << "CPU lowering: " << message;
  failed = true;
  return Lanes();
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

OpBuilder &Emitter::at(unsigned level) {
  Scope &scope = *scopes[level];
  if (scope.before)
    b.setInsertionPoint(scope.before);
  else
    b.setInsertionPointToEnd(scope.block);
  return b;
}

void Emitter::pushScope(Block *block, Operation *before) {
  auto scope = std::make_unique<Scope>();
  scope->block = block;
  scope->before = before;
  scopes.push_back(std::move(scope));
}

void Emitter::popScope() { scopes.pop_back(); }

void Emitter::beginRoot() {
  scopes.resize(1);
  scopes[0]->memo.clear();
  prefixMasks.clear();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type Emitter::scalarType(Type elem) const {
  if (isa<triton::PointerType>(elem))
    return LLVM::LLVMPointerType::get(b.getContext());
  return elem;
}

Type Emitter::valueType(Type elem, int64_t width) const {
  if (width == 1)
    return scalarType(elem);
  if (isa<triton::PointerType>(elem))
    elem = b.getI64Type();
  return VectorType::get({width}, elem);
}

Type Emitter::memType(Type elem) const {
  if (elem.isInteger(1))
    return b.getI8Type();
  if (isa<triton::PointerType>(elem))
    return b.getI64Type();
  // The formats of one byte are plain integers to LLVM. Masked accesses to half
  // floats, too, become one instruction only as integers.
  if (auto f = dyn_cast<FloatType>(elem); f && f.getWidth() <= 16)
    return b.getIntegerType(f.getWidth());
  return elem;
}

int64_t Emitter::memBytes(Type elem) const {
  return std::max<int64_t>(memType(elem).getIntOrFloatBitWidth() / 8, 1);
}

int64_t Emitter::lanesFor(int64_t extent) const {
  return std::min<int64_t>(vectorBits / 32, extent);
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value Emitter::constant(TypedAttr attr) {
  Value &slot = constants[attr];
  if (!slot) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(kernel.entry);
    slot = arith::ConstantOp::create(b, loc, attr);
  }
  return slot;
}

Value Emitter::splatConstant(Type elem, TypedAttr attr, int64_t width) {
  if (width == 1)
    return constant(attr);
  return constant(DenseElementsAttr::get(VectorType::get({width}, elem),
                                         ArrayRef<Attribute>(attr)));
}

Value Emitter::zero(Type elem, int64_t width) {
  if (isa<triton::PointerType>(elem)) {
    if (width != 1)
      return zero(b.getI64Type(), width);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(kernel.entry);
    return LLVM::ZeroOp::create(b, loc, scalarType(elem));
  }
  return splatConstant(elem, b.getZeroAttr(elem), width);
}

Value Emitter::stepVector(Type elem, int64_t width, int64_t stride) {
  unsigned bits = elem.getIntOrFloatBitWidth();
  SmallVector<APInt> values;
  for (int64_t i = 0; i < width; ++i)
    values.push_back(APInt(64, i * stride, true).trunc(bits));
  return constant(
      DenseIntElementsAttr::get(VectorType::get({width}, elem), values));
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

Value Emitter::scalar(Value v) {
  auto it = scalars.find(v);
  if (it != scalars.end())
    return it->second;
  if (auto c = v.getDefiningOp<arith::ConstantOp>())
    return scalars[v] = constant(c.getValue());
  if (v.getDefiningOp<ub::PoisonOp>()) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(kernel.entry);
    return scalars[v] = LLVM::PoisonOp::create(b, loc, scalarType(v.getType()));
  }
  if (Operation *op = v.getDefiningOp())
    error(op, "scalar is used before it is lowered");
  failed = true;
  return LLVM::PoisonOp::create(here(), loc, scalarType(v.getType()));
}

Value Emitter::intCast(Value v, Type to, bool isSigned) {
  Type from = v.getType();
  if (from == to)
    return v;
  unsigned fromBits = getElementTypeOrSelf(from).getIntOrFloatBitWidth();
  unsigned toBits = getElementTypeOrSelf(to).getIntOrFloatBitWidth();
  if (fromBits > toBits)
    return b.createOrFold<arith::TruncIOp>(loc, to, v);
  if (fromBits == toBits)
    return v;
  return isSigned ? b.createOrFold<arith::ExtSIOp>(loc, to, v)
                  : b.createOrFold<arith::ExtUIOp>(loc, to, v);
}

Value Emitter::offsetPtr(Value ptr, Value bytes) {
  IntegerAttr c;
  if (matchPattern(bytes, m_Constant(&c)) && c.getValue().isZero())
    return ptr;
  return LLVM::GEPOp::create(b, loc, ptr.getType(), b.getI8Type(), ptr,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

Value Emitter::strideValue(const Lanes &l) {
  return l.dynStride ? l.dynStride : i64(l.stride);
}

Value Emitter::firstLane(const Lanes &l) {
  if (!l.isAffine() || !l.pos)
    return l.base;
  at(l.maxLevel());
  Value offset = b.createOrFold<arith::MulIOp>(loc, l.pos, strideValue(l));
  if (isa<LLVM::LLVMPointerType>(l.base.getType()))
    return offsetPtr(l.base, offset);
  return b.createOrFold<arith::AddIOp>(loc, l.base,
                                       intCast(offset, l.base.getType()));
}

Lanes Emitter::withoutPos(const Lanes &l) {
  if (!l.isAffine() || !l.pos)
    return l;
  Lanes r = l;
  r.base = firstLane(l);
  r.level = l.maxLevel();
  r.pos = {};
  r.posLevel = 0;
  return r;
}

Value Emitter::asVector(const Lanes &l, Type elem, int64_t width) {
  if (l.kind == Lanes::Vector)
    return l.base;
  if (failed)
    return LLVM::PoisonOp::create(here(), loc, valueType(elem, width));
  Value first = firstLane(l);
  if (width == 1)
    return first;
  at(l.maxLevel());
  bool isPtr = isa<LLVM::LLVMPointerType>(first.getType());
  if (isPtr)
    first = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), first);
  Type laneType = first.getType();
  auto vecType = VectorType::get({width}, laneType);
  Value splat =
      first.getDefiningOp<arith::ConstantOp>()
          ? splatConstant(
                laneType,
                cast<TypedAttr>(
                    first.getDefiningOp<arith::ConstantOp>().getValue()),
                width)
          : Value(vector::BroadcastOp::create(b, loc, vecType, first));
  if (l.isUniform())
    return splat;
  if (!l.dynStride)
    return b.createOrFold<arith::AddIOp>(loc, splat,
                                         stepVector(laneType, width, l.stride));
  Value factor = vector::BroadcastOp::create(b, loc, vecType,
                                             intCast(l.dynStride, laneType));
  Value steps =
      arith::MulIOp::create(b, loc, factor, stepVector(laneType, width, 1));
  return arith::AddIOp::create(b, loc, splat, steps);
}

Lanes Emitter::result(Value v, int64_t width, unsigned level) {
  return isa<VectorType>(v.getType()) ? Lanes::vector(v, level)
                                      : Lanes::uniform(v, level);
}
