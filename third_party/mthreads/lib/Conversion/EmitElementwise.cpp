//===- EmitElementwise.cpp - operations on single elements ------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// Floats narrower than f32 are computed in f32 and rounded after each
// operation, which is exact for + - * / and sqrt. Integer operations are
// defined for every input: kernels compute with masked-off elements, too.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mthreads/Conversion/DeviceNames.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::mthreads;

void Emitter::emitElementwise(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0)
    return void(error(op, "operation '" + op->getName().getStringRef() +
                              "' is not supported"));
  Value result = op->getResult(0);
  auto type = dyn_cast<RankedTensorType>(result.getType());
  int64_t count = type ? layoutOf(type).registers() : 1;
  Registers values;
  // Where the operands are the same everywhere, so is the result.
  for (int64_t r = 0; r < count && !failed; ++r) {
    Registers args;
    for (Value operand : op->getOperands())
      args.push_back(element(operand, r));
    bool isSame = r > 0 && llvm::all_of(op->getOperands(), [&](Value operand) {
                    return element(operand, r) == element(operand, 0);
                  });
    values.push_back(isSame ? values.front() : apply(op, args));
  }
  if (!failed)
    set(result, values);
}

Value Emitter::apply(Operation *op, ValueRange args) {
  Type elem = getElementTypeOrSelf(op->getResult(0).getType());
  auto from = [&](unsigned i) {
    return getElementTypeOrSelf(op->getOperand(i).getType());
  };
  if (isa<AddPtrOp, PtrToIntOp, IntToPtrOp, triton::BitcastOp,
          arith::BitcastOp>(op))
    return applyPointer(op, args);
  if (isa<arith::SelectOp>(op)) // any type, pointers included
    return arith::SelectOp::create(b, loc, args[0], args[1], args[2]);
  if (auto cast = dyn_cast<FpToFpOp>(op))
    return floatCast(args[0], from(0), elem,
                     cast.getRounding() == RoundingMode::RTZ);
  if (auto trunc = dyn_cast<arith::TruncFOp>(op))
    return floatCast(args[0], from(0), elem,
                     trunc.getRoundingmode() ==
                         arith::RoundingMode::toward_zero);
  if (isa<arith::ExtFOp>(op))
    return floatCast(args[0], from(0), elem);
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    return applyIntDiv(op, args[0], args[1]);
  if (isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op))
    return applyShift(op, args[0], args[1]);
  if (isa<MulhiUIOp>(op))
    return applyMulhi(args[0], args[1]);
  if (auto call = dyn_cast<ExternElementwiseOp>(op)) {
    for (Type type :
         llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()))
      if (registerType(getElementTypeOrSelf(type)) !=
              getElementTypeOrSelf(type) &&
          isa<FloatType>(getElementTypeOrSelf(type)))
        return error(op, "library functions of " +
                             Twine(type.getIntOrFloatBitWidth()) +
                             "-bit brain or OCP floats are not supported");
    return callDevice(call.getSymbol(), registerType(elem), args,
                      call.getPure());
  }
  return applyFloat(op, args);
}

/// Operations of arith and math, with narrow floats widened around them.
Value Emitter::applyFloat(Operation *op, ValueRange operands) {
  StringRef dialect = op->getName().getDialectNamespace();
  Type elem = getElementTypeOrSelf(op->getResult(0).getType());
  auto isNarrow = [](Type type) {
    auto f = dyn_cast<FloatType>(type);
    return f && f.getWidth() < 32;
  };
  Registers args(operands);
  for (auto [i, v] : llvm::enumerate(args)) {
    Type type = getElementTypeOrSelf(op->getOperand(i).getType());
    if (isNarrow(type))
      v = toF32(v, type);
  }
  Type compute = isNarrow(elem) ? Type(b.getF32Type()) : elem;
  Value r;
  if (auto clamp = dyn_cast<ClampFOp>(op)) {
    bool all = clamp.getPropagateNan() == PropagateNan::ALL;
    r = minMax(true, all, args[0], args[1]);
    r = minMax(false, all, r, args[2]);
  } else if (isa<arith::MaximumFOp, arith::MinimumFOp>(op)) {
    r = minMax(isa<arith::MaximumFOp>(op), true, args[0], args[1]);
  } else if (dialect == "math" ||
             isa<PreciseSqrtOp, PreciseDivFOp, arith::RemFOp>(op)) {
    r = applyMath(op, compute, args);
  } else if (dialect == "arith") {
    OperationState state(loc, op->getName(), args, TypeRange(compute));
    state.addAttributes(op->getDiscardableAttrDictionary().getValue());
    state.propertiesAttr = op->getPropertiesAsAttribute();
    r = b.create(state)->getResult(0);
  } else {
    return error(op, "operation '" + op->getName().getStringRef() +
                         "' is not supported");
  }
  if (failed || !isNarrow(elem))
    return r;
  return fromF32(r, elem, false);
}

/// llvm.maximum is no instruction of the target, maxnum is.
Value Emitter::minMax(bool isMax, bool propagateNan, Value lhs, Value rhs) {
  Value number = isMax ? Value(arith::MaxNumFOp::create(b, loc, lhs, rhs))
                       : Value(arith::MinNumFOp::create(b, loc, lhs, rhs));
  if (!propagateNan)
    return number;
  Value isNan =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, lhs, rhs);
  Value nan = arith::AddFOp::create(b, loc, lhs, rhs);
  return arith::SelectOp::create(b, loc, isNan, nan, number);
}

Value Emitter::extend(Value v, Type type, bool isSigned) {
  if (v.getType() == type)
    return v;
  if (isSigned)
    return b.createOrFold<arith::ExtSIOp>(loc, type, v);
  return b.createOrFold<arith::ExtUIOp>(loc, type, v);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// By zero the quotient is 0 and the remainder the dividend; the smallest
/// integer divided by -1 wraps.
Value Emitter::applyIntDiv(Operation *op, Value lhs, Value rhs) {
  bool isSigned = isa<arith::DivSIOp, arith::RemSIOp>(op);
  bool isRem = isa<arith::RemSIOp, arith::RemUIOp>(op);
  Type type = lhs.getType();
  auto divide = [&](Value x, Value y) -> Value {
    if (isSigned)
      return arith::DivSIOp::create(b, loc, x, y);
    return arith::DivUIOp::create(b, loc, x, y);
  };
  auto equals = [&](int64_t number) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rhs,
                                 integer(type, number));
  };
  IntegerAttr known;
  Value quotient;
  if (matchPattern(rhs, m_Constant(&known)) && !known.getValue().isZero() &&
      !known.getValue().isAllOnes()) {
    quotient = divide(lhs, rhs);
  } else {
    Value isZero = equals(0), guard = isZero, isMinusOne;
    // i1 has no 1 besides -1, but dividing by it changes nothing.
    if (isSigned && !type.isInteger(1)) {
      isMinusOne = equals(-1);
      guard = arith::OrIOp::create(b, loc, isZero, isMinusOne);
    }
    Value safe = arith::SelectOp::create(b, loc, guard, integer(type, 1), rhs);
    quotient = divide(lhs, safe);
    if (isMinusOne) {
      Value negated = arith::SubIOp::create(b, loc, integer(type, 0), lhs);
      quotient = arith::SelectOp::create(b, loc, isMinusOne, negated, quotient);
    }
    quotient =
        arith::SelectOp::create(b, loc, isZero, integer(type, 0), quotient);
  }
  if (!isRem)
    return quotient;
  Value product = arith::MulIOp::create(b, loc, quotient, rhs);
  return arith::SubIOp::create(b, loc, lhs, product);
}

/// Shifts by the width or more give what an infinite shift would.
Value Emitter::applyShift(Operation *op, Value lhs, Value rhs) {
  Type type = lhs.getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  auto shift = [&](Value amount) -> Value {
    if (isa<arith::ShLIOp>(op))
      return arith::ShLIOp::create(b, loc, lhs, amount);
    if (isa<arith::ShRSIOp>(op))
      return arith::ShRSIOp::create(b, loc, lhs, amount);
    return arith::ShRUIOp::create(b, loc, lhs, amount);
  };
  IntegerAttr known;
  if (matchPattern(rhs, m_Constant(&known)) && known.getValue().ult(bits))
    return shift(rhs);
  Value inRange = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, rhs,
                                        integer(type, bits));
  Value amount =
      arith::SelectOp::create(b, loc, inRange, rhs, integer(type, bits - 1));
  Value shifted = shift(amount);
  if (isa<arith::ShRSIOp>(op))
    return shifted;
  return arith::SelectOp::create(b, loc, inRange, shifted, integer(type, 0));
}

Value Emitter::applyMulhi(Value lhs, Value rhs) {
  Type type = lhs.getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits == 64)
    return callDevice(kMath + "umulhi.i64", type, {lhs, rhs}, true);
  Type wide = b.getI64Type();
  Value product = arith::MulIOp::create(b, loc, extend(lhs, wide, false),
                                        extend(rhs, wide, false));
  Value high = arith::ShRUIOp::create(b, loc, product, i64(bits));
  return arith::TruncIOp::create(b, loc, type, high);
}

//===----------------------------------------------------------------------===//
// Pointers and bits
//===----------------------------------------------------------------------===//

Value Emitter::applyPointer(Operation *op, ValueRange args) {
  Type elem = getElementTypeOrSelf(op->getResult(0).getType());
  Type type = registerType(elem);
  if (isa<AddPtrOp>(op)) {
    Type pointee = cast<triton::PointerType>(elem).getPointeeType();
    Value offset = extend(args[1], b.getI64Type(), /*isSigned=*/true);
    return LLVM::GEPOp::create(b, loc, type, memoryType(pointee), args[0],
                               ArrayRef<LLVM::GEPArg>{offset});
  }
  if (isa<PtrToIntOp>(op))
    return LLVM::PtrToIntOp::create(b, loc, type, args[0]);
  if (isa<IntToPtrOp>(op))
    return LLVM::IntToPtrOp::create(b, loc, type, args[0]);
  Type from = args[0].getType();
  if (from == type)
    return args[0];
  if (isa<LLVM::LLVMPointerType>(from))
    return LLVM::PtrToIntOp::create(b, loc, type, args[0]);
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::IntToPtrOp::create(b, loc, type, args[0]);
  return arith::BitcastOp::create(b, loc, type, args[0]);
}
