//===- NarrowMoves.cpp - values that are only moved -------------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#include "NarrowMoves.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

/// The number that all elements are, in `type` if that holds it exactly.
static std::optional<APFloat> exactConstant(Value v, FloatType type) {
  DenseElementsAttr dense;
  if (!matchPattern(v, m_Constant(&dense)) || !dense.isSplat())
    return std::nullopt;
  APFloat number = dense.getSplatValue<APFloat>();
  bool losesInfo = false;
  APFloat::opStatus status = number.convert(
      type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  if (status != APFloat::opOK || losesInfo)
    return std::nullopt;
  return number;
}

static bool isMove(Value v, FloatType type, int &budget) {
  if (--budget < 0)
    return false;
  if (auto ext = v.getDefiningOp<arith::ExtFOp>())
    return getElementTypeOrSelf(ext.getIn().getType()) == type;
  if (auto select = v.getDefiningOp<arith::SelectOp>())
    return isMove(select.getTrueValue(), type, budget) &&
           isMove(select.getFalseValue(), type, budget);
  return exactConstant(v, type).has_value();
}

/// `v`, a move, in `type`.
static Value narrowed(OpBuilder &b, Value v, FloatType type) {
  if (auto ext = v.getDefiningOp<arith::ExtFOp>())
    return ext.getIn();
  Location loc = v.getLoc();
  if (auto select = v.getDefiningOp<arith::SelectOp>())
    return arith::SelectOp::create(b, loc, select.getCondition(),
                                   narrowed(b, select.getTrueValue(), type),
                                   narrowed(b, select.getFalseValue(), type));
  auto tensor = cast<RankedTensorType>(v.getType()).clone(type);
  return arith::ConstantOp::create(
      b, loc, DenseElementsAttr::get(tensor, *exactConstant(v, type)));
}

void cpu::narrowMoves(FuncOp func) {
  func.walk([](arith::TruncFOp trunc) {
    constexpr int limit = 64;
    int budget = limit;
    auto tensor = dyn_cast<RankedTensorType>(trunc.getType());
    if (!tensor || !trunc.getIn().getDefiningOp<arith::SelectOp>())
      return;
    auto type = cast<FloatType>(tensor.getElementType());
    if (!isMove(trunc.getIn(), type, budget))
      return;
    OpBuilder b(trunc);
    trunc.getResult().replaceAllUsesWith(narrowed(b, trunc.getIn(), type));
    trunc.erase();
  });
}
