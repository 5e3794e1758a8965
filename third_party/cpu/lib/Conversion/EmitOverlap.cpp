//===- EmitOverlap.cpp - may accesses of a nest overlap? --------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// A nest that reads and writes may do so in one go if every store writes only
// what has been read for good. Two of its accesses are fine if
// - they are apart: the bounds of their addresses do not meet, or
// - they are in step: the addresses are the same at every point, or rows of the
//   one fall between rows of the other, as the two halves of a head do.
// Bounds are of whole blocks, masked or not, so the answer may be a false yes.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

namespace {
/// A pointer tensor through which a nest reads or writes.
struct Stream {
  Value ptr;
  bool isStore;
  bool pointwise; ///< index for index the points of the nest
};
} // namespace

class Emitter::OverlapCheck {
public:
  OverlapCheck(Emitter &e, const Nest &nest) : e(e), b(e.b), nest(nest) {}

  /// i1, null for a certain no.
  Value run(ArrayRef<Stream> streams) {
    for (auto [i, x] : llvm::enumerate(streams))
      for (const Stream &y : streams.drop_front(i + 1))
        if (x.isStore || y.isStore)
          require(fine(x, y));
    for (Value condition : fits)
      require(condition);
    if (!allFine || matchPattern(allFine, m_One()))
      return {};
    return b.createOrFold<arith::XOrIOp>(e.loc, allFine,
                                         e.constant(b.getBoolAttr(true)));
  }

private:
  using Predicate = arith::CmpIPredicate;

  Value fine(const Stream &x, const Stream &y) {
    Value step = inStep(x, y);
    if (step && matchPattern(step, m_One()))
      return step;
    Value apart = areApart(x.ptr, y.ptr);
    return step ? either(apart, step) : apart;
  }

  //===--- Apart ---===//

  Value areApart(Value x, Value y) {
    if (x == y)
      return e.constant(b.getBoolAttr(false));
    Bounds p = bounds(x), q = bounds(y);
    return either(compare(Predicate::sle, end(p, x), q.lo),
                  compare(Predicate::sle, end(q, y), p.lo));
  }

  Value end(const Bounds &of, Value ptr) {
    return add(of.hi, e.i64(elementBytes(ptr)));
  }

  int64_t elementBytes(Value ptr) {
    Type type = getElementTypeOrSelf(ptr.getType());
    return e.memBytes(cast<triton::PointerType>(type).getPointeeType());
  }

  Bounds bounds(Value v) {
    if (auto it = known.find(v); it != known.end())
      return it->second;
    Bounds result = computeBounds(v);
    known[v] = result;
    return result;
  }

  Bounds uniform(Value v) {
    e.here();
    if (isa<LLVM::LLVMPointerType>(v.getType()))
      v = LLVM::PtrToIntOp::create(b, e.loc, b.getI64Type(), v);
    v = e.intCast(v, b.getI64Type());
    return {v, v};
  }

  /// Of the values that hasBounds accepts. 64 bits are enough for all steps.
  Bounds computeBounds(Value v) {
    if (!isa<RankedTensorType>(v.getType()))
      return uniform(e.scalar(v));
    if (auto splat = v.getDefiningOp<SplatOp>())
      return uniform(e.scalar(splat.getSrc()));
    if (std::optional<int64_t> c = constantSplat(v))
      return {e.i64(*c), e.i64(*c)};
    Operation *op = v.getDefiningOp();
    if (auto range = dyn_cast<MakeRangeOp>(op))
      return {e.i64(range.getStart()), e.i64(int64_t(range.getEnd()) - 1)};
    if (isa<arith::MulIOp>(op))
      return product(op);
    Bounds x = bounds(op->getOperand(0));
    if (op->getNumOperands() == 1)
      return x; // shape and width
    Bounds y = bounds(op->getOperand(1));
    return llvm::TypeSwitch<Operation *, Bounds>(op)
        .Case([&](AddPtrOp add) {
          Value bytes = e.i64(elementBytes(add.getPtr()));
          return sum(x, {mul(y.lo, bytes), mul(y.hi, bytes)});
        })
        .Case([&](arith::AddIOp) { return sum(x, y); })
        .Case([&](arith::SubIOp) {
          return Bounds{sub(x.lo, y.hi), sub(x.hi, y.lo)};
        })
        .Case([&](arith::MinSIOp) {
          return Bounds{least(x.lo, y.lo), least(x.hi, y.hi)};
        })
        .Case([&](arith::MaxSIOp) {
          return Bounds{greatest(x.lo, y.lo), greatest(x.hi, y.hi)};
        })
        .Case([&](arith::DivSIOp) {
          return Bounds{b.createOrFold<arith::DivSIOp>(e.loc, x.lo, y.lo),
                        b.createOrFold<arith::DivSIOp>(e.loc, x.hi, y.lo)};
        })
        .Case([&](arith::RemSIOp) { return remainder(x, y.lo); })
        .Case([&](arith::AndIOp) { return Bounds{e.i64(0), y.lo}; })
        .Default([&](Operation *) -> Bounds {
          e.error(op, "bounds of '" + op->getName().getStringRef() +
                          "' are not known");
          return {e.i64(0), e.i64(0)};
        });
  }

  Bounds sum(const Bounds &x, const Bounds &y) {
    return {add(x.lo, y.lo), add(x.hi, y.hi)};
  }

  Bounds product(Operation *op) {
    Bounds x = bounds(op->getOperand(0)), y = bounds(op->getOperand(1));
    bool second = y.lo == y.hi;
    Value factor = second ? y.lo : x.lo;
    const Bounds &other = second ? x : y;
    Value p = mul(other.lo, factor), q = mul(other.hi, factor);
    // A product with a large number may be meant to wrap: a hash.
    constexpr int64_t large = 1 << 16;
    std::optional<int64_t> c = constantSplat(op->getOperand(second ? 1 : 0));
    Type elem = getElementTypeOrSelf(op->getResult(0).getType());
    Bounds r{least(p, q), greatest(p, q)};
    if (c && std::abs(*c) > large && elem.isInteger(32)) {
      fits.push_back(compare(Predicate::sge, r.lo,
                             e.i64(std::numeric_limits<int>::min())));
      fits.push_back(compare(Predicate::sle, r.hi,
                             e.i64(std::numeric_limits<int>::max())));
    }
    return r;
  }

  /// By a positive constant; the sign is the dividend's.
  Bounds remainder(const Bounds &x, Value divisor) {
    Value last = sub(divisor, e.i64(1));
    return {least(greatest(x.lo, sub(e.i64(0), last)), e.i64(0)),
            greatest(least(x.hi, last), e.i64(0))};
  }

  //===--- In step ---===//

  /// i1, null if that cannot be said.
  Value inStep(const Stream &x, const Stream &y) {
    if (!x.pointwise || !y.pointwise || !differByUniform(x.ptr, y.ptr) ||
        elementBytes(x.ptr) != elementBytes(y.ptr))
      return {};
    for (auto [dim, extent] : llvm::enumerate(nest.shape))
      if (extent > 1 && strideAlong(x.ptr, dim) == 0)
        return {}; // the same place several times
    if (x.ptr == y.ptr)
      return e.constant(b.getBoolAttr(true));
    Value distance = sub(first(y.ptr), first(x.ptr));
    Value same = compare(Predicate::eq, distance, e.i64(0));
    Value between = betweenRows(x.ptr, distance);
    return between ? either(same, between) : same;
  }

  /// Rows go along the vector dimension, one after the other in memory. A row
  /// that is moved by `distance` meets no other row if that, modulo the step
  /// from row to row, leaves room for a row on both sides.
  Value betweenRows(Value ptr, Value distance) {
    if (nest.vecDim < 0 || !isLinear(ptr))
      return {};
    std::optional<int64_t> lane = strideAlong(ptr, nest.vecDim);
    if (!lane || *lane < 1)
      return {};
    int64_t bytes = elementBytes(ptr);
    Value row = e.i64(((nest.shape[nest.vecDim] - 1) * *lane + 1) * bytes);
    SmallVector<Value> steps;
    for (int dim = nest.shape.size() - 1; dim >= 0; --dim)
      if (dim != nest.vecDim && nest.shape[dim] > 1)
        steps.push_back(stepAlong(ptr, dim));
    if (steps.empty())
      return {};
    Value step = greatest(steps[0], e.i64(1));
    Value fine = e.constant(b.getBoolAttr(true));
    for (Value other : ArrayRef<Value>(steps).drop_front())
      fine = both(fine, compare(Predicate::eq, rest(other, step), e.i64(0)));
    Value offset = rest(distance, step);
    Value negative = compare(Predicate::slt, offset, e.i64(0));
    offset = b.createOrFold<arith::SelectOp>(e.loc, negative, add(offset, step),
                                             offset);
    fine = both(fine, compare(Predicate::sge, offset, row));
    return both(fine, compare(Predicate::sge, sub(step, offset), row));
  }

  Value stepAlong(Value ptr, int dim) {
    if (std::optional<int64_t> stride = strideAlong(ptr, dim))
      return e.i64(*stride * elementBytes(ptr));
    return sub(addressAt(ptr, dim), first(ptr));
  }

  Value first(Value ptr) { return addressAt(ptr, -1); }

  /// At index 1 along `dim` and 0 along the others.
  Value addressAt(Value ptr, int dim) {
    Point p;
    for (int d = 0, rank = nest.shape.size(); d < rank; ++d)
      p.dims.push_back({e.i64(d == dim), 0, false});
    return uniform(e.eval(ptr, p).base).lo;
  }

  //===--- Arithmetic at level 0 ---===//

  void require(Value condition) {
    allFine = allFine ? both(allFine, condition) : condition;
  }
  Value compare(Predicate predicate, Value x, Value y) {
    e.here();
    return b.createOrFold<arith::CmpIOp>(e.loc, predicate, x, y);
  }
  template <typename Op> Value make(Value x, Value y) {
    e.here();
    return b.createOrFold<Op>(e.loc, x, y);
  }
  Value add(Value x, Value y) { return make<arith::AddIOp>(x, y); }
  Value sub(Value x, Value y) { return make<arith::SubIOp>(x, y); }
  Value mul(Value x, Value y) { return make<arith::MulIOp>(x, y); }
  Value rest(Value x, Value y) { return make<arith::RemSIOp>(x, y); }
  Value least(Value x, Value y) { return make<arith::MinSIOp>(x, y); }
  Value greatest(Value x, Value y) { return make<arith::MaxSIOp>(x, y); }
  Value either(Value x, Value y) { return make<arith::OrIOp>(x, y); }
  Value both(Value x, Value y) { return make<arith::AndIOp>(x, y); }

  Emitter &e;
  OpBuilder &b;
  const Nest &nest;
  DenseMap<Value, Bounds> known;
  SmallVector<Value> fits; ///< what the bounds rely on
  Value allFine;
};

Value Emitter::mayOverlap(const StoreGroup &group, const Nest &nest) {
  SmallVector<Stream> streams;
  auto note = [&](Value ptr, bool isStore, bool pointwise) {
    for (Stream &s : streams)
      if (s.ptr == ptr && s.isStore == isStore) {
        s.pointwise &= pointwise;
        return;
      }
    streams.push_back({ptr, isStore, pointwise});
  };
  bool bounded = true;
  for (StoreOp store : group.stores) {
    // Twice through the same pointers is once and once more at each point.
    note(store.getPtr(), true, true);
    DimMap identity = identityMap(nest.shape.size());
    walkTree(store.getValue(), identity, [&](Value v, const DimMap &dims) {
      if (buffers.contains(v) && !capturing.contains(v))
        return false;
      if (auto load = v.getDefiningOp<LoadOp>()) {
        bounded &= hasBounds(load.getPtr());
        bool sameShape = cast<RankedTensorType>(v.getType()).getShape() ==
                         ArrayRef<int64_t>(nest.shape);
        note(load.getPtr(), false, sameShape && dims == identity);
      }
      return true;
    });
  }
  // Nothing is lost by a detour but time.
  if (!bounded)
    return constant(b.getBoolAttr(true));
  return OverlapCheck(*this, nest).run(streams);
}
