//===- EmitCollect.cpp - additions that the runtime collects ----*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "RuntimeCalls.h"

#include "cpu/Runtime/AddBuffer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

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

/// Hands the vectors of an addition to the runtime, which adds them later.
void Emitter::emitCollectedAdd(AtomicRMWOp op) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Type elem = type.getElementType();
  SmallVector<Value> trees(op->operand_begin(), op->operand_end());
  prepare(trees, type.getShape());
  Nest nest = chooseNest(trees, type.getShape(), op.getPtr());
  Type i32 = b.getI32Type(), i64Type = b.getI64Type();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto callee =
      runtimeFunction(b, moduleOf(kernel.entry), "triton_cpu_add_later",
                      {i32, i32, pointer, i64Type, pointer, i64Type});
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
        Value maskV;
        if (mask && !(mask->isUniform() && matchPattern(mask->base, m_One())))
          maskV = asVector(*mask, b.getI1Type(), p.width);
        Value v = asVector(value, elem, p.width);
        bool isRun = p.width > 1 && ptr.hasUnitStride(memBytes(elem));
        Value addresses = isRun ? Value() : lanePointers(ptr, p.width);
        Value first = isRun ? firstLane(ptr) : Value();
        here();
        Value list = LLVM::ZeroOp::create(b, loc, pointer);
        if (isRun) {
          first = LLVM::PtrToIntOp::create(b, loc, i64Type, first);
        } else {
          list = stackArray(addressArrays, p.width);
          LLVM::StoreOp::create(b, loc, addresses, list, 8);
          first = i64(0);
        }
        Value values = stackArray(valueArrays, p.width);
        LLVM::StoreOp::create(b, loc, v, values, 8);
        LLVM::CallOp::create(
            b, loc, callee,
            ValueRange{constant(b.getI32IntegerAttr(kindOf(elem))),
                       constant(b.getI32IntegerAttr(p.width)), list, first,
                       values, maskBits(maskV, p.width)});
      },
      op.getMask());
  finishCaptures();
}
