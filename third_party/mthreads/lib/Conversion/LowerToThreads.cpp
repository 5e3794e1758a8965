//===- LowerToThreads.cpp - kernels to the code of one thread ---*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "mthreads/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::mthreads;

namespace {
constexpr StringLiteral kSharedBytes = "simt.shared_bytes";

struct LowerToThreadsPass
    : public PassWrapper<LowerToThreadsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerToThreadsPass)

  LowerToThreadsPass() = default;
  LowerToThreadsPass(const LowerToThreadsPass &other) : PassWrapper(other) {}
  explicit LowerToThreadsPass(int64_t count) { threads = count; }

  StringRef getArgument() const override { return "mthreads-lower-to-threads"; }
  StringRef getDescription() const override {
    return "Lower TTIR kernels to the code of one thread of a block";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, func::FuncDialect, LLVM::LLVMDialect,
                    math::MathDialect, scf::SCFDialect, ub::UBDialect>();
  }

  void runOnOperation() override {
    if (threads <= 0 || !llvm::isPowerOf2_64(threads)) {
      getOperation().emitError() << "thread lowering: " << threads.getValue()
                                 << " threads are not a power of two";
      return signalPassFailure();
    }
    if (failed(inlineCalls()))
      return signalPassFailure();
    SmallVector<FuncOp> kernels, helpers;
    for (auto func : getOperation().getOps<FuncOp>())
      (func.isPrivate() ? helpers : kernels).push_back(func);
    for (FuncOp func : kernels)
      if (failed(lower(func)))
        return signalPassFailure();
    for (FuncOp func : helpers)
      func.erase(); // inlined everywhere
  }

private:
  LogicalResult inlineCalls();
  LogicalResult lower(FuncOp func);

  Option<int64_t> threads{*this, "threads",
                          llvm::cl::desc("Threads of a block"),
                          llvm::cl::init(128)};
};
} // namespace

/// A block of values has no form in which a function could receive it, so calls
/// are inlined even where the author asked for a call.
LogicalResult LowerToThreadsPass::inlineCalls() {
  bool hasCalls = false;
  getOperation().walk([&](CallOp) { hasCalls = true; });
  if (!hasCalls)
    return success();
  for (auto func : getOperation().getOps<FuncOp>())
    func->setAttr("noinline", BoolAttr::get(&getContext(), false));
  OpPassManager manager(ModuleOp::getOperationName());
  manager.addPass(createInlinerPass());
  return runPipeline(manager, getOperation());
}

LogicalResult LowerToThreadsPass::lower(FuncOp func) {
  if (!func.getBody().hasOneBlock())
    return func.emitError("thread lowering: control flow is not structured");
  if (func.getFunctionType().getNumResults())
    return func.emitError("thread lowering: a kernel returns nothing");
  SmallVector<Type> types;
  for (BlockArgument arg : func.getArguments()) {
    Type type = arg.getType();
    auto pointer = dyn_cast<triton::PointerType>(type);
    bool isBlock = pointer && isa<RankedTensorType>(pointer.getPointeeType());
    if (isBlock || (!pointer && !type.isIntOrFloat()))
      return func.emitError()
             << "thread lowering: argument " << arg.getArgNumber()
             << " has unsupported type " << type;
    types.push_back(Emitter::memoryType(type));
  }
  OpBuilder b(func);
  auto lowered = func::FuncOp::create(b, func.getLoc(), func.getSymName(),
                                      b.getFunctionType(types, {}));
  Emitter emitter(b, threads);
  if (failed(emitter.run(func, lowered.addEntryBlock())))
    return failure();
  func::ReturnOp::create(b, func.getLoc());
  lowered->setAttr(kSharedBytes, b.getI64IntegerAttr(emitter.sharedBytes()));
  func.erase();
  return success();
}

std::unique_ptr<Pass> mthreads::createLowerToThreadsPass(int64_t threads) {
  return std::make_unique<LowerToThreadsPass>(threads);
}

KernelInfo mthreads::kernelInfo(ModuleOp module) {
  KernelInfo info;
  module.walk([&](func::FuncOp func) {
    auto shared = func->getAttrOfType<IntegerAttr>(kSharedBytes);
    if (!shared)
      return;
    info.name = func.getSymName().str();
    info.shared = shared.getInt();
  });
  return info;
}

void mthreads::registerConversionPasses() {
  PassRegistration<LowerToThreadsPass>();
}
