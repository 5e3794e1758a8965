//===- Dialect.cpp - Registration, constants and inlining -----------------===//

#include "triton/Dialect/Triton/IR/Dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::triton;

#include "triton/Dialect/Triton/IR/Dialect.cpp.inc"
#include "triton/Dialect/Triton/IR/OpsEnums.cpp.inc"

namespace {

/// `loc` with the place of `callee` at the frame that `call` made.
Location inFunction(Location loc, Operation *call, Operation *callee) {
  auto site = dyn_cast<CallSiteLoc>(loc);
  if (!site)
    return loc;
  if (site.getCaller() != call->getLoc())
    return CallSiteLoc::get(site.getCallee(),
                            inFunction(site.getCaller(), call, callee));
  Location frame =
      FusedLoc::get(loc.getContext(), {site.getCallee()}, callee->getLoc());
  return CallSiteLoc::get(frame, site.getCaller());
}

/// Everything inlines, unless a function says `noinline = true` or takes part
/// in recursion.
struct TritonInlinerInterface : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *call, Operation *callable,
                       bool wouldBeCloned) const final {
    auto noinline = callable->getAttrOfType<BoolAttr>("noinline");
    return !noinline || !noinline.getValue();
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final {
    return true;
  }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }

  /// Line tables name the function of what was inlined: its frame in the place
  /// of each operation, `callsite(... frame at call)`, becomes
  /// `fused<place of the function>[frame]`.
  void processInlinedCallBlocks(
      Operation *call,
      iterator_range<Region::iterator> inlinedBlocks) const final {
    auto callable = dyn_cast<CallOpInterface>(call);
    Operation *callee = callable ? callable.resolveCallable() : nullptr;
    if (!callee || !isa<NameLoc>(callee->getLoc()))
      return;
    llvm::DenseMap<Location, Location> known;
    for (Block &block : inlinedBlocks)
      block.walk([&](Operation *op) {
        Location loc = op->getLoc();
        auto found = known.find(loc);
        if (found == known.end())
          found = known.try_emplace(loc, inFunction(loc, call, callee)).first;
        op->setLoc(found->second);
      });
  }

  /// A return in one of several blocks becomes a branch. The front end builds
  /// structured code, so that callees have one block; this case serves IR
  /// written by hand, which must have loaded `cf` itself.
  void handleTerminator(Operation *op, Block *newDest) const final {
    auto ret = dyn_cast<triton::ReturnOp>(op);
    if (!ret)
      return;
    OpBuilder builder(op);
    OperationState branch(op->getLoc(), "cf.br", ret.getOperands(), {}, {},
                          newDest);
    builder.create(branch);
    op->erase();
  }

  void handleTerminator(Operation *op, ValueRange valuesToReplace) const final {
    auto ret = cast<triton::ReturnOp>(op);
    for (auto [value, returned] :
         llvm::zip_equal(valuesToReplace, ret.getOperands()))
      value.replaceAllUsesWith(returned);
  }
};

} // namespace

void TritonDialect::initialize() {
  registerTypes();
  registerTritonDialectOperations(this);
  addInterfaces<TritonInlinerInterface>();
}

Operation *TritonDialect::materializeConstant(OpBuilder &builder,
                                              Attribute value, Type type,
                                              Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

LogicalResult triton::impl::verifyTensorSize(Operation *op) {
  auto check = [&](Type type, StringRef what, unsigned index) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape())
      return success();
    for (int64_t size : tensor.getShape())
      if (!llvm::isPowerOf2_64(size))
        return op->emitOpError()
               << what << " #" << index << " has type " << tensor
               << ", but dimension size " << size << " is not a power of two";
    if (tensor.getNumElements() > kMaxTensorNumElements)
      return op->emitOpError()
             << what << " #" << index << " has type " << tensor << " of "
             << tensor.getNumElements() << " elements, more than the limit of "
             << kMaxTensorNumElements;
    return success();
  };
  for (auto [i, type] : llvm::enumerate(op->getOperandTypes()))
    if (failed(check(type, "operand", i)))
      return failure();
  for (auto [i, type] : llvm::enumerate(op->getResultTypes()))
    if (failed(check(type, "result", i)))
      return failure();
  return success();
}
