//===- FloatBuilder.h - short notation for lanes of f32 ---------*- C++ -*-===//

#ifndef TRITON_CPU_LIB_MATH_FLOATBUILDER_H
#define TRITON_CPU_LIB_MATH_FLOATBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::triton::cpu {

/// Emits operations on values of one type, f32 or a vector of f32. Integers
/// and conditions have the same number of lanes.
class FloatBuilder {
public:
  FloatBuilder(ImplicitLocOpBuilder &builder, Type type)
      : b(builder), floatType(type), intType(withElement(b.getI32Type())) {}

  ImplicitLocOpBuilder &builder() { return b; }
  Type type() const { return floatType; }

  Value constant(float value) {
    return splat(floatType, b.getF32FloatAttr(value));
  }
  Value integer(int32_t value) {
    return splat(intType, b.getI32IntegerAttr(value));
  }

  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z);
  }
  Value abs(Value x) { return math::AbsFOp::create(b, x); }

  Value addInt(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value subInt(Value x, Value y) { return arith::SubIOp::create(b, x, y); }
  Value andInt(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  Value shiftLeft(Value x, int32_t by) {
    return arith::ShLIOp::create(b, x, integer(by));
  }
  Value shiftRight(Value x, int32_t by) {
    return arith::ShRSIOp::create(b, x, integer(by));
  }

  Value bits(Value x) { return arith::BitcastOp::create(b, intType, x); }
  Value fromBits(Value x) { return arith::BitcastOp::create(b, floatType, x); }
  Value toFloat(Value x) { return arith::SIToFPOp::create(b, floatType, x); }

  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  /// The smaller one, as one instruction; `y` when `x` is NaN.
  Value lesserOr(Value x, Value y) {
    return select(compare(arith::CmpFPredicate::OLT, x, y), x, y);
  }
  /// Takes the sign from `sign`.
  Value copySign(Value x, Value sign) {
    return math::CopySignOp::create(b, x, sign);
  }

  /// c[0] + c[1] x + c[2] x^2 + ...
  Value polynomial(Value x, ArrayRef<float> c) {
    Value result = constant(c.back());
    for (float coefficient : llvm::reverse(c.drop_back()))
      result = fma(result, x, constant(coefficient));
    return result;
  }

private:
  Type withElement(Type element) {
    if (auto vector = dyn_cast<VectorType>(floatType))
      return vector.clone(element);
    return element;
  }

  Value splat(Type type, TypedAttr scalar) {
    if (auto vector = dyn_cast<VectorType>(type))
      scalar = DenseElementsAttr::get(vector, Attribute(scalar));
    return arith::ConstantOp::create(b, scalar);
  }

  ImplicitLocOpBuilder &b;
  Type floatType;
  Type intType;
};

} // namespace mlir::triton::cpu

#endif // TRITON_CPU_LIB_MATH_FLOATBUILDER_H
