//===- RegionOps.cpp - Reductions, scans, maps and histograms -------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

using namespace mlir;
using namespace mlir::triton;

//===----------------------------------------------------------------------===//
// Shared by reductions and scans
//===----------------------------------------------------------------------===//

static LogicalResult checkAxis(std::optional<Location> loc, StringRef opName,
                               ValueRange srcs, int64_t axis) {
  if (srcs.empty())
    return emitOptionalError(loc, "'", opName, "' needs at least one operand");
  auto type = cast<RankedTensorType>(srcs[0].getType());
  if (axis < 0 || axis >= type.getRank())
    return emitOptionalError(loc, "'", opName, "' axis must be in 0..",
                             type.getRank() - 1, " for ", type, ", got ", axis);
  return success();
}

static SmallVector<RankedTensorType> tensorTypes(ValueRange values) {
  return llvm::map_to_vector(values, [](Value value) {
    return cast<RankedTensorType>(value.getType());
  });
}

static SmallVector<Type> elementTypes(ValueRange values) {
  return llvm::map_to_vector(values, [](Value value) {
    return getElementTypeOrSelf(value.getType());
  });
}

/// The region takes two sets of elements and returns one.
static LogicalResult verifyCombiner(Operation *op, Region &region,
                                    ArrayRef<Type> elements) {
  SmallVector<Type> expected(elements);
  expected.append(elements.begin(), elements.end());
  Block &body = region.front();
  if (body.getArgumentTypes() != TypeRange(expected))
    return op->emitOpError()
           << "region must take arguments of types (" << expected << "), got ("
           << body.getArgumentTypes() << ")";
  Operation *terminator = body.getTerminator();
  if (!isa<ReduceReturnOp, ScanReturnOp>(terminator))
    return op->emitOpError()
           << "region must end in " << op->getName() << ".return";
  if (terminator->getOperandTypes() != TypeRange(elements))
    return op->emitOpError()
           << "region must return values of types (" << elements << "), got ("
           << terminator->getOperandTypes() << ")";
  return success();
}

static Operation *singleCombiner(Region &region) {
  Block &body = region.front();
  if (std::distance(body.begin(), body.end()) != 2)
    return nullptr;
  return &body.front();
}

//===----------------------------------------------------------------------===//
// ReduceOp
//===----------------------------------------------------------------------===//

void ReduceOp::build(OpBuilder &builder, OperationState &state, ValueRange srcs,
                     int axis) {
  state.addOperands(srcs);
  state.getOrAddProperties<Properties>().axis = builder.getI32IntegerAttr(axis);
  state.addRegion();
  for (RankedTensorType type : tensorTypes(srcs)) {
    SmallVector<int64_t> shape(type.getShape());
    if (axis >= 0 && axis < type.getRank())
      shape.erase(shape.begin() + axis);
    if (shape.empty())
      state.addTypes(type.getElementType());
    else
      state.addTypes(RankedTensorType::get(shape, type.getElementType()));
  }
}

LogicalResult
ReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                           ValueRange operands, DictionaryAttr attributes,
                           OpaqueProperties properties, RegionRange regions,
                           SmallVectorImpl<Type> &inferred) {
  ReduceOpAdaptor adaptor(operands, attributes, properties, regions);
  int64_t axis = static_cast<int32_t>(adaptor.getAxis());
  if (failed(checkAxis(loc, "tt.reduce", operands, axis)))
    return failure();
  for (RankedTensorType type : tensorTypes(operands)) {
    if (type.getRank() == 1) {
      inferred.push_back(type.getElementType());
      continue;
    }
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + axis);
    inferred.push_back(RankedTensorType::get(shape, type.getElementType()));
  }
  return success();
}

LogicalResult ReduceOp::verify() {
  return checkAxis(getLoc(), "tt.reduce", getSrcs(),
                   static_cast<int32_t>(getAxis()));
}

LogicalResult ReduceOp::verifyRegions() {
  return verifyCombiner(*this, getCombineOp(), getElementTypes());
}

SmallVector<RankedTensorType> ReduceOp::getInputTypes() {
  return tensorTypes(getSrcs());
}

SmallVector<Type> ReduceOp::getElementTypes() {
  return elementTypes(getSrcs());
}

Operation *ReduceOp::getSingleCombiner() {
  return singleCombiner(getCombineOp());
}

/// With one element along the axis there is nothing to combine: only the
/// dimension goes away.
static LogicalResult dropTrivialReduction(ReduceOp op,
                                          PatternRewriter &rewriter) {
  if (op.getInputTypes().front().getDimSize(op.getAxis()) != 1)
    return failure();
  SmallVector<Value> results;
  for (auto [src, result] : llvm::zip(op.getSrcs(), op.getResults())) {
    if (auto tensor = dyn_cast<RankedTensorType>(result.getType()))
      results.push_back(
          ReshapeOp::create(rewriter, op.getLoc(), tensor.getShape(), src));
    else
      results.push_back(UnsplatOp::create(rewriter, op.getLoc(), src));
  }
  rewriter.replaceOp(op, results);
  return success();
}

void ReduceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *) {
  patterns.add(dropTrivialReduction);
}

//===----------------------------------------------------------------------===//
// ScanOp
//===----------------------------------------------------------------------===//

void ScanOp::build(OpBuilder &builder, OperationState &state, ValueRange srcs,
                   int axis, bool reverse) {
  state.addOperands(srcs);
  auto &properties = state.getOrAddProperties<Properties>();
  properties.axis = builder.getI32IntegerAttr(axis);
  properties.reverse = builder.getBoolAttr(reverse);
  state.addRegion();
  state.addTypes(srcs.getTypes());
}

LogicalResult ScanOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                       ValueRange operands, DictionaryAttr,
                                       OpaqueProperties, RegionRange,
                                       SmallVectorImpl<Type> &inferred) {
  llvm::append_range(inferred, operands.getTypes());
  return success();
}

LogicalResult ScanOp::verify() {
  return checkAxis(getLoc(), "tt.scan", getSrcs(),
                   static_cast<int32_t>(getAxis()));
}

LogicalResult ScanOp::verifyRegions() {
  return verifyCombiner(*this, getCombineOp(), getElementTypes());
}

SmallVector<RankedTensorType> ScanOp::getInputTypes() {
  return tensorTypes(getSrcs());
}

SmallVector<Type> ScanOp::getElementTypes() { return elementTypes(getSrcs()); }

Operation *ScanOp::getSingleCombiner() {
  return singleCombiner(getCombineOp());
}

//===----------------------------------------------------------------------===//
// MapElementwiseOp
//===----------------------------------------------------------------------===//

LogicalResult MapElementwiseOp::verify() {
  int64_t pack = static_cast<int32_t>(getPack());
  if (getSrcs().empty())
    return emitOpError() << "needs at least one operand";
  if (pack < 1)
    return emitOpError() << "pack must be at least 1, got " << pack;
  for (RankedTensorType type : tensorTypes(getSrcs()))
    if (type.getNumElements() % pack != 0)
      return emitOpError() << "cannot pack " << pack
                           << " elements at a time of " << type;
  return success();
}

LogicalResult MapElementwiseOp::verifyRegions() {
  auto packed = [&](ValueRange values) {
    SmallVector<Type> types;
    for (Type type : elementTypes(values))
      types.append(getPack(), type);
    return types;
  };
  if (getScalarOp().empty())
    return emitOpError() << "region must not be empty";
  SmallVector<Type> arguments = packed(getSrcs()),
                    results = packed(getResults());
  if (getScalarOp().getArgumentTypes() != TypeRange(arguments))
    return emitOpError() << "region must take arguments of types (" << arguments
                         << "), got (" << getScalarOp().getArgumentTypes()
                         << ")";
  for (Block &block : getScalarOp()) {
    auto terminator = dyn_cast<MapElementwiseReturnOp>(block.getTerminator());
    if (terminator && terminator.getOperandTypes() != TypeRange(results))
      return emitOpError() << "region must return values of types (" << results
                           << "), got (" << terminator.getOperandTypes() << ")";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// HistogramOp
//===----------------------------------------------------------------------===//

LogicalResult HistogramOp::verify() {
  if (getSrc().getType().getRank() != 1 || getType().getRank() != 1)
    return emitOpError() << "operand and result must have one dimension, got "
                         << getSrc().getType() << " and " << getType();
  return success();
}
