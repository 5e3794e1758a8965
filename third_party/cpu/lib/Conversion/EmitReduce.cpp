//===- EmitReduce.cpp - reductions ------------------------------*- C++ -*-===//
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

bool cpu::isStraightLine(Region &region) {
  return llvm::none_of(region.front(), [](Operation &op) {
    return op.getNumRegions() != 0 || isa<CallOp>(op);
  });
}

/// The neutral element of a combination that is a single known operation.
static TypedAttr neutralElement(Region &region, OpBuilder &b) {
  Block &block = region.front();
  if (block.getNumArguments() != 2 || block.getOperations().size() != 2)
    return {};
  Operation &op = block.front();
  Type type = block.getArgument(0).getType();
  auto isArg = [&](Value v) {
    return v.getParentBlock() == &block && isa<BlockArgument>(v);
  };
  if (op.getNumOperands() != 2 || !isArg(op.getOperand(0)) ||
      !isArg(op.getOperand(1)) || op.getOperand(0) == op.getOperand(1))
    return {};
  auto integer = [&](APInt v) -> TypedAttr {
    return b.getIntegerAttr(type, v);
  };
  auto number = [&](double v) -> TypedAttr { return b.getFloatAttr(type, v); };
  unsigned bits = type.getIntOrFloatBitWidth();
  if (isa<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(op))
    return integer(APInt::getZero(bits));
  if (isa<arith::AndIOp, arith::MinUIOp>(op))
    return integer(APInt::getAllOnes(bits));
  if (isa<arith::MulIOp>(op))
    return integer(APInt(bits, 1));
  if (isa<arith::MaxSIOp>(op))
    return integer(APInt::getSignedMinValue(bits));
  if (isa<arith::MinSIOp>(op))
    return integer(APInt::getSignedMaxValue(bits));
  // -0.0 is neutral for every operand, +0.0 is not for -0.0.
  if (isa<arith::AddFOp>(op))
    return number(-0.0);
  if (isa<arith::MulFOp>(op))
    return number(1.0);
  if (isa<arith::MaxNumFOp, arith::MinNumFOp>(op))
    return number(std::numeric_limits<double>::quiet_NaN());
  if (isa<arith::MaximumFOp>(op))
    return number(-std::numeric_limits<double>::infinity());
  if (isa<arith::MinimumFOp>(op))
    return number(std::numeric_limits<double>::infinity());
  return {};
}

SmallVector<Value> Emitter::inlineScalars(Region &region, ValueRange args) {
  Block &block = region.front();
  for (auto [arg, v] : llvm::zip(block.getArguments(), args))
    scalars[arg] = v;
  // The walker emits at level 0: make that the current place.
  auto saved = std::move(scopes);
  scopes.clear();
  pushScope(saved.back()->block, saved.back()->before);
  for (Operation &op : block.without_terminator())
    emitOp(&op);
  SmallVector<Value> results;
  for (Value v : block.getTerminator()->getOperands())
    results.push_back(scalar(v));
  scopes = std::move(saved);
  here();
  return results;
}

SmallVector<Value> Emitter::combine(Region &region, ValueRange lhs,
                                    ValueRange rhs, int64_t width) {
  Block &block = region.front();
  unsigned n = lhs.size();
  if (!isStraightLine(region)) {
    SmallVector<Value> args(lhs);
    llvm::append_range(args, rhs);
    return inlineScalars(region, args);
  }
  here();
  DenseMap<Value, Value> map;
  for (unsigned i = 0; i < n; ++i) {
    map[block.getArgument(i)] = lhs[i];
    map[block.getArgument(n + i)] = rhs[i];
  }
  auto lookup = [&](Value v) -> Value {
    if (auto it = map.find(v); it != map.end())
      return it->second;
    Value outer = asVector(Lanes::uniform(scalar(v), 0), v.getType(), width);
    here();
    return outer;
  };
  for (Operation &op : block.without_terminator()) {
    if (op.hasTrait<OpTrait::ConstantLike>())
      continue; // scalar() finds constants by themselves
    SmallVector<Value> operands;
    for (Value v : op.getOperands())
      operands.push_back(lookup(v));
    map[op.getResult(0)] = elementwise(&op, operands, width);
    if (failed)
      return SmallVector<Value>(lhs);
  }
  SmallVector<Value> results;
  for (Value v : block.getTerminator()->getOperands())
    results.push_back(lookup(v));
  return results;
}

static Type elementType(Value v) { return getElementTypeOrSelf(v.getType()); }

/// Operand shape and the dimensions around the axis.
void Emitter::emitReduce(ReduceOp op) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  SmallVector<Value> trees(op->operand_begin(), op->operand_end());
  prepare(trees, type.getShape());
  Nest nest = chooseNest(trees, type.getShape());
  Region &region = op.getCombineOp();
  if (!isStraightLine(region)) {
    nest.vecDim = -1;
    nest.width = 1;
  }
  // Results are written while the loops run; captures must be complete first.
  for (Value r : op->getResults())
    if (auto t = dyn_cast<RankedTensorType>(r.getType())) {
      Buffer target = preassigned.lookup(r);
      buffers[r] = target.base ? target : allocate(t);
    }
  if (nest.vecDim == static_cast<int>(op.getAxis()))
    emitReduceAcrossLanes(op, nest);
  else
    emitReduceOverLoop(op, nest);
  finishCaptures();
}

/// The axis is the vector dimension: every lane reduces its share, then the
/// lanes are combined pairwise.
void Emitter::emitReduceAcrossLanes(ReduceOp op, const Nest &nest) {
  Region &region = op.getCombineOp();
  unsigned n = op->getNumOperands();
  SmallVector<Value> trees(op->operand_begin(), op->operand_end());
  int64_t extent = nest.shape[nest.vecDim], width = nest.width;
  TypedAttr neutral = neutralElement(region, b);

  Point p;
  p.dims.resize(nest.shape.size());
  p.width = width;
  outerLoops(nest, nest.vecDim, p, [&] {
    auto evalAt = [&](DimIndex index) {
      index.vec = width > 1;
      p.dims[nest.vecDim] = index;
      SmallVector<Value> values;
      for (Value tree : trees)
        values.push_back(asVector(eval(tree, p), elementType(tree), width));
      return values;
    };
    SmallVector<Value> acc;
    if (extent == width) {
      acc = evalAt({i64(0), 0, false});
    } else {
      // With a neutral element several accumulators hide the latency of the
      // combination; otherwise the first vector starts the only one.
      int64_t unroll = neutral ? std::min<int64_t>(4, extent / width) : 1;
      int64_t start = neutral ? 0 : width;
      SmallVector<Value> inits;
      if (neutral)
        inits.assign(unroll,
                     splatConstant(elementType(trees[0]), neutral, width));
      else
        inits = evalAt({i64(0), 0, false});
      size_t known = prefixMasks.size();
      Value bound = prefixBound(nest, trees, p);
      here();
      Value mainEnd = i64(extent);
      if (bound)
        mainEnd =
            b.createOrFold<arith::AndIOp>(loc, bound, i64(-unroll * width));
      SmallVector<Value> sums =
          emitLoop(i64(start), mainEnd, unroll * width, inits,
                   [&](DimIndex index, ValueRange carried) {
                     SmallVector<Value> next;
                     if (!neutral) {
                       SmallVector<Value> values = evalAt(index);
                       return combine(region, carried, values, width);
                     }
                     for (int64_t u = 0; u < unroll; ++u) {
                       here();
                       DimIndex shifted = index;
                       shifted.base = b.createOrFold<arith::AddIOp>(
                           loc, index.base, i64(u * width));
                       SmallVector<Value> values = evalAt(shifted);
                       next.append(combine(region, carried[u], values, width));
                     }
                     return next;
                   });
      prefixMasks.truncate(known);
      acc = neutral ? SmallVector<Value>{sums[0]} : sums;
      if (neutral) // pairwise, the shortest chain
        for (int64_t step = 1; step < unroll; step *= 2)
          for (int64_t u = 0; u + step < unroll; u += 2 * step) {
            sums[u] = combine(region, sums[u], sums[u + step], width)[0];
            acc = {sums[0]};
          }
      if (bound) {
        here();
        Value from =
            neutral ? mainEnd
                    : b.createOrFold<arith::MaxSIOp>(loc, mainEnd, i64(width));
        acc = emitLoop(from, i64(extent), width, acc,
                       [&](DimIndex index, ValueRange carried) {
                         SmallVector<Value> values = evalAt(index);
                         return combine(region, carried, values, width);
                       });
      }
    }
    if (failed)
      return;
    // Lanes: the upper half onto the lower until one is left.
    for (int64_t half = width / 2; half >= 1; half /= 2) {
      here();
      SmallVector<Value> low, high;
      auto lowIndex = llvm::to_vector(llvm::seq<int64_t>(0, half));
      auto highIndex = llvm::to_vector(llvm::seq<int64_t>(half, 2 * half));
      for (Value v : acc) {
        if (half == 1) {
          low.push_back(vector::ExtractOp::create(b, loc, v, 0));
          high.push_back(vector::ExtractOp::create(b, loc, v, 1));
          continue;
        }
        low.push_back(vector::ShuffleOp::create(b, loc, v, v, lowIndex));
        high.push_back(vector::ShuffleOp::create(b, loc, v, v, highIndex));
      }
      acc = combine(region, low, high, half);
    }
    Point out;
    for (auto [i, d] : llvm::enumerate(p.dims))
      if (static_cast<int>(i) != nest.vecDim)
        out.dims.push_back(d);
    for (unsigned i = 0; i < n; ++i) {
      Value r = op->getResult(i);
      if (isa<RankedTensorType>(r.getType()))
        writeBuffer(buffers[r], out, Lanes::uniform(acc[i], depth()));
      else
        scalars[r] = acc[i];
    }
  });
}

/// The axis is a loop; lanes belong to different results.
void Emitter::emitReduceOverLoop(ReduceOp op, const Nest &nest) {
  Region &region = op.getCombineOp();
  unsigned n = op->getNumOperands();
  int axis = op.getAxis();
  SmallVector<Value> trees(op->operand_begin(), op->operand_end());
  Nest outer = nest;
  outer.shape[axis] = 1; // visited by the loop below
  Point p;
  forEachPoint(outer, {},
               [&](const Point &point) {
                 p = point;
                 auto evalAt = [&](DimIndex index) {
                   p.dims[axis] = index;
                   SmallVector<Value> values;
                   for (Value tree : trees)
                     values.push_back(asVector(eval(tree, p), elementType(tree),
                                               nest.width));
                   return values;
                 };
                 SmallVector<Value> acc = evalAt({i64(0), 0, false});
                 if (nest.shape[axis] > 1)
                   acc = emitLoop(i64(1), i64(nest.shape[axis]), 1, acc,
                                  [&](DimIndex index, ValueRange carried) {
                                    SmallVector<Value> values = evalAt(index);
                                    return combine(region, carried, values,
                                                   nest.width);
                                  });
                 if (failed)
                   return;
                 Point out;
                 out.width = nest.width;
                 for (auto [i, d] : llvm::enumerate(point.dims))
                   if (static_cast<int>(i) != axis)
                     out.dims.push_back(d);
                 for (unsigned i = 0; i < n; ++i) {
                   Value r = op->getResult(i);
                   Lanes lanes = result(acc[i], nest.width, depth());
                   if (isa<RankedTensorType>(r.getType()))
                     writeBuffer(buffers[r], out, lanes);
                   else
                     scalars[r] = acc[i];
                 }
               },
               {});
}
