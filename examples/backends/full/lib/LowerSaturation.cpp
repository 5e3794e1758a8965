//===- LowerSaturation.cpp - Saturation as arithmetic ---------------------===//

#include "full/Dialect.h"
#include "full/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

namespace full {
#define GEN_PASS_DEF_FULLLOWERSATURATION
#include "full/Passes.h.inc"
} // namespace full

using namespace mlir;

namespace {

Value buildConstant(OpBuilder &builder, Location loc, Type type,
                    double number) {
  TypedAttr value = builder.getFloatAttr(getElementTypeOrSelf(type), number);
  if (auto block = dyn_cast<RankedTensorType>(type))
    value = DenseElementsAttr::get(block, value);
  return arith::ConstantOp::create(builder, loc, value);
}

struct LowerSaturation
    : public full::impl::FullLowerSaturationBase<LowerSaturation> {
  void runOnOperation() override {
    getOperation()->walk([](full::SaturateOp op) {
      OpBuilder builder(op);
      Location loc = op.getLoc();
      auto bound = [&](const APFloat &number) {
        return buildConstant(builder, loc, op.getType(),
                             number.convertToDouble());
      };
      Value raised =
          arith::MaxNumFOp::create(builder, loc, op.getX(), bound(op.getLow()));
      op.replaceAllUsesWith(
          arith::MinNumFOp::create(builder, loc, raised, bound(op.getHigh()))
              .getResult());
      op.erase();
    });
  }
};

} // namespace
