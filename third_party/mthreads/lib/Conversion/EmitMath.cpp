//===- EmitMath.cpp - functions of the device's library ---------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mthreads/Conversion/DeviceNames.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::mthreads;

ArrayRef<llvm::StringLiteral> mthreads::mathFunctions() {
  // Mnemonics of the math dialect, and: quotient rounded to nearest even,
  // remainder of C's fmod.
  static constexpr llvm::StringLiteral names[] = {
      "acos", "acosh",     "asin",  "asinh",    "atan",   "atan2", "atanh",
      "cbrt", "ceil",      "cos",   "cosh",     "erf",    "erfc",  "exp",
      "exp2", "expm1",     "floor", "log",      "log10",  "log1p", "log2",
      "powf", "roundeven", "round", "rsqrt",    "sin",    "sinh",  "sqrt",
      "tan",  "tanh",      "trunc", "copysign", "div_rn", "fmod"};
  return names;
}

/// Functions for which LLVM has an intrinsic that every target selects.
static bool isIntrinsic(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::FmaOp, math::CtPopOp,
             math::CountLeadingZerosOp, math::CountTrailingZerosOp>(op);
}

Value Emitter::applyMath(Operation *op, Type elem, ValueRange args) {
  if (isIntrinsic(op)) {
    OperationState state(loc, op->getName(), args, TypeRange(elem));
    state.propertiesAttr = op->getPropertiesAsAttribute();
    return b.create(state)->getResult(0);
  }
  StringRef name = op->getName().stripDialect();
  if (isa<PreciseSqrtOp>(op))
    name = "sqrt";
  else if (isa<PreciseDivFOp>(op))
    name = "div_rn";
  else if (isa<arith::RemFOp>(op))
    name = "fmod";
  if (!llvm::is_contained(mathFunctions(), name) || !isa<FloatType>(elem))
    return error(op, "operation '" + op->getName().getStringRef() +
                         "' is not supported");
  return callMath(name, args);
}

Value Emitter::callMath(StringRef function, ValueRange args) {
  Type type = args.front().getType();
  return callDevice(kMath + function + (type.isF64() ? ".f64" : ".f32"), type,
                    args, /*readsNothing=*/true);
}

/// Calls a function of the device, declared on first use.
Value Emitter::callDevice(const Twine &name, Type result, ValueRange args,
                          bool readsNothing) {
  std::string symbol = name.str();
  auto module = entry->getParentOp()->getParentOfType<ModuleOp>();
  Type resultType =
      result ? result : Type(LLVM::LLVMVoidType::get(b.getContext()));
  auto type =
      LLVM::LLVMFunctionType::get(resultType, llvm::to_vector(args.getTypes()));
  auto callee = module.lookupSymbol<LLVM::LLVMFuncOp>(symbol);
  if (!callee) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    callee = LLVM::LLVMFuncOp::create(b, module.getLoc(), symbol, type);
    callee.setNoUnwind(true);
    if (readsNothing) {
      auto none = LLVM::ModRefInfo::NoModRef;
      callee.setMemoryEffectsAttr(LLVM::MemoryEffectsAttr::get(
          b.getContext(), {none, none, none, none, none, none}));
      callee.setWillReturn(true);
    }
  }
  if (callee.getFunctionType() != type) {
    if (!failed)
      emitError(loc) << "thread lowering: function '" << symbol
                     << "' is used with two different signatures";
    failed = true;
    return nullptr;
  }
  auto call = LLVM::CallOp::create(b, loc, callee, args);
  return result ? call.getResult() : nullptr;
}
