//===- RewriteTensorPointer.cpp - Block pointers to tensors of pointers ---===//

#include "BlockAccess.h"
#include "DecomposeValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "triton/Dialect/Triton/Transforms/Passes.h"

namespace mlir::triton {
#define GEN_PASS_DEF_TRITONREWRITETENSORPOINTER
#include "triton/Dialect/Triton/Transforms/Passes.h.inc"
} // namespace mlir::triton

using namespace mlir;
using namespace mlir::triton;

namespace {

/// Parts of a block pointer of rank r: base, r sizes and r strides (i64), r
/// offsets (i32).
SmallVector<Type> partTypes(Type type) {
  if (!isTensorPointerType(type))
    return {};
  int64_t rank = cast<RankedTensorType>(getPointeeType(type)).getRank();
  Builder builder(type.getContext());
  SmallVector<Type> types = {getElementPointerOfTensorPointer(type)};
  types.append(2 * rank, builder.getI64Type());
  types.append(rank, builder.getI32Type());
  return types;
}

/// The same parts as values.
struct BlockPointer {
  RankedTensorType block;
  Value base;
  ValueRange sizes, strides, offsets;

  BlockPointer(Type type, ValueRange parts)
      : block(cast<RankedTensorType>(getPointeeType(type))), base(parts[0]) {
    int64_t rank = block.getRank();
    sizes = parts.slice(1, rank);
    strides = parts.slice(1 + rank, rank);
    offsets = parts.slice(1 + 2 * rank, rank);
  }

  BlockAccess buildAccess(OpBuilder &builder, Location loc) const {
    SmallVector<Value> starts;
    for (Value offset : offsets)
      starts.push_back(
          arith::ExtSIOp::create(builder, loc, builder.getI64Type(), offset));
    return BlockAccess::contiguous(builder, loc, block, starts);
  }
};

struct ConvertMakeTensorPtr : public OpConversionPattern<MakeTensorPtrOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MakeTensorPtrOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> parts = flattenOperands(adaptor.getOperands());
    rewriter.replaceOpWithMultiple(op, ArrayRef<SmallVector<Value>>{parts});
    return success();
  }
};

struct ConvertAdvance : public OpConversionPattern<AdvanceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AdvanceOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> parts(adaptor.getPtr());
    MutableArrayRef<Value> offsets =
        MutableArrayRef(parts).take_back(op.getOffsets().size());
    for (auto [offset, step] :
         llvm::zip(offsets, flattenOperands(adaptor.getOffsets())))
      offset = arith::AddIOp::create(rewriter, op.getLoc(), offset, step);
    rewriter.replaceOpWithMultiple(op, ArrayRef<SmallVector<Value>>{parts});
    return success();
  }
};

struct ConvertLoad : public OpConversionPattern<LoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    BlockPointer pointer(op.getPtr().getType(), adaptor.getPtr());
    BlockAccess access = pointer.buildAccess(rewriter, loc);
    Value pointers = access.buildPointers(pointer.base, pointer.strides);
    Value mask = access.buildMask(pointer.sizes, op.getBoundaryCheck());
    Value other;
    if (mask && op.getPadding())
      other = op.getPadding() == PaddingOption::PAD_NAN
                  ? buildNaN(rewriter, loc, op.getType())
                  : buildZero(rewriter, loc, op.getType());
    auto load =
        LoadOp::create(rewriter, loc, pointers, mask, other, op.getCache(),
                       op.getEvict(), op.getIsVolatile());
    load->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.replaceOp(op, load);
    return success();
  }
};

struct ConvertStore : public OpConversionPattern<StoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(StoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    BlockPointer pointer(op.getPtr().getType(), adaptor.getPtr());
    BlockAccess access = pointer.buildAccess(rewriter, op.getLoc());
    Value pointers = access.buildPointers(pointer.base, pointer.strides);
    Value mask = access.buildMask(pointer.sizes, op.getBoundaryCheck());
    rewriter.replaceOpWithNewOp<StoreOp>(op, pointers,
                                         adaptor.getValue().front(), mask,
                                         op.getCache(), op.getEvict());
    return success();
  }
};

struct RewriteTensorPointer
    : public mlir::triton::impl::TritonRewriteTensorPointerBase<
          RewriteTensorPointer> {
  void runOnOperation() override {
    auto populate = [&](const TypeConverter &converter,
                        RewritePatternSet &patterns) {
      patterns
          .add<ConvertMakeTensorPtr, ConvertAdvance, ConvertLoad, ConvertStore>(
              converter, &getContext());
    };
    if (failed(decomposeValues(getOperation(), partTypes, populate)))
      signalPassFailure();
  }
};

} // namespace
