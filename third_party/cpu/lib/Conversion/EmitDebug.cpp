//===- EmitDebug.cpp - print and assert -------------------------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// Both call C functions of the runtime, see cpu/Runtime/DeviceHelpers.h.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "RuntimeCalls.h"

#include "cpu/Runtime/DeviceHelpers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

static Value globalShape(OpBuilder &b, ModuleOp module,
                         ArrayRef<int64_t> shape) {
  if (shape.empty())
    return LLVM::ZeroOp::create(b, module.getLoc(),
                                LLVM::LLVMPointerType::get(b.getContext()));
  return globalAddress(b, module,
                       LLVM::LLVMArrayType::get(b.getI64Type(), shape.size()),
                       b.getI64TensorAttr(shape), "tt.shape.");
}

void Emitter::emitPrint(PrintOp op) {
  blocking = true;
  ModuleOp module = moduleOf(kernel.entry);
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  Type i32 = b.getI32Type(), i64Type = b.getI64Type();
  auto callee =
      runtimeFunction(b, module, "triton_cpu_print",
                      {ptr, i32, i64Type, i32, i32, i32, i64Type, ptr, i32});
  auto i32c = [&](int64_t v) { return constant(b.getI32IntegerAttr(v)); };
  // The front end writes " name: "; the runtime adds what stands around it.
  StringRef label = op.getPrefix().trim().rtrim(':');
  auto emit = [&](ArrayRef<int64_t> shape, uint32_t format, Value bits,
                  Value linear) {
    here();
    Value prefix = globalString(b, module, label);
    Value dims = globalShape(b, module, shape);
    LLVM::CallOp::create(b, loc, callee,
                         ValueRange{prefix, i32c(format), bits,
                                    kernel.programId[0], kernel.programId[1],
                                    kernel.programId[2], linear, dims,
                                    i32c(shape.size())});
  };
  if (op.getArgs().empty())
    return emit({}, kPrintNothing, i64(0), i64(0));
  for (auto [i, v] : llvm::enumerate(op.getArgs())) {
    auto type = dyn_cast<RankedTensorType>(v.getType());
    Type elem = getElementTypeOrSelf(v.getType());
    bool isSigned = i < op.getIsSigned().size() && op.getIsSigned()[i];
    Nest nest;
    if (type)
      nest.shape.assign(type.getShape().begin(), type.getShape().end());
    prepare(v, nest.shape);
    forEachPoint(nest, v, [&](const Point &p) {
      Value x = eval(v, p).base;
      if (failed)
        return;
      here();
      uint32_t kind = isSigned ? kPrintSigned : kPrintUnsigned;
      uint32_t width = 64;
      if (isa<LLVM::LLVMPointerType>(x.getType())) {
        kind = kPrintPointer;
        x = LLVM::PtrToIntOp::create(b, loc, i64Type, x);
      } else if (isa<FloatType>(elem)) {
        kind = kPrintFloat;
        if (elem.getIntOrFloatBitWidth() < 32)
          x = floatCast(x, b.getF32Type(), 1);
        width = x.getType().getIntOrFloatBitWidth();
        x = arith::BitcastOp::create(b, loc, b.getIntegerType(width), x);
        x = intCast(x, i64Type, false);
      } else {
        width = elem.getIntOrFloatBitWidth();
        x = intCast(x, i64Type, isSigned);
      }
      Value linear = i64(0);
      for (auto [index, extent] : llvm::zip(p.dims, nest.shape)) {
        linear = b.createOrFold<arith::MulIOp>(loc, linear, i64(extent));
        linear = b.createOrFold<arith::AddIOp>(loc, linear, index.base);
      }
      emit(nest.shape, kind | width << 8 | (op.getHex() ? 1u : 0u) << 16, x,
           linear);
    });
    finishCaptures();
  }
}

/// Does `holds` not hold in one of the lanes?
Value Emitter::anyFalse(const Lanes &holds, const Point &p) {
  Type i1 = b.getI1Type();
  Value v = holds.isUniform() ? holds.base : asVector(holds, i1, p.width);
  int64_t width = holds.isUniform() ? 1 : p.width;
  here();
  Value isFalse = arith::XOrIOp::create(
      b, loc, v, splatConstant(i1, b.getBoolAttr(true), width));
  if (width == 1)
    return isFalse;
  if (std::optional<Lanes> inside = insidePiece({}, p))
    isFalse = arith::AndIOp::create(here(), loc, isFalse, inside->base);
  here();
  return vector::ReductionOp::create(b, loc, vector::CombiningKind::OR,
                                     isFalse);
}

void Emitter::emitAssert(AssertOp op) {
  ModuleOp module = moduleOf(kernel.entry);
  Type ptr = LLVM::LLVMPointerType::get(b.getContext()), i32 = b.getI32Type();
  auto callee = runtimeFunction(b, module, "triton_cpu_assert_fail",
                                {ptr, ptr, ptr, i32, i32, i32, i32});
  std::string file = "<unknown>", function = "kernel";
  unsigned line = 0;
  op->getLoc()->walk([&](Location at) {
    if (auto named = dyn_cast<FileLineColLoc>(at)) {
      file = named.getFilename().str();
      line = named.getLine();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (auto func = op->getParentOfType<FuncOp>())
    function = func.getSymName().str();
  Value condition = op.getCondition();
  Nest nest;
  if (auto type = dyn_cast<RankedTensorType>(condition.getType()))
    nest.shape.assign(type.getShape().begin(), type.getShape().end());
  prepare(condition, nest.shape);
  nest = chooseNest(condition, nest.shape);
  forEachPoint(nest, condition, [&](const Point &p) {
    Lanes holds = eval(condition, p);
    if (failed)
      return;
    Value isFalse = anyFalse(holds, p);
    here();
    auto branch = scf::IfOp::create(b, loc, isFalse, false);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
    Value message = globalString(b, module, op.getMessage());
    Value fileName = globalString(b, module, file);
    Value functionName = globalString(b, module, function);
    LLVM::CallOp::create(b, loc, callee,
                         ValueRange{message, fileName, functionName,
                                    constant(b.getI32IntegerAttr(line)),
                                    kernel.programId[0], kernel.programId[1],
                                    kernel.programId[2]});
  });
  finishCaptures();
}
