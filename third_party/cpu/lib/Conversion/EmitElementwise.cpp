//===- EmitElementwise.cpp - operations on scalars and vectors --*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// Half precision is computed in f32 and rounded after each operation, which is
// exact for + - * / and sqrt.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

static Type withElement(Type like, Type elem) {
  if (auto vec = dyn_cast<VectorType>(like))
    return VectorType::get(vec.getShape(), elem);
  return elem;
}

/// Division and remainder that are defined for every input: by zero the
/// quotient is 0 (and the remainder the dividend), and the smallest integer
/// divided by -1 wraps. The hardware would stop the process instead.
Value Emitter::elementwiseIntDiv(Operation *op, Value lhs, Value rhs,
                                 int64_t width) {
  bool isSigned = isa<arith::DivSIOp, arith::RemSIOp>(op);
  bool isRem = isa<arith::RemSIOp, arith::RemUIOp>(op);
  Type type = lhs.getType();
  Type elem = getElementTypeOrSelf(type);
  unsigned bits = elem.getIntOrFloatBitWidth();
  IntegerAttr c;
  bool isConstant = matchPattern(rhs, m_Constant(&c)) ||
                    (rhs.getDefiningOp<arith::ConstantOp>() && [&] {
                      auto dense = dyn_cast<SplatElementsAttr>(
                          rhs.getDefiningOp<arith::ConstantOp>().getValue());
                      if (dense)
                        c = dense.getSplatValue<IntegerAttr>();
                      return static_cast<bool>(dense);
                    }());
  if (isConstant && !c.getValue().isZero() && !c.getValue().isAllOnes()) {
    if (isSigned)
      return isRem ? Value(arith::RemSIOp::create(b, loc, lhs, rhs))
                   : Value(arith::DivSIOp::create(b, loc, lhs, rhs));
    return isRem ? Value(arith::RemUIOp::create(b, loc, lhs, rhs))
                 : Value(arith::DivUIOp::create(b, loc, lhs, rhs));
  }
  Value none = splatConstant(elem, b.getIntegerAttr(elem, 0), width);
  Value one = splatConstant(elem, b.getIntegerAttr(elem, 1), width);
  Value isZero =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rhs, none);
  Value quotient;
  if (width > 1 && bits <= 32 && bits > 1) {
    // There is no vector instruction for integers, but a double holds them and
    // its quotient truncates to the right integer.
    Type f64 = valueType(b.getF64Type(), width);
    Type wide = valueType(b.getI64Type(), width);
    Value safe = arith::SelectOp::create(b, loc, isZero, one, rhs);
    Value x, y;
    if (isSigned) {
      x = arith::SIToFPOp::create(b, loc, f64, lhs);
      y = arith::SIToFPOp::create(b, loc, f64, safe);
    } else {
      x = arith::UIToFPOp::create(b, loc, f64, lhs);
      y = arith::UIToFPOp::create(b, loc, f64, safe);
    }
    Value q = arith::DivFOp::create(b, loc, x, y);
    quotient = arith::TruncIOp::create(
        b, loc, type, arith::FPToSIOp::create(b, loc, wide, q));
  } else {
    Value guard = isZero;
    Value isMinus;
    if (isSigned) {
      Value minus = splatConstant(elem, b.getIntegerAttr(elem, -1), width);
      isMinus =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rhs, minus);
      guard = arith::OrIOp::create(b, loc, isZero, isMinus);
    }
    Value safe = arith::SelectOp::create(b, loc, guard, one, rhs);
    if (isSigned) {
      quotient = arith::DivSIOp::create(b, loc, lhs, safe);
      Value negated = arith::SubIOp::create(b, loc, none, lhs);
      quotient = arith::SelectOp::create(b, loc, isMinus, negated, quotient);
    } else {
      quotient = arith::DivUIOp::create(b, loc, lhs, safe);
    }
  }
  quotient = arith::SelectOp::create(b, loc, isZero, none, quotient);
  if (!isRem)
    return quotient;
  Value product = arith::MulIOp::create(b, loc, quotient, rhs);
  return arith::SubIOp::create(b, loc, lhs, product);
}

/// Shifts by the width or more give what an infinite shift would.
static Value elementwiseShift(OpBuilder &b, Location loc, Operation *op,
                              Value lhs, Value rhs,
                              function_ref<Value(int64_t)> splat) {
  unsigned bits = getElementTypeOrSelf(lhs.getType()).getIntOrFloatBitWidth();
  auto clone = [&](Value amount) -> Value {
    if (isa<arith::ShLIOp>(op))
      return b.createOrFold<arith::ShLIOp>(loc, lhs, amount);
    if (isa<arith::ShRSIOp>(op))
      return b.createOrFold<arith::ShRSIOp>(loc, lhs, amount);
    return b.createOrFold<arith::ShRUIOp>(loc, lhs, amount);
  };
  if (auto c = rhs.getDefiningOp<arith::ConstantOp>()) {
    Attribute attr = c.getValue();
    if (auto dense = dyn_cast<SplatElementsAttr>(attr))
      attr = dense.getSplatValue<Attribute>();
    if (auto integer = dyn_cast<IntegerAttr>(attr))
      if (integer.getValue().ult(bits))
        return clone(rhs);
  }
  Value inRange = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, rhs,
                                        splat(bits));
  Value last = splat(bits - 1);
  Value amount = arith::SelectOp::create(b, loc, inRange, rhs, last);
  Value shifted = clone(amount);
  if (isa<arith::ShRSIOp>(op))
    return shifted;
  return arith::SelectOp::create(b, loc, inRange, shifted, splat(0));
}

Value Emitter::elementwise(Operation *op, ValueRange operands, int64_t width) {
  Type resultElem = getElementTypeOrSelf(op->getResult(0).getType());
  Type resultType = valueType(resultElem, width);
  Type f32 = b.getF32Type();

  if (auto ext = dyn_cast<ExternElementwiseOp>(op))
    return callExtern(ext.getSymbol(), resultElem, operands, width);
  if (isa<arith::ExtFOp, arith::TruncFOp, FpToFpOp>(op)) {
    bool towardZero = false;
    if (auto fp = dyn_cast<FpToFpOp>(op))
      towardZero = fp.getRounding() == RoundingMode::RTZ;
    if (auto trunc = dyn_cast<arith::TruncFOp>(op))
      towardZero = trunc.getRoundingmode() == arith::RoundingMode::toward_zero;
    return floatCast(operands[0], resultElem, width, towardZero);
  }
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    return elementwiseIntDiv(op, operands[0], operands[1], width);
  if (isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op))
    return elementwiseShift(
        b, loc, op, operands[0], operands[1], [&](int64_t x) {
          return splatConstant(resultElem, b.getIntegerAttr(resultElem, x),
                               width);
        });
  if (isa<PtrToIntOp, IntToPtrOp>(op)) {
    if (width > 1)
      return operands[0];
    return isa<PtrToIntOp>(op)
               ? Value(
                     LLVM::PtrToIntOp::create(b, loc, resultType, operands[0]))
               : Value(
                     LLVM::IntToPtrOp::create(b, loc, resultType, operands[0]));
  }
  if (isa<BitcastOp, arith::BitcastOp>(op)) {
    Value v = operands[0];
    if (v.getType() == resultType)
      return v;
    return arith::BitcastOp::create(b, loc, resultType, v);
  }
  if (isa<arith::SelectOp>(op)) { // any type, pointers included
    auto number = dyn_cast<FloatType>(resultElem);
    if (width == 1 || !number || number.getWidth() > 16)
      return arith::SelectOp::create(b, loc, operands[0], operands[1],
                                     operands[2]);
    // Vectors of half floats would be taken apart.
    Value chosen = arith::SelectOp::create(
        b, loc, operands[0], inMemory(operands[1], resultElem, width),
        inMemory(operands[2], resultElem, width));
    return arith::BitcastOp::create(b, loc, resultType, chosen);
  }

  // Everything else is computed in f32 where it is half or narrower.
  SmallVector<Value> args(operands.begin(), operands.end());
  auto narrow = [](Type t) {
    auto f = dyn_cast<FloatType>(getElementTypeOrSelf(t));
    return f && f.getWidth() < 32;
  };
  for (Value &v : args)
    if (narrow(v.getType()))
      v = floatCast(v, f32, width);
  // A conversion that does not fit has any result of LLVM's, even one that the
  // narrow type does not have; so it goes through 32 bits.
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op) &&
      resultElem.getIntOrFloatBitWidth() < 32) {
    Value wide = arith::FPToSIOp::create(
        b, loc, valueType(b.getI32Type(), width), args[0]);
    return arith::TruncIOp::create(b, loc, resultType, wide);
  }
  Type computeElem = narrow(resultElem) ? f32 : resultElem;
  Type computeType = valueType(computeElem, width);
  Value r;
  if (isa<PreciseSqrtOp>(op)) {
    r = math::SqrtOp::create(b, loc, args[0]);
  } else if (isa<PreciseDivFOp>(op)) {
    r = arith::DivFOp::create(b, loc, args[0], args[1]);
  } else if (isa<math::RsqrtOp>(op)) {
    Value root = math::SqrtOp::create(b, loc, args[0]);
    r = arith::DivFOp::create(
        b, loc,
        splatConstant(computeElem, b.getFloatAttr(computeElem, 1.0), width),
        root);
  } else if (auto clamp = dyn_cast<ClampFOp>(op)) {
    bool all = clamp.getPropagateNan() == PropagateNan::ALL;
    Value low = all ? Value(arith::MaximumFOp::create(b, loc, args[0], args[1]))
                    : Value(arith::MaxNumFOp::create(b, loc, args[0], args[1]));
    r = all ? Value(arith::MinimumFOp::create(b, loc, low, args[2]))
            : Value(arith::MinNumFOp::create(b, loc, low, args[2]));
  } else if (isa<MulhiUIOp>(op)) {
    if (resultElem.getIntOrFloatBitWidth() == 32) {
      Type wide = withElement(resultType, b.getI64Type());
      Value x = arith::ExtUIOp::create(b, loc, wide, args[0]);
      Value y = arith::ExtUIOp::create(b, loc, wide, args[1]);
      Value product = arith::MulIOp::create(b, loc, x, y);
      Value high = arith::ShRUIOp::create(
          b, loc, product,
          splatConstant(b.getI64Type(), b.getI64IntegerAttr(32), width));
      r = arith::TruncIOp::create(b, loc, resultType, high);
    } else {
      r = arith::MulUIExtendedOp::create(b, loc, args[0], args[1]).getHigh();
    }
  } else if (isa<arith::ConstantOp>(op)) {
    r = splatConstant(resultElem,
                      cast<TypedAttr>(cast<arith::ConstantOp>(op).getValue()),
                      width);
  } else if (op->getNumResults() == 1 && op->getNumRegions() == 0 &&
             (op->getName().getDialectNamespace() == "arith" ||
              op->getName().getDialectNamespace() == "math" ||
              op->getName().getDialectNamespace() == "ub")) {
    OperationState state(loc, op->getName(), args, TypeRange(computeType));
    state.addAttributes(op->getDiscardableAttrDictionary().getValue());
    state.propertiesAttr = op->getPropertiesAsAttribute();
    r = b.create(state)->getResult(0);
  } else {
    error(op,
          "operation '" + op->getName().getStringRef() + "' is not supported");
    return LLVM::PoisonOp::create(b, loc, resultType);
  }
  return narrow(resultElem) ? floatCast(r, resultElem, width) : r;
}

/// Calls a C function lane by lane.
Value Emitter::callExtern(StringRef symbol, Type elem, ValueRange args,
                          int64_t width) {
  OpBuilder::InsertPoint place = b.saveInsertionPoint();
  auto module = kernel.entry->getParentOp()->getParentOfType<ModuleOp>();
  SmallVector<Type> argTypes;
  for (Value v : args)
    argTypes.push_back(getElementTypeOrSelf(v.getType()));
  auto type = LLVM::LLVMFunctionType::get(elem, argTypes);
  auto callee = module.lookupSymbol<LLVM::LLVMFuncOp>(symbol);
  if (!callee) {
    b.setInsertionPointToStart(module.getBody());
    callee = LLVM::LLVMFuncOp::create(b, loc, symbol, type);
    callee.setMemoryEffectsAttr({});
    callee.setNoUnwind(true);
    callee.setWillReturn(true);
  }
  b.restoreInsertionPoint(place);
  if (callee.getFunctionType() != type) {
    failed = true;
    emitError(loc) << "CPU lowering: external function '" << symbol
                   << "' is used with two different signatures";
    return LLVM::PoisonOp::create(b, loc, valueType(elem, width));
  }
  if (width == 1)
    return LLVM::CallOp::create(b, loc, callee, args).getResult();
  Value r = LLVM::PoisonOp::create(b, loc, valueType(elem, width));
  for (int64_t i = 0; i < width; ++i) {
    SmallVector<Value> lane;
    for (Value v : args)
      lane.push_back(vector::ExtractOp::create(b, loc, v, i));
    Value one = LLVM::CallOp::create(b, loc, callee, lane).getResult();
    r = vector::InsertOp::create(b, loc, one, r, i);
  }
  return r;
}
