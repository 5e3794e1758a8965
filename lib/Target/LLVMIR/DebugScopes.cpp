//===- DebugScopes.cpp - places in the source, for debuggers --------------===//
//
// The place of an operation is a file, line and column, in call sites for what
// was inlined. `fused<loc("f"("file.py":3:0))>[place]` says that the place is
// in function `f`, which begins at line 3. Line tables need the function of
// every frame: that of the innermost is the LLVM function.
//
//===----------------------------------------------------------------------===//

#include "triton/Target/LLVMIR/DebugScopes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Path.h"

using namespace mlir;

/// The first file and line that `loc` names, or null.
static FileLineColLoc firstPlace(Location loc) {
  FileLineColLoc found;
  loc->walk([&](Location part) {
    found = dyn_cast<FileLineColLoc>(part);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

namespace {
/// One of the functions that were active at a place.
struct Frame {
  FileLineColLoc place;
  NameLoc function; ///< null if it is not known
};
} // namespace

/// Adds the frames of `loc`, the innermost first. The last is in `function`.
/// Inlining an operation that has no place leaves "unknown, called at ...".
static void collectFrames(Location loc, NameLoc function,
                          SmallVectorImpl<Frame> &frames) {
  if (auto place = dyn_cast<FileLineColLoc>(loc)) {
    frames.push_back({place, function});
  } else if (auto name = dyn_cast<NameLoc>(loc)) {
    collectFrames(name.getChildLoc(), function, frames);
  } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    collectFrames(call.getCallee(), NameLoc(), frames);
    collectFrames(call.getCaller(), function, frames);
  } else if (auto fused = dyn_cast<FusedLoc>(loc)) {
    if (auto named = dyn_cast_or_null<NameLoc>(fused.getMetadata()))
      function = named;
    if (!fused.getLocations().empty())
      collectFrames(fused.getLocations().front(), function, frames);
  }
}

namespace {
struct DebugScopes : PassWrapper<DebugScopes, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DebugScopes)
  StringRef getArgument() const override { return "triton-debug-scopes"; }
  StringRef getDescription() const override {
    return "Give every place the function that it is in";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect>();
  }

  void runOnOperation() override {
    unit = {};
    inlined.clear();
    for (auto func : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (!func.isExternal())
        addScopes(func);
  }

private:
  void addScopes(LLVM::LLVMFuncOp func) {
    FileLineColLoc begin = firstPlace(func.getLoc());
    if (!begin)
      return; // no source
    LLVM::DISubprogramAttr scope =
        makeFunction(func.getNameAttr(), func.getNameAttr(), begin);
    func->setLoc(FusedLoc::get(&getContext(), {begin}, scope));
    func.getBody().walk(
        [&](Operation *op) { op->setLoc(withScopes(op->getLoc(), scope)); });
  }

  /// `loc`, in the function `outer`, with a scope for every frame.
  Location withScopes(Location loc, LLVM::DISubprogramAttr outer) {
    SmallVector<Frame> frames;
    collectFrames(loc, NameLoc(), frames);
    if (frames.empty())
      return UnknownLoc::get(&getContext());
    FileLineColLoc last = frames.back().place;
    Location result =
        fileOf(last) == outer.getFile() ? Location(last) : inFile(last, outer);
    for (const Frame &frame : llvm::reverse(ArrayRef(frames).drop_back()))
      result = CallSiteLoc::get(inlinedFrame(frame, outer), result);
    return result;
  }

  Location inlinedFrame(const Frame &frame, LLVM::DISubprogramAttr outer) {
    FileLineColLoc begin =
        frame.function ? firstPlace(frame.function) : FileLineColLoc();
    if (!begin)
      return inFile(frame.place, outer);
    LLVM::DISubprogramAttr &scope = inlined[frame.function];
    if (!scope)
      scope = makeFunction(frame.function.getName(), StringAttr(), begin);
    return FusedLoc::get(&getContext(), {frame.place}, scope);
  }

  Location inFile(FileLineColLoc place, LLVM::DISubprogramAttr scope) {
    auto block = LLVM::DILexicalBlockFileAttr::get(
        &getContext(), scope, fileOf(place), /*discriminator=*/0);
    return FusedLoc::get(&getContext(), {place}, block);
  }

  LLVM::DIFileAttr fileOf(FileLineColLoc place) {
    StringRef path = place.getFilename();
    return LLVM::DIFileAttr::get(&getContext(), llvm::sys::path::filename(path),
                                 llvm::sys::path::parent_path(path));
  }

  LLVM::DISubprogramAttr makeFunction(StringAttr name, StringAttr linkageName,
                                      FileLineColLoc begin) {
    MLIRContext *context = &getContext();
    auto newId = [&] { return DistinctAttr::create(UnitAttr::get(context)); };
    LLVM::DIFileAttr file = fileOf(begin);
    if (!unit)
      unit = LLVM::DICompileUnitAttr::get(newId(), llvm::dwarf::DW_LANG_C, file,
                                          StringAttr::get(context, "triton"),
                                          /*isOptimized=*/true,
                                          LLVM::DIEmissionKind::LineTablesOnly);
    auto type = LLVM::DISubroutineTypeAttr::get(
        context, llvm::dwarf::DW_CC_normal, ArrayRef<LLVM::DITypeAttr>());
    return LLVM::DISubprogramAttr::get(
        context, newId(), unit, file, name, linkageName, file, begin.getLine(),
        begin.getLine(),
        LLVM::DISubprogramFlags::Definition |
            LLVM::DISubprogramFlags::Optimized,
        type, /*retainedNodes=*/{}, /*annotations=*/{});
  }

  LLVM::DICompileUnitAttr unit;
  llvm::DenseMap<NameLoc, LLVM::DISubprogramAttr> inlined;
};
} // namespace

void mlir::triton::addDebugScopes(OpPassManager &passes) {
  passes.addPass(std::make_unique<DebugScopes>());
}

void mlir::triton::registerDebugScopes() {
  registerPass([]() -> std::unique_ptr<Pass> {
    return std::make_unique<DebugScopes>();
  });
}
