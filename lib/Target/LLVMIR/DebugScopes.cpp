//===- DebugScopes.cpp - places in the source, for debuggers --------------===//

#include "triton/Target/LLVMIR/DebugScopes.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

/// `loc` without places that are not known: inlining an operation that has none
/// leaves "unknown, called at ...", which MLIR's pass for scopes cannot take.
static Location knownPlace(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return isa<UnknownLoc>(knownPlace(name.getChildLoc()))
               ? UnknownLoc::get(loc.getContext())
               : loc;
  auto call = dyn_cast<CallSiteLoc>(loc);
  if (!call)
    return loc;
  Location callee = knownPlace(call.getCallee());
  Location caller = knownPlace(call.getCaller());
  if (isa<UnknownLoc>(callee))
    return caller;
  if (isa<UnknownLoc>(caller))
    return callee;
  return CallSiteLoc::get(callee, caller);
}

namespace {
struct KnownPlaces : PassWrapper<KnownPlaces, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KnownPlaces)
  StringRef getArgument() const override { return "triton-known-places"; }
  StringRef getDescription() const override {
    return "Drop the parts of locations that are not known";
  }
  void runOnOperation() override {
    getOperation().walk(
        [](Operation *op) { op->setLoc(knownPlace(op->getLoc())); });
  }
};
} // namespace

static std::unique_ptr<Pass> createLineTables() {
  LLVM::DIScopeForLLVMFuncOpPassOptions options;
  options.emissionKind = LLVM::DIEmissionKind::LineTablesOnly;
  return LLVM::createDIScopeForLLVMFuncOpPass(options);
}

void mlir::triton::addDebugScopes(OpPassManager &passes) {
  passes.addPass(std::make_unique<KnownPlaces>());
  passes.addPass(createLineTables());
}

void mlir::triton::registerDebugScopes() {
  registerPass([]() -> std::unique_ptr<Pass> {
    return std::make_unique<KnownPlaces>();
  });
  registerPass(createLineTables);
}
