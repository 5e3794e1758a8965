//===- DecomposeValues.cpp - Replace a value by several -------------------===//

#include "DecomposeValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

using namespace mlir;
using namespace mlir::triton;

SmallVector<Value> mlir::triton::flattenOperands(ArrayRef<ValueRange> ranges) {
  SmallVector<Value> values;
  for (ValueRange range : ranges)
    llvm::append_range(values, range);
  return values;
}

namespace {

/// One range for each of `types`: the part of `values` that its conversion has.
SmallVector<SmallVector<Value>> unflatten(ValueRange values, TypeRange types,
                                          const TypeConverter &converter) {
  SmallVector<SmallVector<Value>> ranges;
  for (Type type : types) {
    SmallVector<Type> parts;
    (void)converter.convertType(type, parts);
    ranges.emplace_back(values.take_front(parts.size()));
    values = values.drop_front(parts.size());
  }
  return ranges;
}

struct ConvertFunc : public OpConversionPattern<triton::FuncOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(triton::FuncOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FunctionType type = op.getFunctionType();
    TypeConverter::SignatureConversion signature(type.getNumInputs());
    SmallVector<Type> results;
    if (failed(
            typeConverter->convertSignatureArgs(type.getInputs(), signature)) ||
        failed(typeConverter->convertTypes(type.getResults(), results)))
      return rewriter.notifyMatchFailure(op, "cannot convert the signature");
    SmallVector<Attribute> attributes;
    for (unsigned i = 0; i < type.getNumInputs(); ++i) {
      auto mapping = signature.getInputMapping(i);
      bool unchanged = mapping && mapping->size == 1;
      DictionaryAttr attribute =
          unchanged ? op.getArgAttrDict(i) : DictionaryAttr();
      attributes.append(mapping ? mapping->size : 0,
                        attribute ? attribute : rewriter.getDictionaryAttr({}));
    }
    if (!op.isExternal() && failed(rewriter.convertRegionTypes(
                                &op.getBody(), *typeConverter, &signature)))
      return rewriter.notifyMatchFailure(op, "cannot convert the body");
    rewriter.modifyOpInPlace(op, [&] {
      op.setType(
          rewriter.getFunctionType(signature.getConvertedTypes(), results));
      if (op.getArgAttrsAttr())
        op.setArgAttrsAttr(rewriter.getArrayAttr(attributes));
    });
    return success();
  }
};

struct ConvertCall : public OpConversionPattern<CallOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(CallOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> results;
    if (failed(typeConverter->convertTypes(op.getResultTypes(), results)))
      return rewriter.notifyMatchFailure(op, "cannot convert the results");
    auto call = CallOp::create(rewriter, op.getLoc(), op.getCallee(), results,
                               flattenOperands(adaptor.getOperands()));
    call->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.replaceOpWithMultiple(
        op, unflatten(call.getResults(), op.getResultTypes(), *typeConverter));
    return success();
  }
};

struct ConvertReturn : public OpConversionPattern<triton::ReturnOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(triton::ReturnOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<triton::ReturnOp>(
        op, flattenOperands(adaptor.getOperands()));
    return success();
  }
};

struct ConvertSelect : public OpConversionPattern<arith::SelectOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::SelectOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> parts;
    for (auto [a, b] :
         llvm::zip(adaptor.getTrueValue(), adaptor.getFalseValue()))
      parts.push_back(arith::SelectOp::create(
          rewriter, op.getLoc(), adaptor.getCondition().front(), a, b));
    rewriter.replaceOpWithMultiple(op, ArrayRef<SmallVector<Value>>{parts});
    return success();
  }
};

} // namespace

LogicalResult mlir::triton::decomposeValues(
    ModuleOp module, const PartTypes &partTypes,
    function_ref<void(const TypeConverter &, RewritePatternSet &)> populate) {
  // Most modules have no such values: do not set up a conversion for them.
  auto comesApart = [&](Type type) { return !partTypes(type).empty(); };
  auto needsWork = [&](Operation *op) {
    auto function = dyn_cast<triton::FuncOp>(op);
    return llvm::any_of(op->getOperandTypes(), comesApart) ||
           llvm::any_of(op->getResultTypes(), comesApart) ||
           (function &&
            (llvm::any_of(function.getArgumentTypes(), comesApart) ||
             llvm::any_of(function.getResultTypes(), comesApart)));
  };
  WalkResult found = module.walk([&](Operation *op) {
    return needsWork(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!found.wasInterrupted())
    return success();

  MLIRContext *context = module.getContext();
  TypeConverter converter;
  converter.addConversion([](Type type) { return type; });
  converter.addConversion(
      [&](Type type,
          SmallVectorImpl<Type> &results) -> std::optional<LogicalResult> {
        SmallVector<Type> parts = partTypes(type);
        if (parts.empty())
          return std::nullopt;
        llvm::append_range(results, parts);
        return success();
      });

  ConversionTarget target(*context);
  target.markUnknownOpDynamicallyLegal(
      [&](Operation *op) { return !needsWork(op); });
  RewritePatternSet patterns(context);
  patterns.add<ConvertFunc, ConvertCall, ConvertReturn, ConvertSelect>(
      converter, context);
  scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                       target);
  populate(converter, patterns);
  return applyPartialConversion(module, target, std::move(patterns));
}
