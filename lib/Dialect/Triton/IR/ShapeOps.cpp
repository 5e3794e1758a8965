//===- ShapeOps.cpp - Creating and rearranging blocks ---------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

using namespace mlir;
using namespace mlir::triton;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// A constant with the same value everywhere, in the shape of `type`; null when
/// `attr` is no such constant.
static OpFoldResult foldUniform(Attribute attr, RankedTensorType type) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(attr);
  return splat ? OpFoldResult(splat.resizeSplat(type)) : OpFoldResult();
}

/// Moves `ReshapingOp` below `tt.splat`: any rearrangement of a splat is a
/// splat.
template <typename ReshapingOp>
static LogicalResult pushBelowSplat(ReshapingOp op, PatternRewriter &rewriter) {
  auto splat = op.getSrc().template getDefiningOp<SplatOp>();
  if (!splat)
    return failure();
  rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getSrc());
  return success();
}

//===----------------------------------------------------------------------===//
// MakeRangeOp
//===----------------------------------------------------------------------===//

LogicalResult MakeRangeOp::verify() {
  int64_t start = static_cast<int32_t>(getStart()),
          end = static_cast<int32_t>(getEnd());
  RankedTensorType type = getType();
  if (!type.getElementType().isInteger(32) || type.getRank() != 1)
    return emitOpError()
           << "result must be a tensor of i32 with one dimension, got " << type;
  if (end <= start)
    return emitOpError() << "end " << end << " must be greater than start "
                         << start;
  if (type.getDimSize(0) != end - start)
    return emitOpError() << "from " << start << " to " << end << " are "
                         << end - start << " numbers, but the result is "
                         << type;
  return success();
}

OpFoldResult MakeRangeOp::fold(FoldAdaptor) {
  if (getType().getNumElements() != 1)
    return {};
  return SplatElementsAttr::get(getType(), APInt(32, getStart()));
}

//===----------------------------------------------------------------------===//
// SplatOp, UnsplatOp
//===----------------------------------------------------------------------===//

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  Attribute value = adaptor.getSrc();
  if (!isa_and_nonnull<FloatAttr, IntegerAttr>(value))
    return {};
  return SplatElementsAttr::get(getType(), value);
}

LogicalResult UnsplatOp::verify() {
  if (getSrc().getType().getNumElements() != 1)
    return emitOpError() << "operand must have exactly one element, got "
                         << getSrc().getType();
  return success();
}

OpFoldResult UnsplatOp::fold(FoldAdaptor adaptor) {
  if (auto splat = getSrc().getDefiningOp<SplatOp>())
    return splat.getSrc();
  if (auto value = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSrc()))
    return value.getSplatValue<Attribute>();
  return {};
}

//===----------------------------------------------------------------------===//
// ExpandDimsOp
//===----------------------------------------------------------------------===//

LogicalResult
ExpandDimsOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                               ValueRange operands, DictionaryAttr attributes,
                               OpaqueProperties properties, RegionRange regions,
                               SmallVectorImpl<Type> &inferred) {
  ExpandDimsOpAdaptor adaptor(operands, attributes, properties, regions);
  auto source = cast<RankedTensorType>(adaptor.getSrc().getType());
  int64_t axis = static_cast<int32_t>(adaptor.getAxis());
  if (axis < 0 || axis > source.getRank())
    return emitOptionalError(loc, "'tt.expand_dims' axis must be in 0..",
                             source.getRank(), " for ", source, ", got ", axis);
  SmallVector<int64_t> shape(source.getShape());
  shape.insert(shape.begin() + axis, 1);
  inferred.push_back(RankedTensorType::get(shape, source.getElementType()));
  return success();
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  return foldUniform(adaptor.getSrc(), getType());
}

/// expand_dims(broadcast(x)) -> broadcast(expand_dims(x)): the cheaper shape is
/// kept for longer.
static LogicalResult expandBeforeBroadcast(ExpandDimsOp op,
                                           PatternRewriter &rewriter) {
  auto broadcast = op.getSrc().getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return failure();
  Value narrow = ExpandDimsOp::create(rewriter, op.getLoc(), broadcast.getSrc(),
                                      op.getAxis());
  rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), narrow);
  return success();
}

void ExpandDimsOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                               MLIRContext *) {
  patterns.add(pushBelowSplat<ExpandDimsOp>);
  patterns.add(expandBeforeBroadcast);
}

//===----------------------------------------------------------------------===//
// BroadcastOp
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  RankedTensorType source = getSrc().getType(), result = getType();
  if (source.getRank() != result.getRank())
    return emitOpError() << "cannot change the rank: " << source << " to "
                         << result;
  for (auto [i, from, to] :
       llvm::enumerate(source.getShape(), result.getShape()))
    if (from != to && from != 1)
      return emitOpError() << "dimension " << i << " of " << source
                           << " has size " << from
                           << ", only size 1 can be repeated to " << to;
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  return foldUniform(adaptor.getSrc(), getType());
}

static LogicalResult mergeBroadcasts(BroadcastOp op,
                                     PatternRewriter &rewriter) {
  auto inner = op.getSrc().getDefiningOp<BroadcastOp>();
  if (!inner)
    return failure();
  rewriter.modifyOpInPlace(op,
                           [&] { op.getSrcMutable().assign(inner.getSrc()); });
  return success();
}

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *) {
  patterns.add(pushBelowSplat<BroadcastOp>);
  patterns.add(mergeBroadcasts);
}

//===----------------------------------------------------------------------===//
// ReshapeOp
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  int64_t from = getSrc().getType().getNumElements(),
          to = getType().getNumElements();
  if (from != to)
    return emitOpError() << "cannot turn " << getSrc().getType() << " of "
                         << from << " elements into " << getType() << " of "
                         << to;
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(adaptor.getSrc()))
    return dense.reshape(getType());
  return {};
}

static LogicalResult mergeReshapes(ReshapeOp op, PatternRewriter &rewriter) {
  auto inner = op.getSrc().getDefiningOp<ReshapeOp>();
  if (!inner)
    return failure();
  rewriter.replaceOpWithNewOp<ReshapeOp>(
      op, op.getType(), inner.getSrc(),
      op.getAllowReorder() || inner.getAllowReorder(), op.getEfficientLayout());
  return success();
}

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *) {
  patterns.add(pushBelowSplat<ReshapeOp>);
  patterns.add(mergeReshapes);
}

//===----------------------------------------------------------------------===//
// TransOp
//===----------------------------------------------------------------------===//

static bool isPermutation(ArrayRef<int32_t> order) {
  SmallVector<bool> seen(order.size(), false);
  for (int32_t dim : order) {
    if (dim < 0 || dim >= static_cast<int64_t>(order.size()) || seen[dim])
      return false;
    seen[dim] = true;
  }
  return true;
}

LogicalResult
TransOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                          ValueRange operands, DictionaryAttr attributes,
                          OpaqueProperties properties, RegionRange regions,
                          SmallVectorImpl<Type> &inferred) {
  TransOpAdaptor adaptor(operands, attributes, properties, regions);
  auto source = cast<RankedTensorType>(adaptor.getSrc().getType());
  ArrayRef<int32_t> order = adaptor.getOrder();
  if (static_cast<int64_t>(order.size()) != source.getRank() ||
      !isPermutation(order))
    return emitOptionalError(loc,
                             "'tt.trans' order must be a permutation of the ",
                             source.getRank(), " dimensions of ", source);
  SmallVector<int64_t> shape;
  for (int32_t dim : order)
    shape.push_back(source.getDimSize(dim));
  inferred.push_back(RankedTensorType::get(shape, source.getElementType()));
  return success();
}

OpFoldResult TransOp::fold(FoldAdaptor adaptor) {
  auto isIdentity = [](auto indexed) {
    return static_cast<int64_t>(indexed.index()) == indexed.value();
  };
  if (llvm::all_of(llvm::enumerate(getOrder()), isIdentity))
    return getSrc();
  return foldUniform(adaptor.getSrc(), getType());
}

static LogicalResult mergeTransposes(TransOp op, PatternRewriter &rewriter) {
  auto inner = op.getSrc().getDefiningOp<TransOp>();
  if (!inner)
    return failure();
  SmallVector<int32_t> order;
  for (int32_t dim : op.getOrder())
    order.push_back(inner.getOrder()[dim]);
  rewriter.replaceOpWithNewOp<TransOp>(op, inner.getSrc(), order);
  return success();
}

void TransOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *) {
  patterns.add(pushBelowSplat<TransOp>);
  patterns.add(mergeTransposes);
}

//===----------------------------------------------------------------------===//
// CatOp, JoinOp, SplitOp
//===----------------------------------------------------------------------===//

LogicalResult CatOp::verify() {
  RankedTensorType part = getLhs().getType();
  if (part.getRank() < 1)
    return emitOpError() << "operands must have at least one dimension, got "
                         << part;
  SmallVector<int64_t> shape(part.getShape());
  shape[0] *= 2;
  if (getType().getShape() != ArrayRef(shape))
    return emitOpError() << "result must be " << part.clone(shape) << ", got "
                         << getType();
  return success();
}

LogicalResult JoinOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                       ValueRange operands, DictionaryAttr,
                                       OpaqueProperties, RegionRange,
                                       SmallVectorImpl<Type> &inferred) {
  auto part = cast<RankedTensorType>(operands[0].getType());
  SmallVector<int64_t> shape(part.getShape());
  shape.push_back(2);
  inferred.push_back(RankedTensorType::get(shape, part.getElementType()));
  return success();
}

OpFoldResult JoinOp::fold(FoldAdaptor adaptor) {
  // join(split(x)) is x.
  auto split = getLhs().getDefiningOp<SplitOp>();
  if (split && getLhs() == split.getOutLHS() && getRhs() == split.getOutRHS())
    return split.getSrc();
  if (adaptor.getLhs() && adaptor.getLhs() == adaptor.getRhs())
    return foldUniform(adaptor.getLhs(), getType());
  return {};
}

LogicalResult SplitOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> loc,
                                        ValueRange operands, DictionaryAttr,
                                        OpaqueProperties, RegionRange,
                                        SmallVectorImpl<Type> &inferred) {
  auto source = cast<RankedTensorType>(operands[0].getType());
  if (source.getRank() < 1 || source.getShape().back() != 2)
    return emitOptionalError(
        loc, "'tt.split' last dimension of the operand must have size 2, got ",
        source);
  auto part = RankedTensorType::get(source.getShape().drop_back(),
                                    source.getElementType());
  inferred.append({part, part});
  return success();
}

LogicalResult SplitOp::fold(FoldAdaptor adaptor,
                            SmallVectorImpl<OpFoldResult> &results) {
  if (auto join = getSrc().getDefiningOp<JoinOp>()) {
    results.append({join.getLhs(), join.getRhs()});
    return success();
  }
  OpFoldResult half = foldUniform(adaptor.getSrc(), getOutLHS().getType());
  if (!half)
    return failure();
  results.append({half, half});
  return success();
}

//===----------------------------------------------------------------------===//
// GatherOp
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                         ValueRange operands, DictionaryAttr,
                                         OpaqueProperties, RegionRange,
                                         SmallVectorImpl<Type> &inferred) {
  auto source = cast<RankedTensorType>(operands[0].getType());
  auto indices = cast<RankedTensorType>(operands[1].getType());
  inferred.push_back(
      RankedTensorType::get(indices.getShape(), source.getElementType()));
  return success();
}

LogicalResult GatherOp::verify() {
  RankedTensorType source = getSrc().getType(),
                   indices = getIndices().getType();
  int64_t axis = static_cast<int32_t>(getAxis());
  if (source.getRank() != indices.getRank())
    return emitOpError() << "source and indices must have the same rank, got "
                         << source << " and " << indices;
  if (axis < 0 || axis >= source.getRank())
    return emitOpError() << "axis must be in 0.." << source.getRank() - 1
                         << " for " << source << ", got " << axis;
  for (int64_t dim = 0; dim < source.getRank(); ++dim)
    if (dim != axis && source.getDimSize(dim) != indices.getDimSize(dim))
      return emitOpError() << "dimension " << dim
                           << " differs, only the axis may: " << source
                           << " and " << indices;
  return success();
}
