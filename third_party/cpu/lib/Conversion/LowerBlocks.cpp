//===- LowerBlocks.cpp - kernels to functions of loops ----------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// void kernel(const uint64_t *args, const uint32_t *grid, int64_t lo,
//             int64_t hi, void *scratch)
// runs the programs lo <= p < hi of the linearised grid, x fastest.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "NarrowMoves.h"
#include "RuntimeCalls.h"
#include "cpu/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

namespace {
constexpr const char *kScratch = "tt.cpu.scratch";
constexpr const char *kBlocking = "tt.cpu.blocking";
constexpr const char *kDotBF16 = "tt.cpu.dot_bf16";

struct LowerBlocksPass
    : public PassWrapper<LowerBlocksPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerBlocksPass)

  LowerBlocksPass() = default;
  LowerBlocksPass(const LowerBlocksPass &other) : PassWrapper(other) {}
  explicit LowerBlocksPass(const LoweringOptions &options) {
    vectorBits = options.vectorBits;
    sanitize = options.sanitize;
    dotInt8 = options.dotInt8;
    dotBF16 = options.dotBF16;
    collectAdds = options.collectAdds;
    streamBytes = options.streamBytes;
  }

  StringRef getArgument() const override { return "cpu-lower-blocks"; }
  StringRef getDescription() const override {
    return "Lower TTIR kernels to loops over vectors";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, func::FuncDialect, LLVM::LLVMDialect,
                    math::MathDialect, scf::SCFDialect, ub::UBDialect,
                    vector::VectorDialect>();
  }

  void runOnOperation() override {
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

  Option<unsigned> vectorBits{*this, "vector-bits",
                              llvm::cl::desc("Width of a vector register"),
                              llvm::cl::init(512)};
  Option<bool> sanitize{*this, "sanitize",
                        llvm::cl::desc("Check every access to memory"),
                        llvm::cl::init(false)};
  Option<bool> dotInt8{*this, "dot-int8",
                       llvm::cl::desc("Use AVX512-VNNI for products of bytes"),
                       llvm::cl::init(false)};
  Option<bool> dotBF16{*this, "dot-bf16",
                       llvm::cl::desc("Use AVX512-BF16 for products of bf16"),
                       llvm::cl::init(false)};
  Option<bool> collectAdds{
      *this, "collect-adds",
      llvm::cl::desc("Let the runtime collect atomic additions"),
      llvm::cl::init(false)};
  Option<uint64_t> streamBytes{
      *this, "stream-bytes",
      llvm::cl::desc("Write results of so many bytes past the caches (x86)"),
      llvm::cl::init(0)};
};
} // namespace

/// A tensor has no form in which a function could receive it, so calls are
/// inlined even where the author asked for a call.
LogicalResult LowerBlocksPass::inlineCalls() {
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

/// Loads argument `index` of the kernel, in the low bytes of its slot.
static Value loadArgument(OpBuilder &b, Location loc, Value args,
                          unsigned index, Type type) {
  Value slot = args;
  if (index != 0)
    slot = LLVM::GEPOp::create(
        b, loc, args.getType(), b.getI64Type(), args,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
  if (isa<triton::PointerType>(type))
    return LLVM::LoadOp::create(b, loc, args.getType(), slot, 8);
  if (type.isInteger(1)) {
    Value byte = LLVM::LoadOp::create(b, loc, b.getI8Type(), slot, 8);
    return arith::TruncIOp::create(b, loc, type, byte);
  }
  return LLVM::LoadOp::create(b, loc, type, slot, 8);
}

/// Attributes of the LLVM function by which a file of LLVM IR says what its
/// kernel is: types of the arguments, bytes of scratch, whether it may wait.
static ArrayAttr describeKernel(OpBuilder &b, FuncOp func,
                                const Emitter &emitter) {
  std::string types;
  llvm::raw_string_ostream stream(types);
  llvm::interleave(func.getArgumentTypes(), stream, ", ");
  auto pair = [&](StringRef name, StringRef value) -> Attribute {
    return b.getStrArrayAttr({name, value});
  };
  return b.getArrayAttr(
      {pair("tt-cpu-arguments", types),
       pair("tt-cpu-blocking", emitter.isBlocking() ? "1" : "0"),
       pair("tt-cpu-scratch", std::to_string(emitter.scratchBytes()))});
}

/// The product of unsigned 32-bit numbers in 64 bits.
static Value product(OpBuilder &b, Location loc, ArrayRef<Value> factors) {
  Value result;
  for (Value factor : factors) {
    factor = arith::ExtUIOp::create(b, loc, b.getI64Type(), factor);
    result =
        result ? Value(arith::MulIOp::create(b, loc, result, factor)) : factor;
  }
  return result;
}

LogicalResult LowerBlocksPass::lower(FuncOp func) {
  if (!func.getBody().hasOneBlock())
    return func.emitError("CPU lowering: control flow is not structured");
  narrowMoves(func);
  OpBuilder b(func);
  Location loc = func.getLoc();
  Type ptr = LLVM::LLVMPointerType::get(&getContext());
  Type i64Type = b.getI64Type(), i32Type = b.getI32Type();
  auto lowered = func::FuncOp::create(
      b, loc, func.getSymName(),
      b.getFunctionType({ptr, ptr, i64Type, i64Type, ptr}, {}));
  Block *entry = lowered.addEntryBlock();
  Value args = entry->getArgument(0), grid = entry->getArgument(1);
  b.setInsertionPointToStart(entry);

  Emitter emitter(b, LoweringOptions{vectorBits, sanitize, dotInt8, dotBF16,
                                     collectAdds, streamBytes});
  for (BlockArgument arg : func.getArguments()) {
    Type type = arg.getType();
    if (!isa<triton::PointerType>(type) && !type.isIntOrFloat())
      return func.emitError() << "CPU lowering: argument " << arg.getArgNumber()
                              << " has unsupported type " << type;
    emitter.mapScalar(arg,
                      loadArgument(b, loc, args, arg.getArgNumber(), type));
  }
  Emitter::Kernel kernel;
  kernel.entry = entry;
  kernel.scratch = entry->getArgument(4);
  for (unsigned axis = 0; axis < 3; ++axis) {
    Value address = grid;
    if (axis)
      address = LLVM::GEPOp::create(
          b, loc, ptr, i32Type, grid,
          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(axis)});
    kernel.numPrograms[axis] =
        LLVM::LoadOp::create(b, loc, i32Type, address, 4);
  }
  if (streamBytes)
    kernel.allPrograms = product(b, loc, kernel.numPrograms);
  Value one = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(1));
  auto programs = scf::ForOp::create(b, loc, entry->getArgument(2),
                                     entry->getArgument(3), one);
  func::ReturnOp::create(b, loc);

  b.setInsertionPointToStart(programs.getBody());
  Value rest = programs.getInductionVar();
  for (unsigned axis = 0; axis < 3; ++axis) {
    Value id = rest;
    if (axis < 2) {
      Value extent =
          arith::ExtUIOp::create(b, loc, i64Type, kernel.numPrograms[axis]);
      id = arith::RemUIOp::create(b, loc, rest, extent);
      rest = arith::DivUIOp::create(b, loc, rest, extent);
    }
    kernel.programId[axis] = arith::TruncIOp::create(b, loc, i32Type, id);
  }
  func.walk([&](Operation *op) {
    if (auto id = dyn_cast<GetProgramIdOp>(op))
      emitter.mapScalar(id.getResult(),
                        kernel.programId[static_cast<int>(id.getAxis())]);
    else if (auto num = dyn_cast<GetNumProgramsOp>(op))
      emitter.mapScalar(num.getResult(),
                        kernel.numPrograms[static_cast<int>(num.getAxis())]);
  });
  if (failed(emitter.run(func, programs.getBody(), kernel)))
    return failure();
  if (emitter.streams()) {
    b.setInsertionPointAfter(programs);
    LLVM::CallIntrinsicOp::create(
        b, loc, b.getStringAttr("llvm.x86.sse.sfence"), ValueRange{});
  }
  if (emitter.collectsAdds()) {
    b.setInsertionPointAfter(programs);
    auto callee = runtimeFunction(b, getOperation(), "triton_cpu_add_now", {});
    LLVM::CallOp::create(b, loc, callee, ValueRange{});
  }
  lowered->setAttr(kScratch, b.getI64IntegerAttr(emitter.scratchBytes()));
  if (emitter.isBlocking())
    lowered->setAttr(kBlocking, b.getUnitAttr());
  if (emitter.usesDotBF16())
    lowered->setAttr(kDotBF16, b.getUnitAttr());
  lowered->setAttr("passthrough", describeKernel(b, func, emitter));
  func.erase();
  return success();
}

std::unique_ptr<Pass>
cpu::createLowerBlocksPass(const LoweringOptions &options) {
  return std::make_unique<LowerBlocksPass>(options);
}

KernelInfo cpu::kernelInfo(ModuleOp module) {
  KernelInfo info;
  module.walk([&](Operation *op) {
    auto scratch = op->getAttrOfType<IntegerAttr>(kScratch);
    if (!scratch)
      return;
    info.name = cast<SymbolOpInterface>(op).getName().str();
    info.scratch = scratch.getInt();
    info.blocking = op->hasAttr(kBlocking);
    info.dotBF16 = op->hasAttr(kDotBF16);
  });
  return info;
}

void cpu::registerConversionPasses() {
  PassRegistration<LowerBlocksPass>();
  registerPass([] { return createScalarizeCarriedPass(); });
}
