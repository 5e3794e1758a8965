//===- EmitPieces.cpp - loops from one end of a row to the next -*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// The loop of the vector dimension runs piece by piece (Pieces.h). What ends a
// piece is computed once at its start, by scalars, and is a progression or the
// same in all lanes from there on: memory is read in whole vectors, and no
// vector has to divide. Where pieces do not consist of whole vectors, the last
// one of each is masked.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

/// The point of a value with dimensions `dims` at `outer`, with `index` along
/// the vector dimension.
static Point pointAt(const DimMap &dims, const Nest &nest, const Point &outer,
                     DimIndex index, Value zero) {
  Point p;
  p.width = index.vec ? nest.width : 1;
  for (int d : dims)
    p.dims.push_back(d < 0              ? DimIndex{zero, 0, false}
                     : d == nest.vecDim ? index
                                        : outer.dims[d]);
  return p;
}

/// How many indices from `x` on its type has, as i64. (Of 64 bits one less: it
/// would not be one of them.)
Value Emitter::toOverflow(Value x) {
  here();
  unsigned bits = x.getType().getIntOrFloatBitWidth();
  int64_t end = APInt::getSignedMaxValue(bits).getSExtValue() + (bits < 64);
  return b.createOrFold<arith::SubIOp>(loc, i64(end),
                                       intCast(x, b.getI64Type()));
}

/// A bound of the absolute value of `v`; the largest number if none is known.
static int64_t largest(Value v, int &budget) {
  constexpr int64_t unknown = std::numeric_limits<int64_t>::max();
  APInt c;
  if (matchPattern(v, m_ConstantInt(&c)))
    return c.getBitWidth() <= 32 ? std::abs(c.getSExtValue()) : unknown;
  Operation *op = v.getDefiningOp();
  if (!op || --budget < 0)
    return unknown;
  if (isa<arith::ExtSIOp>(op))
    return largest(op->getOperand(0), budget);
  if (isa<arith::RemSIOp>(op) &&
      matchPattern(op->getOperand(1), m_ConstantInt(&c)) &&
      c.isStrictlyPositive())
    return c.getSExtValue();
  if (!isa<arith::AddIOp, arith::SubIOp>(op))
    return unknown;
  int64_t x = largest(op->getOperand(0), budget);
  int64_t y = largest(op->getOperand(1), budget);
  return x == unknown || y == unknown ? unknown : x + y;
}

/// `length`, but not beyond the largest value that `x` can have.
Value Emitter::beforeOverflow(Value length, Value x) {
  int budget = kBudget;
  if (largest(x, budget) < (1 << 30) &&
      x.getType().getIntOrFloatBitWidth() >= 32)
    return length;
  Value limit = toOverflow(x);
  return b.createOrFold<arith::MinSIOp>(loc, length, limit);
}

/// From the start of a piece to the end of the row that a remainder or quotient
/// is about, as i64; less than 1 if there are no rows.
Value Emitter::toEndOfRow(Value v, const Point &start) {
  Operation *op = v.getDefiningOp();
  Value x = firstLane(eval(op->getOperand(0), start));
  Value n = firstLane(eval(op->getOperand(1), start));
  Value column = firstLane(eval(v, start));
  here();
  if (isa<arith::DivSIOp>(op))
    column = b.createOrFold<arith::SubIOp>(
        loc, x, b.createOrFold<arith::MulIOp>(loc, column, n));
  Type wide = b.getI64Type();
  column = intCast(column, wide);
  Value ahead = b.createOrFold<arith::SubIOp>(loc, intCast(n, wide), column);
  int budget = kBudget;
  if (!isNotNegative(x, budget)) {
    // Rows below zero end with a multiple, those above begin with one.
    Value below = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x,
                                        zero(x.getType(), 1));
    Value behind = b.createOrFold<arith::SubIOp>(loc, i64(1), column);
    ahead = arith::SelectOp::create(b, loc, below, behind, ahead);
  }
  return beforeOverflow(ahead, x);
}

/// From the start of a piece to where a comparison changes, as i64.
Value Emitter::toBound(Value v, int dim, const Point &start) {
  Value lhs, rhs;
  bool orEqual = false;
  asLess(v.getDefiningOp<arith::CmpIOp>(), lhs, rhs, orEqual);
  bool grows = strideInPiece(lhs, dim) == 1;
  Value x = firstLane(eval(grows ? lhs : rhs, start));
  Value bound = firstLane(eval(grows ? rhs : lhs, start));
  here();
  Type wide = b.getI64Type();
  Value ahead = b.createOrFold<arith::SubIOp>(loc, intCast(bound, wide),
                                              intCast(x, wide));
  // The first index above a bound that is one of the lower ones itself.
  if (grows == orEqual)
    ahead = b.createOrFold<arith::AddIOp>(loc, ahead, i64(1));
  constexpr int64_t farAway = std::numeric_limits<int64_t>::max();
  Value isAhead =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, ahead, i64(0));
  return beforeOverflow(
      arith::SelectOp::create(b, loc, isAhead, ahead, i64(farAway)), x);
}

/// From the start of a piece to its end because of `piece`, as i64.
Value Emitter::pieceLength(const PieceValue &piece, const Nest &nest,
                           const Point &outer, DimIndex start) {
  auto at = [&](const DimMap &dims) {
    return pointAt(dims, nest, outer, start, i64(0));
  };
  Point p = at(piece.dims);
  int dim = llvm::find(piece.dims, nest.vecDim) - piece.dims.begin();
  Value length = isa<arith::CmpIOp>(piece.value.getDefiningOp())
                     ? toBound(piece.value, dim, p)
                     : toEndOfRow(piece.value, p);
  // Indices are widened on their way.
  walkTree(piece.value, piece.dims, [&](Value v, const DimMap &dims) {
    auto ext = v.getDefiningOp<arith::ExtSIOp>();
    const auto *d = llvm::find(dims, nest.vecDim);
    if (ext && d != dims.end() &&
        strideInPiece(v, d - dims.begin()).value_or(0) != 0) {
      length = beforeOverflow(length, firstLane(eval(ext.getIn(), at(dims))));
    }
    return !isKnown(v);
  });
  if (piece.masks.empty())
    return length;
  Value matters;
  for (Value mask : piece.masks) {
    Value holds = firstLane(eval(mask, at(piece.maskDims)));
    here();
    matters =
        matters ? b.createOrFold<arith::OrIOp>(loc, matters, holds) : holds;
  }
  return b.createOrFold<arith::SelectOp>(loc, matters, length,
                                         i64(nest.shape[nest.vecDim]));
}

/// Do pieces from multiples of the vectors' width on end with one?
bool Emitter::hasWholeVectors(const PieceValue &piece, const Nest &nest,
                              const Point &outer, DimIndex start) {
  Point p = pointAt(piece.dims, nest, outer, start, i64(0));
  auto isWhole = [&](Value v) {
    int budget = kBudget;
    return isMultiple(firstLane(eval(v, p)), nest.width, budget);
  };
  Operation *op = piece.value.getDefiningOp();
  if (!isWhole(op->getOperand(0)) || !isWhole(op->getOperand(1)))
    return false;
  if (auto cmp = dyn_cast<arith::CmpIOp>(op))
    return cmp.getPredicate() == arith::CmpIPredicate::slt ||
           cmp.getPredicate() == arith::CmpIPredicate::sge;
  int budget = kBudget;
  return constantSplat(op->getOperand(1)) &&
         isNotNegative(firstLane(eval(op->getOperand(0), p)), budget);
}

bool Emitter::isKnown(Value v) const {
  return buffers.contains(v) && !capturing.contains(v);
}

/// Calls `loop` for the whole vectors from `from` to `to`, and for the rest.
void Emitter::emitPiece(const Nest &nest, Value from, Value to,
                        function_ref<void(Value, Value)> loop) {
  if (!raggedPieces)
    return loop(from, to);
  here();
  Value extent = b.createOrFold<arith::SubIOp>(loc, to, from);
  extent = b.createOrFold<arith::AndIOp>(loc, extent, i64(-nest.width));
  Value whole = b.createOrFold<arith::AddIOp>(loc, from, extent);
  loop(from, whole);
  llvm::SaveAndRestore<Value> saved(pieceEnd, to);
  loop(whole, to);
}

/// Calls `loop` for the indices of each piece before `end`.
void Emitter::forEachPiece(const Nest &nest, ArrayRef<PieceValue> all,
                           const Point &outer, Value end,
                           function_ref<void(Value, Value)> loop) {
  auto anywhere = [&](const PieceValue &piece) {
    return pointAt(piece.dims, nest, outer, {i64(0), 0, true}, i64(0));
  };
  SmallVector<PieceValue> pieces;
  for (const PieceValue &piece : all)
    if (llvm::none_of(prefixMasks, [&](const Assumption &a) {
          return matches(a, piece.value, anywhere(piece));
        })) // else it holds up to the end
      pieces.push_back(piece);
  if (pieces.empty())
    return loop(i64(0), end);
  unsigned level = depth();
  here();
  Type wide = b.getI64Type();
  auto next = scf::WhileOp::create(
      b, loc, TypeRange(wide), ValueRange{i64(0)},
      [&](OpBuilder &nested, Location at, ValueRange args) {
        Value more = arith::CmpIOp::create(
            nested, at, arith::CmpIPredicate::slt, args[0], end);
        scf::ConditionOp::create(nested, at, more, args);
      },
      [&](OpBuilder &nested, Location at, ValueRange args) {
        scf::YieldOp::create(nested, at, args);
      });
  Operation *saved = scopes[level]->before;
  scopes[level]->before = next;
  Operation *yield = next.getAfterBody()->getTerminator();
  pushScope(next.getAfterBody(), yield);

  DimIndex start{next.getAfterArguments()[0], depth(), false};
  llvm::SaveAndRestore<Value> savedStart(pieceStart, start.base);
  llvm::SaveAndRestore<int64_t> savedRow(shortestRow, shortestRow);
  llvm::SaveAndRestore<bool> savedRagged(raggedPieces, false);
  size_t known = pieceValues.size();
  Value length;
  for (const PieceValue &piece : pieces) {
    if (!piece.isImplied) {
      Value own = pieceLength(piece, nest, outer, start);
      raggedPieces |= !hasWholeVectors(piece, nest, outer, start);
      here();
      length = length ? b.createOrFold<arith::MinSIOp>(loc, length, own) : own;
    }
    Lanes lanes = Lanes::uniform(
        firstLane(
            eval(piece.value, pointAt(piece.dims, nest, outer, start, i64(0)))),
        depth());
    lanes.isLocal = true;
    Operation *op = piece.value.getDefiningOp();
    if (isa<arith::RemSIOp>(op)) {
      here();
      lanes.kind = Lanes::Affine;
      lanes.stride = 1;
      lanes.base = b.createOrFold<arith::SubIOp>(
          loc, lanes.base, intCast(start.base, lanes.base.getType()));
      shortestRow = std::min(
          shortestRow, constantSplat(op->getOperand(1)).value_or(shortestRow));
    }
    pieceValues.push_back({piece.value, anywhere(piece), lanes});
  }
  here();
  Value stop = end;
  if (length) {
    length = b.createOrFold<arith::MaxSIOp>(loc, length, i64(1));
    length = b.createOrFold<arith::MinSIOp>(loc, length,
                                            i64(nest.shape[nest.vecDim]));
    stop = b.createOrFold<arith::AddIOp>(loc, start.base, length);
    stop = b.createOrFold<arith::MinSIOp>(loc, stop, end);
  }
  if (raggedPieces)
    pieceStart = {};
  emitPiece(nest, start.base, stop, loop);
  pieceValues.truncate(known);
  yield->setOperand(0, stop);
  popScope();
  scopes[level]->before = saved;
}

/// Those lanes of `mask` that are before the end of the piece.
std::optional<Lanes> Emitter::insidePiece(std::optional<Lanes> mask,
                                          const Point &p) {
  int dim = p.vecDim();
  if (!pieceEnd || dim < 0)
    return mask;
  const DimIndex &index = p.dims[dim];
  at(index.level);
  Type i32 = b.getI32Type();
  Value rest = b.createOrFold<arith::SubIOp>(loc, pieceEnd, index.base);
  Value splat =
      asVector(Lanes::uniform(intCast(rest, i32), index.level), i32, p.width);
  at(index.level);
  Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                       stepVector(i32, p.width, 1), splat);
  if (!mask)
    return Lanes::vector(inside, index.level);
  Value all = asVector(*mask, b.getI1Type(), p.width);
  unsigned level = std::max(mask->maxLevel(), index.level);
  at(level);
  return Lanes::vector(arith::AndIOp::create(b, loc, all, inside), level);
}
