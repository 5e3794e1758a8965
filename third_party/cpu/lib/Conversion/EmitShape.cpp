//===- EmitShape.cpp - cat, join, histogram, map --------------------*- C++
//-*-===//
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

/// The operands one after the other along the first dimension: two halves of
/// one buffer.
void Emitter::emitCat(CatOp op) {
  Buffer whole = allocate(cast<RankedTensorType>(op.getType()));
  int64_t offset = 0;
  for (Value part : op->getOperands()) {
    auto type = cast<RankedTensorType>(part.getType());
    Buffer half = whole;
    half.shape.assign(type.getShape().begin(), type.getShape().end());
    beginRoot();
    here();
    half.base = offsetPtr(whole.base, i64(offset));
    materialize(part, half);
    offset += type.getNumElements() * memBytes(whole.elem);
  }
  buffers[op.getResult()] = whole;
}

void Emitter::emitJoin(JoinOp op) {
  auto type = cast<RankedTensorType>(op.getLhs().getType());
  Buffer target = allocate(cast<RankedTensorType>(op.getType()));
  SmallVector<Value> trees(op->operand_begin(), op->operand_end());
  prepare(trees, type.getShape());
  Nest nest = chooseNest(trees, type.getShape());
  forEachPoint(nest, trees, [&](const Point &p) {
    for (auto [i, tree] : llvm::enumerate(trees)) {
      Point q = p;
      q.dims.push_back({i64(i), 0, false});
      writeBuffer(target, q, eval(tree, p));
    }
  });
  buffers[op.getResult()] = target;
  finishCaptures();
}

void Emitter::emitHistogram(HistogramOp op) {
  auto type = cast<RankedTensorType>(op.getSrc().getType());
  auto resultType = cast<RankedTensorType>(op.getType());
  Buffer target = allocate(resultType);
  SmallVector<Value> trees(op->operand_begin(), op->operand_end());
  prepare(trees, type.getShape());
  here();
  int64_t bins = resultType.getNumElements();
  Type elem = resultType.getElementType();
  LLVM::MemsetOp::create(b, loc, target.base, constant(b.getI8IntegerAttr(0)),
                         i64(bins * memBytes(elem)), false);
  Nest nest;
  nest.shape.assign(type.getShape().begin(), type.getShape().end());
  forEachPoint(nest, trees, [&](const Point &p) {
    Value bin = firstLane(eval(op.getSrc(), p));
    here();
    bin = intCast(bin, b.getI64Type(), false);
    // Values that are no bin are not counted.
    here();
    Value valid = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, bin,
                                        i64(bins));
    if (op.getMask()) {
      Value mask = firstLane(eval(op.getMask(), p));
      here();
      valid = arith::AndIOp::create(b, loc, valid, mask);
    }
    here();
    auto branch = scf::IfOp::create(b, loc, valid, false);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    Value offset = arith::MulIOp::create(b, loc, bin, i64(memBytes(elem)));
    Value ptr = offsetPtr(target.base, offset);
    Value count = loadVector(ptr, elem, 1, {}, {});
    Value one = constant(b.getIntegerAttr(elem, 1));
    storeVector(ptr, arith::AddIOp::create(b, loc, count, one), elem, 1, {});
  });
  buffers[op.getResult()] = target;
  finishCaptures();
}

/// A scalar function, which may branch, for every `pack` neighbours along the
/// last dimension. Arguments and results come operand by operand.
void Emitter::emitMap(MapElementwiseOp op) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  if (!op.getScalarOp().hasOneBlock()) {
    error(op, "control flow of the scalar function is not structured");
    return;
  }
  int64_t pack = op.getPack();
  int last = type.getRank() - 1;
  SmallVector<Value> trees(op->operand_begin(), op->operand_end());
  prepare(trees, type.getShape());
  SmallVector<Buffer> targets;
  for (Value r : op->getResults())
    targets.push_back(allocate(cast<RankedTensorType>(r.getType())));

  Nest outer;
  outer.shape.assign(type.getShape().begin(), type.getShape().end());
  outer.shape[last] = 1;
  Point p;
  p.dims.resize(type.getRank());
  outerLoops(outer, -1, p, [&] {
    emitLoop(i64(0), i64(type.getDimSize(last)), pack, {},
             [&](DimIndex index, ValueRange) -> SmallVector<Value> {
               auto pointOf = [&](int64_t i) {
                 here();
                 Point q = p;
                 q.dims[last] = index;
                 q.dims[last].base =
                     b.createOrFold<arith::AddIOp>(loc, index.base, i64(i));
                 return q;
               };
               SmallVector<Value> args;
               for (Value tree : trees)
                 for (int64_t i = 0; i < pack; ++i)
                   args.push_back(eval(tree, pointOf(i)).base);
               if (failed)
                 return {};
               here();
               SmallVector<Value> results =
                   inlineScalars(op.getScalarOp(), args);
               for (auto [r, target] : llvm::enumerate(targets))
                 for (int64_t i = 0; i < pack && !failed; ++i)
                   writeBuffer(target, pointOf(i),
                               Lanes::uniform(results[r * pack + i], depth()));
               return {};
             });
  });
  for (auto [r, target] : llvm::zip(op->getResults(), targets))
    buffers[r] = target;
  finishCaptures();
}
