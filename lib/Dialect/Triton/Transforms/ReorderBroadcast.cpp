//===- ReorderBroadcast.cpp - Compute before repeating --------------------===//
//
// What is the same for all elements of a block, or for all rows of it, is
// computed once: an elementwise operation moves in front of the tt.splat or
// tt.broadcast that made its operands.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "triton/Dialect/Triton/Transforms/Passes.h"

namespace mlir::triton {
#define GEN_PASS_DEF_TRITONREORDERBROADCAST
#include "triton/Dialect/Triton/Transforms/Passes.h.inc"
} // namespace mlir::triton

using namespace mlir;
using namespace mlir::triton;

namespace {

/// Operations that compute each element of one tensor from the same element of
/// their operands, and nothing else. Those with hints stay: the hints are about
/// the tensor.
bool isMovable(Operation *op) {
  return op->getNumResults() == 1 && op->getNumOperands() > 0 &&
         isa<RankedTensorType>(op->getResult(0).getType()) &&
         op->hasTrait<OpTrait::Elementwise>() &&
         !isa<ElementwiseInlineAsmOp>(op) && isMemoryEffectFree(op) &&
         op->getDiscardableAttrDictionary().empty();
}

/// The value that `value` repeats everywhere, as a scalar; null when it is no
/// such tensor. Scalars are themselves.
Value getUniformScalar(Value value, PatternRewriter *rewriter) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  if (!tensor)
    return value;
  if (auto splat = value.getDefiningOp<SplatOp>())
    return splat.getSrc();
  SplatElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return {};
  if (!rewriter) // Only asked whether there is one.
    return value;
  return arith::ConstantOp::create(
      *rewriter, value.getLoc(),
      cast<TypedAttr>(constant.getSplatValue<Attribute>()));
}

/// A copy of `op` on other operands, whose result has `type`.
Value cloneWith(Operation *op, ArrayRef<Value> operands, Type type,
                PatternRewriter &rewriter) {
  Operation *copy = op->clone();
  copy->setOperands(operands);
  copy->getResult(0).setType(type);
  rewriter.insert(copy);
  return copy->getResult(0);
}

bool isUniform(Value value) {
  return static_cast<bool>(getUniformScalar(value, nullptr));
}

/// op(splat(a), splat(b), ...) -> splat(op(a, b, ...))
struct MoveBeforeSplat : public RewritePattern {
  explicit MoveBeforeSplat(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/2, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isMovable(op) || !llvm::all_of(op->getOperands(), isUniform))
      return failure();
    SmallVector<Value> scalars;
    for (Value operand : op->getOperands())
      scalars.push_back(getUniformScalar(operand, &rewriter));
    Type tensor = op->getResult(0).getType();
    Value scalar =
        cloneWith(op, scalars, getElementTypeOrSelf(tensor), rewriter);
    rewriter.replaceOpWithNewOp<SplatOp>(op, tensor, scalar);
    return success();
  }
};

/// op(broadcast(a), broadcast(b), splat(c), ...) -> broadcast(op(a, b,
/// splat(c), ...)) for a and b of equal shape
struct MoveBeforeBroadcast : public RewritePattern {
  explicit MoveBeforeBroadcast(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isMovable(op))
      return failure();
    std::optional<ArrayRef<int64_t>> shape;
    for (Value operand : op->getOperands()) {
      if (auto broadcast = operand.getDefiningOp<BroadcastOp>()) {
        ArrayRef<int64_t> narrow = broadcast.getSrc().getType().getShape();
        if (shape && *shape != narrow)
          return failure();
        shape = narrow;
      } else if (!isUniform(operand)) {
        return failure();
      }
    }
    if (!shape)
      return failure();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(narrowed(operand, *shape, rewriter));
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Value result = cloneWith(
        op, operands, RankedTensorType::get(*shape, type.getElementType()),
        rewriter);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, type, result);
    return success();
  }

private:
  static Value narrowed(Value operand, ArrayRef<int64_t> shape,
                        PatternRewriter &rewriter) {
    if (auto broadcast = operand.getDefiningOp<BroadcastOp>())
      return broadcast.getSrc();
    if (!isa<RankedTensorType>(operand.getType()))
      return operand;
    Value scalar = getUniformScalar(operand, &rewriter);
    return SplatOp::create(rewriter, operand.getLoc(), shape, scalar);
  }
};

struct ReorderBroadcast
    : public mlir::triton::impl::TritonReorderBroadcastBase<ReorderBroadcast> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<MoveBeforeSplat, MoveBeforeBroadcast>(&getContext());
    BroadcastOp::getCanonicalizationPatterns(patterns, &getContext());
    ExpandDimsOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
