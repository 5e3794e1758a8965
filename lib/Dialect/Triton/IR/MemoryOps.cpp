//===- MemoryOps.cpp - Pointers, loads, stores and atomics ----------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

using namespace mlir;
using namespace mlir::triton;

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

OpFoldResult AddPtrOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(adaptor.getOffset(), m_Zero()))
    return getPtr();
  return {};
}

OpFoldResult IntToPtrOp::fold(FoldAdaptor) {
  auto inverse = getSrc().getDefiningOp<PtrToIntOp>();
  return inverse && inverse.getSrc().getType() == getType() ? inverse.getSrc()
                                                            : OpFoldResult();
}

OpFoldResult PtrToIntOp::fold(FoldAdaptor) {
  auto inverse = getSrc().getDefiningOp<IntToPtrOp>();
  return inverse ? inverse.getSrc() : OpFoldResult();
}

LogicalResult BitcastOp::verify() {
  Type from = getElementTypeOrSelf(getSrc().getType()),
       to = getElementTypeOrSelf(getType());
  if (isa<triton::PointerType>(from) != isa<triton::PointerType>(to))
    return emitOpError() << "cannot turn " << getSrc().getType() << " into "
                         << getType() << ", use tt.ptr_to_int or tt.int_to_ptr";
  if (getElementBitWidth(from) != getElementBitWidth(to))
    return emitOpError() << "widths differ: " << from << " has "
                         << getElementBitWidth(from) << " bits, " << to
                         << " has " << getElementBitWidth(to);
  return success();
}

OpFoldResult BitcastOp::fold(FoldAdaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  if (auto inner = getSrc().getDefiningOp<BitcastOp>()) {
    getSrcMutable().assign(inner.getSrc());
    return getResult();
  }
  return {};
}

//===----------------------------------------------------------------------===//
// LoadOp
//===----------------------------------------------------------------------===//

void LoadOp::build(OpBuilder &builder, OperationState &state, Value ptr,
                   Value mask, Value other, CacheModifier cache,
                   EvictionPolicy evict, bool isVolatile,
                   ArrayRef<int32_t> boundaryCheck,
                   std::optional<PaddingOption> padding) {
  state.addOperands(ptr);
  if (mask)
    state.addOperands(mask);
  if (other)
    state.addOperands(other);
  auto &properties = state.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {1, mask ? 1 : 0, other ? 1 : 0};
  properties.boundaryCheck = builder.getDenseI32ArrayAttr(boundaryCheck);
  if (padding)
    properties.padding = PaddingOptionAttr::get(builder.getContext(), *padding);
  properties.cache = CacheModifierAttr::get(builder.getContext(), cache);
  properties.evict = EvictionPolicyAttr::get(builder.getContext(), evict);
  properties.isVolatile = builder.getBoolAttr(isVolatile);
  state.addTypes(getPointeeType(ptr.getType()));
}

void LoadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPtrMutable(),
                       GlobalMemory::get());
  // A write keeps volatile loads from being removed, merged or moved.
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get(), GlobalMemory::get());
}

/// What loads and stores have in common: block pointers take bounds and no
/// mask, all others a mask and no bounds.
static LogicalResult verifyAccess(Operation *op, Type ptr, bool hasMask,
                                  ArrayRef<int32_t> boundaryCheck) {
  if (!isTensorPointerType(ptr)) {
    if (!boundaryCheck.empty())
      return op->emitOpError() << "boundaryCheck needs a block pointer, got "
                               << ptr << "; use a mask";
    return success();
  }
  if (hasMask)
    return op->emitOpError()
           << "block pointers take no mask; use boundaryCheck";
  int64_t rank = cast<RankedTensorType>(getPointeeType(ptr)).getRank();
  SmallVector<bool> seen(rank, false);
  for (int32_t dim : boundaryCheck) {
    if (dim < 0 || dim >= rank)
      return op->emitOpError() << "boundaryCheck names dimension " << dim
                               << ", but " << ptr << " has rank " << rank;
    if (seen[dim])
      return op->emitOpError()
             << "boundaryCheck names dimension " << dim << " twice";
    seen[dim] = true;
  }
  return success();
}

LogicalResult LoadOp::verify() {
  Type ptr = getPtr().getType();
  if (failed(verifyAccess(*this, ptr, getMask() || getOther(),
                          getBoundaryCheck())))
    return failure();
  if (getOther() && !getMask())
    return emitOpError() << "a value for masked-off elements needs a mask";
  if (!getPadding())
    return success();
  if (!isTensorPointerType(ptr))
    return emitOpError() << "padding needs a block pointer, got " << ptr
                         << "; give a mask and another value";
  if (getPadding() == PaddingOption::PAD_NAN &&
      !isa<FloatType>(getElementTypeOrSelf(getType())))
    return emitOpError() << "cannot pad " << getType() << " with NaN";
  return success();
}

/// A mask of true is dropped; what a mask of false leaves of a load is its
/// other value.
static LogicalResult simplifyLoadMask(LoadOp op, PatternRewriter &rewriter) {
  if (!op.getMask())
    return failure();
  if (matchPattern(op.getMask(), m_One())) {
    rewriter
        .replaceOpWithNewOp<LoadOp>(op, op.getPtr(), Value(), Value(),
                                    op.getCache(), op.getEvict(),
                                    op.getIsVolatile())
        ->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    return success();
  }
  if (op.getOther() && matchPattern(op.getMask(), m_Zero())) {
    rewriter.replaceOp(op, op.getOther());
    return success();
  }
  return failure();
}

void LoadOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *) {
  patterns.add(simplifyLoadMask);
}

//===----------------------------------------------------------------------===//
// StoreOp
//===----------------------------------------------------------------------===//

void StoreOp::build(OpBuilder &builder, OperationState &state, Value ptr,
                    Value value, Value mask, CacheModifier cache,
                    EvictionPolicy evict, ArrayRef<int32_t> boundaryCheck) {
  state.addOperands({ptr, value});
  if (mask)
    state.addOperands(mask);
  auto &properties = state.getOrAddProperties<Properties>();
  properties.boundaryCheck = builder.getDenseI32ArrayAttr(boundaryCheck);
  properties.cache = CacheModifierAttr::get(builder.getContext(), cache);
  properties.evict = EvictionPolicyAttr::get(builder.getContext(), evict);
}

LogicalResult StoreOp::verify() {
  return verifyAccess(*this, getPtr().getType(), static_cast<bool>(getMask()),
                      getBoundaryCheck());
}

/// A mask of true is dropped, a store with a mask of false is removed.
static LogicalResult simplifyStoreMask(StoreOp op, PatternRewriter &rewriter) {
  if (!op.getMask())
    return failure();
  if (matchPattern(op.getMask(), m_One())) {
    rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
    return success();
  }
  if (matchPattern(op.getMask(), m_Zero())) {
    rewriter.eraseOp(op);
    return success();
  }
  return failure();
}

void StoreOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *) {
  patterns.add(simplifyStoreMask);
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

LogicalResult AtomicRMWOp::verify() {
  Type element = getElementTypeOrSelf(getType());
  bool isFloat = isa<FloatType>(element);
  RMWOp kind = getAtomicRmwOp();
  if (kind == RMWOp::FADD && !isFloat)
    return emitOpError() << "'fadd' needs floats, got " << getType();
  if (kind != RMWOp::FADD && kind != RMWOp::XCHG && isFloat)
    return emitOpError() << "'" << stringifyRMWOp(kind)
                         << "' needs integers, got " << getType();
  if (isa<triton::PointerType>(element) && kind != RMWOp::XCHG)
    return emitOpError()
           << "pointers can only be exchanged, not combined with '"
           << stringifyRMWOp(kind) << "'";
  return success();
}

LogicalResult AtomicCASOp::verify() {
  unsigned width = getElementBitWidth(getType());
  if (width != 16 && width != 32 && width != 64)
    return emitOpError() << "values must have 16, 32 or 64 bits, got "
                         << getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Block pointers
//===----------------------------------------------------------------------===//

void MakeTensorPtrOp::build(OpBuilder &builder, OperationState &state,
                            Value base, ValueRange shape, ValueRange strides,
                            ValueRange offsets, ArrayRef<int32_t> blockShape,
                            ArrayRef<int32_t> order) {
  auto pointer = cast<triton::PointerType>(base.getType());
  auto block = RankedTensorType::get(SmallVector<int64_t>(blockShape),
                                     pointer.getPointeeType());
  build(builder, state,
        triton::PointerType::get(block, pointer.getAddressSpace()), base, shape,
        strides, offsets, builder.getDenseI32ArrayAttr(order));
}

LogicalResult MakeTensorPtrOp::verify() {
  auto block = cast<RankedTensorType>(getType().getPointeeType());
  int64_t rank = block.getRank();
  if (static_cast<int64_t>(getShape().size()) != rank)
    return emitOpError() << "has " << getShape().size()
                         << " sizes, strides and offsets, but the block "
                         << block << " has rank " << rank;
  SmallVector<int32_t> order(getOrder());
  llvm::sort(order);
  bool isPermutation =
      static_cast<int64_t>(order.size()) == rank &&
      llvm::all_of(llvm::enumerate(order), [](auto indexed) {
        return static_cast<int64_t>(indexed.index()) == indexed.value();
      });
  if (!isPermutation)
    return emitOpError() << "order must be a permutation of the " << rank
                         << " dimensions of the block";
  return success();
}

LogicalResult AdvanceOp::verify() {
  int64_t rank = cast<RankedTensorType>(getType().getPointeeType()).getRank();
  if (static_cast<int64_t>(getOffsets().size()) != rank)
    return emitOpError() << "has " << getOffsets().size() << " offsets, but "
                         << getType() << " has rank " << rank;
  return success();
}

OpFoldResult AdvanceOp::fold(FoldAdaptor adaptor) {
  auto isZero = [](Attribute offset) { return matchPattern(offset, m_Zero()); };
  if (llvm::all_of(adaptor.getOffsets(), isZero))
    return getPtr();
  return {};
}
