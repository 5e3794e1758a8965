//===- ExpandMath.cpp - cpu-expand-math -----------------------------------===//

#include "InlineFunctions.h"
#include "LibraryCalls.h"
#include "cpu/Math/Passes.h"
#include "cpu/Runtime/HostSymbols.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "triton/Target/LLVMIR/TargetMachine.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::triton::cpu;

namespace {

/// C name of the function that `op` stands for, or empty when the conversion
/// to LLVM has an instruction or an intrinsic for it.
StringRef libraryName(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<math::AcosOp>([](auto) { return "acos"; })
      .Case<math::AcoshOp>([](auto) { return "acosh"; })
      .Case<math::AsinOp>([](auto) { return "asin"; })
      .Case<math::AsinhOp>([](auto) { return "asinh"; })
      .Case<math::AtanOp>([](auto) { return "atan"; })
      .Case<math::Atan2Op>([](auto) { return "atan2"; })
      .Case<math::AtanhOp>([](auto) { return "atanh"; })
      .Case<math::CbrtOp>([](auto) { return "cbrt"; })
      .Case<math::CosOp>([](auto) { return "cos"; })
      .Case<math::CoshOp>([](auto) { return "cosh"; })
      .Case<math::ErfOp>([](auto) { return "erf"; })
      .Case<math::ErfcOp>([](auto) { return "erfc"; })
      .Case<math::ExpOp>([](auto) { return "exp"; })
      .Case<math::Exp2Op>([](auto) { return "exp2"; })
      .Case<math::ExpM1Op>([](auto) { return "expm1"; })
      .Case<math::LogOp>([](auto) { return "log"; })
      .Case<math::Log10Op>([](auto) { return "log10"; })
      .Case<math::Log1pOp>([](auto) { return "log1p"; })
      .Case<math::Log2Op>([](auto) { return "log2"; })
      .Case<math::PowFOp>([](auto) { return "pow"; })
      .Case<math::SinOp>([](auto) { return "sin"; })
      .Case<math::SinhOp>([](auto) { return "sinh"; })
      .Case<math::TanOp>([](auto) { return "tan"; })
      .Case<math::TanhOp>([](auto) { return "tanh"; })
      .Default([](auto) { return ""; });
}

/// The inline form of `op`, or null when it has none.
Value emitInline(ImplicitLocOpBuilder &builder, Operation *op,
                 const MathTarget &target) {
  if (!getElementTypeOrSelf(op->getResult(0).getType()).isF32())
    return nullptr;
  Value x = op->getOperand(0);
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<math::ExpOp>([&](auto) { return emitExp(builder, x, target); })
      .Case<math::Exp2Op>([&](auto) { return emitExp2(builder, x, target); })
      .Case<math::LogOp>([&](auto) { return emitLog(builder, x); })
      .Case<math::Log2Op>([&](auto) { return emitLog2(builder, x); })
      .Case<math::ErfOp>([&](auto) { return emitErf(builder, x); })
      .Case<math::TanhOp>([&](auto) { return emitTanh(builder, x); })
      .Default([](auto) { return Value(); });
}

/// Only f32 and f64 have functions; scalable vectors have no lanes to count.
LogicalResult checkType(Operation *op) {
  Type type = op->getOperand(0).getType();
  Type element = getElementTypeOrSelf(type);
  auto vector = dyn_cast<VectorType>(type);
  if ((element.isF32() || element.isF64()) && !(vector && vector.isScalable()))
    return success();
  return op->emitError("cannot be computed on ")
         << type << ": only f32 and f64 scalars and fixed vectors have math "
         << "functions; extend narrower types first";
}

class ExpandMathPass
    : public PassWrapper<ExpandMathPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandMathPass)

  explicit ExpandMathPass(const MathTarget &target = MathTarget::host()) {
    vectorBits = target.vectorBits;
    vectorLibrary = target.vectorLibrary;
  }
  ExpandMathPass(const ExpandMathPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "cpu-expand-math"; }
  StringRef getDescription() const override {
    return "Replace math functions by code or by calls of libm and libmvec";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, LLVM::LLVMDialect, math::MathDialect,
                    vector::VectorDialect>();
  }

  void runOnOperation() override {
    MathTarget target{vectorBits, vectorLibrary};
    SmallVector<Operation *> functions, extremes;
    getOperation().walk([&](Operation *op) {
      if (isa<math::SincosOp>(op) || !libraryName(op).empty())
        functions.push_back(op);
      else if (isa<arith::MaxNumFOp, arith::MinNumFOp>(op))
        extremes.push_back(op);
    });
    for (Operation *op : extremes) {
      ImplicitLocOpBuilder builder(op->getLoc(), op);
      if (Value result = emitExtreme(builder, op, target)) {
        op->replaceAllUsesWith(ValueRange{result});
        op->erase();
      }
    }
    if (functions.empty())
      return;
    LibraryCalls library(getOperation(), target);
    for (Operation *op : functions) {
      if (failed(checkType(op)))
        return signalPassFailure();
      replace(op, library, target);
    }
  }

private:
  static void replace(Operation *op, LibraryCalls &library,
                      const MathTarget &target) {
    ImplicitLocOpBuilder builder(op->getLoc(), op);
    if (isa<math::SincosOp>(op)) {
      Value sine = library.emit(builder, "sin", op->getOperands());
      Value cosine = library.emit(builder, "cos", op->getOperands());
      op->replaceAllUsesWith(ValueRange{sine, cosine});
    } else {
      Value result = emitInline(builder, op, target);
      if (!result)
        result = library.emit(builder, libraryName(op), op->getOperands());
      op->replaceAllUsesWith(ValueRange{result});
    }
    op->erase();
  }

  Option<unsigned> vectorBits{
      *this, "vector-bits",
      llvm::cl::desc("Widest vector register; 512 stands for AVX-512")};
  Option<bool> vectorLibrary{
      *this, "vector-library",
      llvm::cl::desc("Whether functions of libmvec may be called")};
};

} // namespace

MathTarget MathTarget::host() {
  return {getHostTarget().vectorBits, hasVectorMathLibrary()};
}

std::unique_ptr<Pass>
mlir::triton::cpu::createExpandMathPass(const MathTarget &target) {
  return std::make_unique<ExpandMathPass>(target);
}

void mlir::triton::cpu::registerMathPasses() {
  PassRegistration<ExpandMathPass>();
}
