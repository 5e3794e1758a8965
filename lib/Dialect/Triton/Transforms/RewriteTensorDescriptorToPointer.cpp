//===- RewriteTensorDescriptorToPointer.cpp - Descriptors in software -----===//

#include "BlockAccess.h"
#include "DecomposeValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "triton/Dialect/Triton/Transforms/Passes.h"

namespace mlir::triton {
#define GEN_PASS_DEF_TRITONREWRITETENSORDESCRIPTORTOPOINTER
#include "triton/Dialect/Triton/Transforms/Passes.h.inc"
} // namespace mlir::triton

using namespace mlir;
using namespace mlir::triton;

namespace {

/// Parts of a descriptor of rank r: base, r sizes and r strides (i64), whether
/// NaN is read outside (i1).
SmallVector<Type> partTypes(Type type) {
  auto descriptor = dyn_cast<TensorDescType>(type);
  if (!descriptor)
    return {};
  Builder builder(type.getContext());
  SmallVector<Type> types = {getElementPointerOfDescriptor(type)};
  types.append(2 * descriptor.getBlockType().getRank(), builder.getI64Type());
  types.push_back(builder.getI1Type());
  return types;
}

/// The same parts as values.
struct Descriptor {
  RankedTensorType block;
  Value base, padsNaN;
  ValueRange sizes, strides;

  Descriptor(Value descriptor, ValueRange parts)
      : block(
            cast<TensorDescType>(descriptor.getType()).getSignlessBlockType()),
        base(parts.front()), padsNaN(parts.back()) {
    int64_t rank = block.getRank();
    sizes = parts.slice(1, rank);
    strides = parts.slice(1 + rank, rank);
  }
};

/// Pointers and mask of one access.
struct Access {
  Value pointers, mask;
};

Access buildAccess(OpBuilder &builder, const Descriptor &descriptor,
                   BlockAccess access) {
  auto dims =
      llvm::to_vector(llvm::seq<int32_t>(0, descriptor.block.getRank()));
  return {access.buildPointers(descriptor.base, descriptor.strides),
          access.buildMask(descriptor.sizes, dims)};
}

Access buildBlockAccess(OpBuilder &builder, Location loc,
                        const Descriptor &descriptor, ValueRange indices) {
  SmallVector<Value> starts;
  for (Value index : indices)
    starts.push_back(
        arith::ExtSIOp::create(builder, loc, builder.getI64Type(), index));
  return buildAccess(
      builder, descriptor,
      BlockAccess::contiguous(builder, loc, descriptor.block, starts));
}

Access buildRowAccess(OpBuilder &builder, Location loc,
                      const Descriptor &descriptor, RankedTensorType value,
                      Value rows, Value column) {
  Value start =
      arith::ExtSIOp::create(builder, loc, builder.getI64Type(), column);
  return buildAccess(builder, descriptor,
                     BlockAccess::rows(builder, loc, value, rows, start));
}

/// What is read outside of the tensor.
Value buildPadding(OpBuilder &builder, Location loc,
                   const Descriptor &descriptor, RankedTensorType type) {
  Value zero = buildZero(builder, loc, type);
  if (!isa<FloatType>(type.getElementType()))
    return zero;
  return arith::SelectOp::create(builder, loc, descriptor.padsNaN,
                                 buildNaN(builder, loc, type), zero);
}

Value reshapeTo(OpBuilder &builder, Location loc, Value value,
                RankedTensorType type) {
  return value.getType() == type
             ? value
             : ReshapeOp::create(builder, loc, type.getShape(), value)
                   .getResult();
}

struct ConvertMakeDescriptor : public OpConversionPattern<MakeTensorDescOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MakeTensorDescOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Value> parts = {adaptor.getBase().front()};
    for (Value size : flattenOperands(adaptor.getShape()))
      parts.push_back(
          arith::ExtSIOp::create(rewriter, loc, rewriter.getI64Type(), size));
    llvm::append_range(parts, flattenOperands(adaptor.getStrides()));
    bool padsNaN = op.getPadding() == PaddingOption::PAD_NAN;
    parts.push_back(arith::ConstantOp::create(rewriter, loc,
                                              rewriter.getBoolAttr(padsNaN)));
    rewriter.replaceOpWithMultiple(op, ArrayRef<SmallVector<Value>>{parts});
    return success();
  }
};

struct ConvertLoad : public OpConversionPattern<DescriptorLoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(DescriptorLoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Descriptor descriptor(op.getDesc(), adaptor.getDesc());
    Access access = buildBlockAccess(rewriter, loc, descriptor,
                                     flattenOperands(adaptor.getIndices()));
    Value padding = buildPadding(rewriter, loc, descriptor, descriptor.block);
    Value block = LoadOp::create(rewriter, loc, access.pointers, access.mask,
                                 padding, op.getCache(), op.getEvict());
    rewriter.replaceOp(op, reshapeTo(rewriter, loc, block, op.getType()));
    return success();
  }
};

struct ConvertStore : public OpConversionPattern<DescriptorStoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(DescriptorStoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Descriptor descriptor(op.getDesc(), adaptor.getDesc());
    Access access = buildBlockAccess(rewriter, loc, descriptor,
                                     flattenOperands(adaptor.getIndices()));
    Value block =
        reshapeTo(rewriter, loc, adaptor.getSrc().front(), descriptor.block);
    rewriter.replaceOpWithNewOp<StoreOp>(op, access.pointers, block,
                                         access.mask);
    return success();
  }
};

/// The atomic operation of a reduction; nothing when there is none for these
/// elements.
std::optional<RMWOp> atomicFor(DescriptorReduceKind kind, Type element) {
  bool isFloat = isa<FloatType>(element),
       isUnsigned = element.isUnsignedInteger();
  switch (kind) {
  case DescriptorReduceKind::ADD:
    return isFloat ? RMWOp::FADD : RMWOp::ADD;
  case DescriptorReduceKind::MIN:
    return isFloat ? std::nullopt
                   : std::optional(isUnsigned ? RMWOp::UMIN : RMWOp::MIN);
  case DescriptorReduceKind::MAX:
    return isFloat ? std::nullopt
                   : std::optional(isUnsigned ? RMWOp::UMAX : RMWOp::MAX);
  case DescriptorReduceKind::AND:
    return RMWOp::AND;
  case DescriptorReduceKind::OR:
    return RMWOp::OR;
  case DescriptorReduceKind::XOR:
    return RMWOp::XOR;
  case DescriptorReduceKind::INC:
  case DescriptorReduceKind::DEC:
    return std::nullopt;
  }
  return std::nullopt;
}

struct ConvertReduce : public OpConversionPattern<DescriptorReduceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(DescriptorReduceOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type element = op.getDesc().getType().getBlockType().getElementType();
    std::optional<RMWOp> atomic = atomicFor(op.getKind(), element);
    if (!atomic)
      return op.emitOpError()
             << "'" << stringifyDescriptorReduceKind(op.getKind())
             << "' on elements of type " << element
             << " has no atomic operation on this target";
    Descriptor descriptor(op.getDesc(), adaptor.getDesc());
    Access access = buildBlockAccess(rewriter, loc, descriptor,
                                     flattenOperands(adaptor.getIndices()));
    Value block =
        reshapeTo(rewriter, loc, adaptor.getSrc().front(), descriptor.block);
    AtomicRMWOp::create(rewriter, loc, block.getType(), *atomic,
                        access.pointers, block, access.mask,
                        MemSemantic::RELAXED, MemSyncScope::GPU);
    rewriter.eraseOp(op);
    return success();
  }
};

struct ConvertGather : public OpConversionPattern<DescriptorGatherOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(DescriptorGatherOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Descriptor descriptor(op.getDesc(), adaptor.getDesc());
    Access access = buildRowAccess(rewriter, loc, descriptor, op.getType(),
                                   adaptor.getXOffsets().front(),
                                   adaptor.getYOffset().front());
    Value padding = buildPadding(rewriter, loc, descriptor, op.getType());
    rewriter.replaceOpWithNewOp<LoadOp>(op, access.pointers, access.mask,
                                        padding);
    return success();
  }
};

struct ConvertScatter : public OpConversionPattern<DescriptorScatterOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(DescriptorScatterOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Descriptor descriptor(op.getDesc(), adaptor.getDesc());
    Access access = buildRowAccess(
        rewriter, loc, descriptor, op.getSrc().getType(),
        adaptor.getXOffsets().front(), adaptor.getYOffset().front());
    rewriter.replaceOpWithNewOp<StoreOp>(op, access.pointers,
                                         adaptor.getSrc().front(), access.mask);
    return success();
  }
};

struct RewriteTensorDescriptorToPointer
    : public mlir::triton::impl::TritonRewriteTensorDescriptorToPointerBase<
          RewriteTensorDescriptorToPointer> {
  void runOnOperation() override {
    auto populate = [&](const TypeConverter &converter,
                        RewritePatternSet &patterns) {
      patterns.add<ConvertMakeDescriptor, ConvertLoad, ConvertStore,
                   ConvertReduce, ConvertGather, ConvertScatter>(converter,
                                                                 &getContext());
    };
    if (failed(decomposeValues(getOperation(), partTypes, populate)))
      signalPassFailure();
  }
};

} // namespace
