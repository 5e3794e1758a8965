//===- EmitAffine.cpp - lanes at equal distances ----------------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// Index arithmetic keeps progressions: their first element and step are
// scalars, and only what is no progression becomes a vector.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

static Type elementType(Value v) { return getElementTypeOrSelf(v.getType()); }

/// Whether `op` keeps lanes at equal distances, given operands that do.
static bool isIndexArithmetic(Operation *op) {
  return isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp,
                         arith::ExtSIOp, arith::TruncIOp, BroadcastOp,
                         ExpandDimsOp, ReshapeOp, TransOp, AddPtrOp>(op);
}

bool Emitter::widensIndices(Value v) {
  Operation *op = v.getDefiningOp();
  if (!isIndexArithmetic(op) || buffers.contains(v))
    return false;
  auto known = widening.find(v);
  if (known != widening.end())
    return known->second;
  bool widens = isa<arith::ExtSIOp>(op) ||
                llvm::any_of(op->getOperands(), [&](Value operand) {
                  return widensIndices(operand);
                });
  return widening[v] = widens;
}

/// Whether `affine` lanes may leave the range of the narrower type of
/// conversion `op`, so that it does not commute with the steps from lane to
/// lane.
///
/// Small integers are meant to wrap, and so are products with large numbers,
/// which make hashes. Other indices of 32 bits wrap, too, but not those of
/// memory: what is on both sides of the end of a range of addresses is not one
/// array.
static bool mayWrap(Operation *op, const Lanes &affine, bool isAddress) {
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  unsigned bits =
      std::min(from.getIntOrFloatBitWidth(), to.getIntOrFloatBitWidth());
  constexpr int64_t largestStep = 1 << 16;
  if (bits < 32 || std::abs(affine.stride) > largestStep)
    return true;
  if (isAddress || isa<arith::TruncIOp>(op))
    return false;
  APInt base;
  if (affine.dynStride || !matchPattern(affine.base, m_ConstantInt(&base)))
    return true;
  int64_t elements =
      cast<RankedTensorType>(op->getResult(0).getType()).getNumElements();
  return base.getSignificantBits() >= bits - 1 ||
         std::abs(affine.stride) * elements >= int64_t(1) << (bits - 2);
}

std::optional<Lanes>
Emitter::evalAffine(Operation *op, ArrayRef<Lanes> operands, bool isAddress) {
  if (llvm::none_of(operands, [](const Lanes &l) { return l.isAffine(); }) ||
      llvm::any_of(operands,
                   [](const Lanes &l) { return l.kind == Lanes::Vector; }))
    return std::nullopt;
  if (isa<arith::ExtSIOp, arith::TruncIOp>(op)) {
    Lanes r = operands[0];
    if (mayWrap(op, r, isAddress))
      return std::nullopt;
    at(r.level);
    r.base = intCast(r.base, elementType(op->getResult(0)));
    return r;
  }
  if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    bool isSub = isa<arith::SubIOp>(op);
    Lanes x = operands[0], y = operands[1];
    if (x.isAffine() && y.isAffine() && x.pos != y.pos) {
      x = withoutPos(x);
      y = withoutPos(y);
    }
    Lanes r = x.isAffine() ? x : y;
    r.kind = Lanes::Affine;
    r.isLocal = x.isLocal || y.isLocal;
    r.level = std::max(x.level, y.level);
    at(r.level);
    r.base = isSub ? b.createOrFold<arith::SubIOp>(loc, x.base, y.base)
                   : b.createOrFold<arith::AddIOp>(loc, x.base, y.base);
    if (x.dynStride || y.dynStride) {
      Value sx = x.isAffine() ? strideValue(x) : i64(0);
      Value sy = y.isAffine() ? strideValue(y) : i64(0);
      at(r.level);
      r.dynStride = isSub ? b.createOrFold<arith::SubIOp>(loc, sx, sy)
                          : b.createOrFold<arith::AddIOp>(loc, sx, sy);
      r.stride = 0;
    } else {
      int64_t sx = x.isAffine() ? x.stride : 0;
      int64_t sy = y.isAffine() ? y.stride : 0;
      r.stride = isSub ? sx - sy : sx + sy;
    }
    return r;
  }
  if (isa<arith::MulIOp>(op)) {
    bool first = operands[0].isAffine();
    Lanes r = operands[first ? 0 : 1];
    const Lanes &factor = operands[first ? 1 : 0];
    if (factor.isAffine())
      return std::nullopt;
    r.level = std::max(r.level, factor.level);
    r.isLocal |= factor.isLocal;
    at(r.level);
    r.base = b.createOrFold<arith::MulIOp>(loc, r.base, factor.base);
    IntegerAttr c;
    if (!r.dynStride && matchPattern(factor.base, m_Constant(&c))) {
      r.stride *= c.getValue().getSExtValue();
    } else {
      Value wide = intCast(factor.base, b.getI64Type());
      r.dynStride = b.createOrFold<arith::MulIOp>(loc, strideValue(r), wide);
    }
    return r;
  }
  return std::nullopt;
}

Lanes Emitter::evalAddPtr(AddPtrOp op, const Point &place) {
  Point p = place;
  p.isAddress = true;
  Lanes ptr = eval(op.getPtr(), p);
  Lanes off = eval(op.getOffset(), p);
  if (failed)
    return Lanes();
  Type elem =
      cast<triton::PointerType>(elementType(op.getPtr())).getPointeeType();
  int64_t bytes = memBytes(elem);
  Type i64Type = b.getI64Type();
  if (ptr.kind == Lanes::Vector || off.kind == Lanes::Vector) {
    unsigned level = std::max(ptr.maxLevel(), off.maxLevel());
    Value addresses = asVector(ptr, op.getPtr().getType(), p.width);
    Value index = asVector(off, elementType(op.getOffset()), p.width);
    at(level);
    index = intCast(index, VectorType::get({p.width}, i64Type));
    Value scaled = b.createOrFold<arith::MulIOp>(
        loc, index,
        splatConstant(i64Type, b.getI64IntegerAttr(bytes), p.width));
    return Lanes::vector(arith::AddIOp::create(b, loc, addresses, scaled),
                         level);
  }
  if (ptr.isAffine() && off.isAffine() && ptr.pos != off.pos) {
    ptr = withoutPos(ptr);
    off = withoutPos(off);
  }
  Lanes r = ptr.isAffine() ? ptr : off;
  r.level = std::max(ptr.level, off.level);
  r.isLocal = ptr.isLocal || off.isLocal;
  at(r.level);
  Value offset = intCast(off.base, i64Type);
  r.base = offsetPtr(ptr.base,
                     b.createOrFold<arith::MulIOp>(loc, offset, i64(bytes)));
  if (ptr.isUniform() && off.isUniform())
    return r;
  if (ptr.dynStride || off.dynStride) {
    Value so = off.isAffine() ? strideValue(off) : i64(0);
    Value sp = ptr.isAffine() ? strideValue(ptr) : i64(0);
    at(r.level);
    so = b.createOrFold<arith::MulIOp>(loc, so, i64(bytes));
    r.dynStride = b.createOrFold<arith::AddIOp>(loc, sp, so);
    r.stride = 0;
  } else {
    r.stride = (ptr.isAffine() ? ptr.stride : 0) +
               bytes * (off.isAffine() ? off.stride : 0);
  }
  return r;
}
