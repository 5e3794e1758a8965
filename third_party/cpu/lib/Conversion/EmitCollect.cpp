//===- EmitCollect.cpp - additions that the runtime collects ----*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "RuntimeCalls.h"

#include "cpu/Runtime/AddBuffer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

static AddKind kindOf(Type elem) {
  if (elem.isF32())
    return kAddFloat32;
  if (elem.isF64())
    return kAddFloat64;
  return elem.isInteger(32) ? kAddInt32 : kAddInt64;
}

/// Memory on the stack for `width` values of 8 bytes.
Value Emitter::stackArray(DenseMap<int64_t, Value> &arrays, int64_t width) {
  Value &slot = arrays[width];
  if (!slot) {
    OpBuilder::InsertionGuard guard(b);
    Value count = i64(width);
    b.setInsertionPointAfterValue(count);
    slot = LLVM::AllocaOp::create(b, loc,
                                  LLVM::LLVMPointerType::get(b.getContext()),
                                  b.getI64Type(), count, 64);
  }
  return slot;
}

/// The value that changes nothing when it is added.
Value Emitter::neutralOfAdd(Type elem, int64_t width) {
  TypedAttr none = isa<FloatType>(elem) ? TypedAttr(b.getFloatAttr(elem, -0.0))
                                        : TypedAttr(b.getIntegerAttr(elem, 0));
  return splatConstant(elem, none, width);
}

/// Calls the runtime for the lanes of `values` at `addresses`, or in a row from
/// `first` if there are none.
void Emitter::addLater(Type elem, int64_t width, Value addresses, Value first,
                       Value values, Value mask) {
  Type i32 = b.getI32Type(), i64Type = b.getI64Type();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto callee =
      runtimeFunction(b, moduleOf(kernel.entry), "triton_cpu_add_later",
                      {i32, i32, pointer, i64Type, pointer, i64Type});
  here();
  Value list = LLVM::ZeroOp::create(b, loc, pointer);
  if (addresses) {
    list = stackArray(addressArrays, width);
    LLVM::StoreOp::create(b, loc, addresses, list, 8);
    first = i64(0);
  } else {
    first = LLVM::PtrToIntOp::create(b, loc, i64Type, first);
  }
  Value array = stackArray(valueArrays, width);
  LLVM::StoreOp::create(b, loc, values, array, 8);
  LLVM::CallOp::create(b, loc, callee,
                       ValueRange{constant(b.getI32IntegerAttr(kindOf(elem))),
                                  constant(b.getI32IntegerAttr(width)), list,
                                  first, array, maskBits(mask, width)});
}

/// Hands the vectors of an addition to the runtime, which adds them later.
void Emitter::emitCollectedAdd(AtomicRMWOp op) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Type elem = type.getElementType();
  SmallVector<Value> trees(op->operand_begin(), op->operand_end());
  prepare(trees, type.getShape());
  Nest nest = chooseNest(trees, type.getShape(), op.getPtr());
  collects = true;
  forEachPoint(
      nest, trees,
      [&](const Point &p) {
        Lanes ptr = eval(op.getPtr(), p), value = eval(op.getVal(), p);
        std::optional<Lanes> mask;
        if (op.getMask())
          mask = eval(op.getMask(), p);
        if (failed)
          return;
        mask = insidePiece(mask, p);
        Value maskV;
        if (mask && !(mask->isUniform() && matchPattern(mask->base, m_One())))
          maskV = asVector(*mask, b.getI1Type(), p.width);
        Value v = asVector(value, elem, p.width);
        if (ptr.isUniform() && p.width > 1) { // all of it goes to one place
          here();
          if (maskV)
            v = arith::SelectOp::create(b, loc, maskV, v,
                                        neutralOfAdd(elem, p.width));
          v = vector::ReductionOp::create(b, loc, vector::CombiningKind::ADD, v,
                                          arith::FastMathFlags::reassoc);
          return addLater(elem, 1, {}, firstLane(ptr), v, {});
        }
        bool isRun = p.width > 1 && ptr.hasUnitStride(memBytes(elem));
        Value addresses = isRun ? Value() : lanePointers(ptr, p.width);
        Value first = isRun ? firstLane(ptr) : Value();
        addLater(elem, p.width, addresses, first, v, maskV);
      },
      op.getMask());
  finishCaptures();
}
