//===- EmitControl.cpp - walks a kernel in program order --------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mthreads/Conversion/DeviceNames.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::mthreads;

/// Operations that the code of a single element cannot contain.
static bool concernsTheBlock(Operation *op) {
  return isa<LoadOp, StoreOp, AtomicRMWOp, AtomicCASOp, ReduceOp, ScanOp, DotOp,
             HistogramOp, MapElementwiseOp, PrintOp, AssertOp>(op) ||
         op->getName().getStringRef() == "gpu.barrier";
}

static StringRef axisName(ProgramIDDim axis) {
  return axis == ProgramIDDim::X ? "x" : axis == ProgramIDDim::Y ? "y" : "z";
}

void Emitter::emitOp(Operation *op) {
  if (failed)
    return;
  loc = op->getLoc();
  StringRef name = op->getName().getStringRef();
  if (insideScalarRegion && concernsTheBlock(op))
    return void(error(op, "operation '" + name +
                              "' is not supported in code that runs for "
                              "single elements"));
  auto identifier = [&](const Twine &prefix, ProgramIDDim axis) {
    set(op->getResult(0), {callDevice(prefix + axisName(axis), b.getI32Type(),
                                      {}, /*readsNothing=*/true)});
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](scf::ForOp o) { emitFor(o); })
      .Case([&](scf::IfOp o) { emitIf(o); })
      .Case([&](scf::WhileOp o) { emitWhile(o); })
      .Case<arith::ConstantOp, ub::PoisonOp>([&](auto o) { emitConstant(o); })
      .Case([&](GetProgramIdOp o) { identifier(kBlockId, o.getAxis()); })
      .Case([&](GetNumProgramsOp o) { identifier(kNumBlocks, o.getAxis()); })
      .Case([&](LoadOp o) { emitLoad(o); })
      .Case([&](StoreOp o) { emitStore(o); })
      .Case([&](AtomicRMWOp o) { emitAtomicRMW(o); })
      .Case([&](AtomicCASOp o) { emitAtomicCAS(o); })
      .Case([&](MakeRangeOp o) { emitRange(o); })
      .Case([&](SplatOp o) {
        set(o,
            Registers(layoutOf(o.getType()).registers(), scalar(o.getSrc())));
      })
      .Case<UnsplatOp, ExpandDimsOp, ReshapeOp>(
          [&](Operation *o) { // the same registers
            Registers same = registers(o->getOperand(0));
            set(o->getResult(0), same);
          })
      .Case<BroadcastOp, TransOp>([&](auto o) { emitMoved(o); })
      .Case([&](CatOp o) { emitCat(o); })
      .Case([&](JoinOp o) { emitJoin(o); })
      .Case([&](SplitOp o) { emitSplit(o); })
      .Case([&](GatherOp o) { emitGather(o); })
      .Case([&](HistogramOp o) { emitHistogram(o); })
      .Case([&](ReduceOp o) { emitReduce(o); })
      .Case([&](ScanOp o) { emitScan(o); })
      .Case([&](DotOp o) { emitDot(o); })
      .Case([&](MapElementwiseOp o) { emitMap(o); })
      .Case([&](PrintOp o) { emitPrint(o); })
      .Case([&](AssertOp o) { emitAssert(o); })
      .Default([&](Operation *) {
        if (name == "llvm.intr.assume")
          return; // informs the compiler only
        if (name == "gpu.barrier")
          return barrier();
        emitElementwise(op);
      });
}

void Emitter::emitBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    emitOp(&op);
  loc = block.getTerminator()->getLoc();
}

//===----------------------------------------------------------------------===//
// Values that control flow carries
//===----------------------------------------------------------------------===//

Registers Emitter::flatten(ValueRange values) {
  Registers flat;
  for (Value v : values)
    llvm::append_range(flat, registers(v));
  return flat;
}

SmallVector<Type> Emitter::flatTypes(TypeRange types) {
  SmallVector<Type> flat;
  for (Type type : types) {
    size_t count = isa<RankedTensorType>(type) ? layoutOf(type).registers() : 1;
    flat.append(count, registerType(getElementTypeOrSelf(type)));
  }
  return flat;
}

void Emitter::mapFlattened(ValueRange values, ValueRange flat) {
  for (Value v : values) {
    size_t count = flatTypes(v.getType()).size();
    set(v, Registers(flat.take_front(count)));
    flat = flat.drop_front(count);
  }
}

void Emitter::emitFor(scf::ForOp op) {
  Registers inits = flatten(op.getInitArgs());
  auto loop = scf::ForOp::create(
      b, loc, scalar(op.getLowerBound()), scalar(op.getUpperBound()),
      scalar(op.getStep()), inits, nullptr, op.getUnsignedCmp());
  set(op.getInductionVar(), {loop.getInductionVar()});
  mapFlattened(op.getRegionIterArgs(), loop.getRegionIterArgs());
  mapFlattened(op.getResults(), loop.getResults());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  emitLoopBody(op, [&] { emitBlock(*op.getBody()); });
  if (!inits.empty())
    scf::YieldOp::create(b, loc,
                         flatten(op.getBody()->getTerminator()->getOperands()));
}

void Emitter::emitIf(scf::IfOp op) {
  bool hasElse = !op.getElseRegion().empty();
  SmallVector<Type> types = flatTypes(op.getResultTypes());
  auto branch =
      scf::IfOp::create(b, loc, types, scalar(op.getCondition()),
                        /*addThenBlock=*/true, /*addElseBlock=*/hasElse);
  mapFlattened(op.getResults(), branch.getResults());
  OpBuilder::InsertionGuard guard(b);
  auto fill = [&](Block &from, Block *into) {
    b.setInsertionPointToStart(into);
    emitBlock(from);
    if (!into->mightHaveTerminator())
      scf::YieldOp::create(b, loc,
                           flatten(from.getTerminator()->getOperands()));
  };
  PendingAccesses before = pending;
  fill(*op.thenBlock(), branch.thenBlock());
  std::swap(before, pending);
  if (hasElse)
    fill(*op.elseBlock(), branch.elseBlock());
  pending.merge(before);
}

void Emitter::emitWhile(scf::WhileOp op) {
  auto create = [&] {
    return scf::WhileOp::create(
        b, loc, flatTypes(op.getResultTypes()), flatten(op.getInits()),
        [&](OpBuilder &, Location, ValueRange arguments) {
          mapFlattened(op.getBeforeArguments(), arguments);
          emitBlock(*op.getBeforeBody());
          auto condition = op.getConditionOp();
          scf::ConditionOp::create(b, loc, scalar(condition.getCondition()),
                                   flatten(condition.getArgs()));
        },
        [&](OpBuilder &, Location, ValueRange arguments) {
          mapFlattened(op.getAfterArguments(), arguments);
          emitBlock(*op.getAfterBody());
          scf::YieldOp::create(b, loc, flatten(op.getYieldOp().getOperands()));
        });
  };
  scf::WhileOp loop;
  emitLoopBody(op, [&] { loop = create(); });
  mapFlattened(op.getResults(), loop.getResults());
}

//===----------------------------------------------------------------------===//
// Regions of scalar code
//===----------------------------------------------------------------------===//

Registers Emitter::inlineScalars(Region &region, ValueRange arguments) {
  if (!region.hasOneBlock()) {
    error(region.getParentOp(), "control flow is not structured");
    return Registers(region.front().getTerminator()->getNumOperands());
  }
  Block &block = region.front();
  for (auto [from, to] : llvm::zip(block.getArguments(), arguments))
    set(from, {to});
  Location outer = loc;
  bool wasInside = insideScalarRegion;
  insideScalarRegion = true;
  emitBlock(block);
  insideScalarRegion = wasInside;
  loc = outer;
  return flatten(block.getTerminator()->getOperands());
}

void Emitter::emitMap(MapElementwiseOp op) {
  int64_t pack = op.getPack();
  Layout layout = layoutOf(op.getSrcs().front().getType());
  if (pack > layout.size())
    return void(error(op, "packs more elements than there are"));
  SmallVector<Registers> results(op.getNumResults(),
                                 Registers(layout.registers()));
  for (int64_t first = 0; first < layout.registers() && !failed;
       first += pack) {
    Registers arguments;
    for (Value src : op.getSrcs())
      for (int64_t i = 0; i < pack; ++i)
        arguments.push_back(element(src, first + i));
    Registers yielded = inlineScalars(op.getScalarOp(), arguments);
    for (auto [n, result] : llvm::enumerate(results))
      for (int64_t i = 0; i < pack; ++i)
        result[first + i] = yielded[n * pack + i];
  }
  for (auto [v, result] : llvm::zip(op.getResults(), results))
    set(v, result);
}
