//===- EmitControl.cpp - walks a kernel in program order --------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "LoopIndex.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

static RankedTensorType tensorType(Value v) {
  return dyn_cast<RankedTensorType>(v.getType());
}

void Emitter::emitOp(Operation *op) {
  if (failed)
    return;
  loc = op->getLoc();
  currentRoot = op;
  beginRoot();
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](scf::ForOp o) { emitFor(o); })
      .Case([&](scf::IfOp o) { emitIf(o); })
      .Case([&](scf::WhileOp o) { emitWhile(o); })
      .Case<GetProgramIdOp, GetNumProgramsOp>([](auto) {}) // mapped up front
      .Case([&](StoreOp o) {
        const StoreGroup *group = plan.groupOf(o);
        if (!group)
          emitStore(o);
        else if (o == group->stores.back())
          emitStoreGroup(*group);
      })
      .Case([&](AtomicRMWOp o) { emitAtomicRMW(o); })
      .Case([&](AtomicCASOp o) { emitAtomicCAS(o); })
      .Case([&](ReduceOp o) { emitReduce(o); })
      .Case([&](ScanOp o) { emitScan(o); })
      .Case([&](DotOp o) { emitDot(o); })
      .Case([&](CatOp o) { emitCat(o); })
      .Case([&](JoinOp o) { emitJoin(o); })
      .Case([&](HistogramOp o) { emitHistogram(o); })
      .Case([&](MapElementwiseOp o) { emitMap(o); })
      .Case([&](ElementwiseInlineAsmOp o) { emitInlineAsm(o); })
      .Case([&](PrintOp o) { emitPrint(o); })
      .Case([&](AssertOp o) { emitAssert(o); })
      .Default([&](Operation *) {
        StringRef name = op->getName().getStringRef();
        // Programs are single threads, hints only inform the compiler.
        if (name == "gpu.barrier" || name == "llvm.intr.assume")
          return;
        if (!isVirtual(op)) {
          error(op, "operation '" + name + "' is not supported");
          return;
        }
        if (!tensorType(op->getResult(0)))
          return emitScalarOp(op);
        for (Value v : op->getResults())
          if (plan.isStored(v))
            materialize(v);
      });
}

void Emitter::emitScalarOp(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>())
    return; // found when used
  SmallVector<Value> trees(op->operand_begin(), op->operand_end());
  if (llvm::any_of(trees, [](Value v) { return tensorType(v) != nullptr; }))
    prepare(trees, {}, /*mayCapture=*/false);
  Lanes lanes = evalOp(op, 0, Point());
  if (!failed)
    scalars[op->getResult(0)] = lanes.base;
}

/// Emits `block` at the end of `into`, without the terminator: the caller adds
/// it, at level 0.
void Emitter::emitBlock(Block &block, Block *into) {
  scopes.clear();
  pushScope(into,
            into->mightHaveTerminator() ? into->getTerminator() : nullptr);
  for (Operation &op : block.without_terminator())
    emitOp(&op);
  loc = block.getTerminator()->getLoc();
  beginRoot();
}

//===----------------------------------------------------------------------===//
// Values that control flow carries
//===----------------------------------------------------------------------===//

void Emitter::carryInto(Value value, const Buffer &target) {
  beginRoot();
  materialize(value, target);
}

/// Writes each value to its target although the values may be computed from
/// what the targets hold.
void Emitter::yieldTensors(ArrayRef<Value> values, ArrayRef<Buffer> targets) {
  unsigned n = values.size();
  auto reads = [&](unsigned i, unsigned target, bool identityOnly) {
    bool found = false;
    auto type = tensorType(values[i]);
    walkTree(values[i], identityMap(type.getRank()),
             [&](Value v, const DimMap &dims) {
               auto it = buffers.find(v);
               if (it == buffers.end())
                 return true;
               if (it->second.base == targets[target].base)
                 found |= !identityOnly ||
                          dims != identityMap(tensorType(v).getRank()) ||
                          tensorType(v).getShape() != type.getShape();
               return false;
             });
    return found;
  };
  SmallVector<unsigned> direct;
  SmallVector<std::pair<Buffer, unsigned>> copies;
  int64_t top = scratchTop;
  for (unsigned i = 0; i < n && !failed; ++i) {
    auto it = buffers.find(values[i]);
    if (it != buffers.end() && it->second.base == targets[i].base)
      continue;
    bool isOwn =
        it != buffers.end() && llvm::none_of(targets, [&](const Buffer &t) {
          return t.base == it->second.base;
        });
    if (isOwn) { // a buffer that no target overwrites
      copies.push_back({it->second, i});
      continue;
    }
    bool conflict = reads(i, i, /*identityOnly=*/true);
    for (unsigned j = 0; j < n; ++j)
      conflict |= j != i && (reads(j, i, false) || reads(i, j, false));
    if (!conflict) {
      direct.push_back(i);
      continue;
    }
    beginRoot();
    Buffer temporary = allocate(tensorType(values[i]));
    materialize(values[i], temporary);
    copies.push_back({temporary, i});
  }
  for (unsigned i : direct)
    carryInto(values[i], targets[i]);
  beginRoot();
  for (auto &[from, i] : copies)
    copyBuffer(from, targets[i]);
  scratchTop = top;
}

/// A dot whose accumulator is the loop's may update it in place if nothing else
/// looks at the old value.
static DotOp inPlaceDot(const Plan &plan, Value arg, Value yielded) {
  auto dot = yielded.getDefiningOp<DotOp>();
  if (!dot || !yielded.hasOneUse() || dot->getBlock() != arg.getParentBlock())
    return {};
  llvm::SetVector<Operation *> roots;
  plan.collectRoots(arg, roots);
  if (roots.size() != 1 || roots.front() != dot.getOperation())
    return {};
  bool safe = true;
  auto type = cast<RankedTensorType>(yielded.getType());
  for (Value tree : dot->getOperands())
    walkTree(
        tree, identityMap(type.getRank()), [&](Value v, const DimMap &dims) {
          if (v == arg)
            safe &= tree == dot.getC() && dims == identityMap(type.getRank());
          return true;
        });
  return safe ? dot : DotOp();
}

/// Do only nests look at `v`, point by point? They find elements in any order.
static bool isUsedByPoints(Value v) {
  SmallVector<Value> work{v};
  DenseSet<Value> seen;
  while (!work.empty()) {
    Value x = work.pop_back_val();
    if (!seen.insert(x).second)
      continue;
    for (Operation *user : x.getUsers()) {
      if (isa<ReduceOp, StoreOp, scf::YieldOp>(user))
        continue;
      auto reshape = dyn_cast<ReshapeOp>(user);
      if (!isVirtual(user) || isa<GatherOp, SplitOp>(user) ||
          (reshape && !isTrivialReshape(reshape)))
        return false;
      work.append(user->result_begin(), user->result_end());
    }
  }
  return true;
}

/// The dimension along which a tensor that `op` carries is best stored: that of
/// the loads it is made of. Negative: the last one.
int Emitter::carriedInner(scf::ForOp op, unsigned i) {
  BlockArgument arg = op.getRegionIterArg(i);
  Value next = cast<scf::YieldOp>(op.getBody()->getTerminator()).getOperand(i);
  auto type = tensorType(next);
  if (type.getRank() < 2 || !isVirtual(next.getDefiningOp()) ||
      !isUsedByPoints(arg) || !isUsedByPoints(op.getResult(i)) ||
      !isUsedByPoints(next))
    return -1;
  Nest nest = chooseNest(next, type.getShape());
  return nest.vecDim == type.getRank() - 1 ? -1 : nest.vecDim;
}

void Emitter::emitFor(scf::ForOp op) {
  Block *outerBlock = scopes[0]->block;
  Operation *outerBefore = scopes[0]->before;
  SmallVector<Value> inits;
  SmallVector<Buffer> targets;
  SmallVector<Value> carried; // yielded tensors
  auto yield = cast<scf::YieldOp>(op.getBody()->getTerminator());
  for (auto [i, init] : llvm::enumerate(op.getInitArgs())) {
    BlockArgument arg = op.getRegionIterArg(i);
    if (auto type = tensorType(init)) {
      Buffer target = allocate(type, carriedInner(op, i));
      carryInto(init, target);
      // One at a time: inserting may move what a chained assignment copies.
      buffers[op.getResult(i)] = target;
      buffers[arg] = target;
      Value next = yield.getOperand(i);
      if (inPlaceDot(plan, arg, next))
        preassigned[next] = target;
      targets.push_back(target);
      carried.push_back(next);
    } else {
      inits.push_back(scalar(init));
    }
  }
  if (failed)
    return;
  int64_t top = scratchTop;
  beginRoot();
  Value lb = scalar(op.getLowerBound()), ub = scalar(op.getUpperBound()),
        step = scalar(op.getStep());
  here();
  auto [loop, index] = createLoop(b, loc, op, lb, ub, step, inits);
  scalars[op.getInductionVar()] = index;
  unsigned next = 0;
  for (auto [i, init] : llvm::enumerate(op.getInitArgs()))
    if (!tensorType(init)) {
      scalars[op.getRegionIterArg(i)] = loop.getRegionIterArg(next);
      scalars[op.getResult(i)] = loop.getResult(next++);
    }
  emitBlock(*op.getBody(), loop.getBody());
  yieldTensors(carried, targets);
  if (!inits.empty() && !failed) {
    SmallVector<Value> results;
    for (Value v : yield.getOperands())
      if (!tensorType(v))
        results.push_back(scalar(v));
    here();
    scf::YieldOp::create(b, loc, results);
  }
  scratchTop = top;
  scopes.clear();
  pushScope(outerBlock, outerBefore);
}

void Emitter::emitIf(scf::IfOp op) {
  Block *outerBlock = scopes[0]->block;
  Operation *outerBefore = scopes[0]->before;
  SmallVector<Type> types;
  SmallVector<Buffer> targets;
  for (Value r : op.getResults()) {
    if (auto type = tensorType(r)) {
      targets.push_back(allocate(type));
      buffers[r] = targets.back();
    } else {
      types.push_back(scalarType(r.getType()));
    }
  }
  Value condition = scalar(op.getCondition());
  here();
  bool hasElse = !op.getElseRegion().empty();
  auto branch =
      scf::IfOp::create(b, loc, types, condition, /*addThenBlock=*/true,
                        /*addElseBlock=*/hasElse);
  unsigned next = 0;
  for (Value r : op.getResults())
    if (!tensorType(r))
      scalars[r] = branch.getResult(next++);
  int64_t top = scratchTop;
  for (bool isThen : {true, false}) {
    if (!isThen && !hasElse)
      break;
    Block &from = isThen ? *op.thenBlock() : *op.elseBlock();
    Block *into = isThen ? branch.thenBlock() : branch.elseBlock();
    emitBlock(from, into);
    unsigned target = 0;
    SmallVector<Value> results;
    for (Value v : from.getTerminator()->getOperands()) {
      if (tensorType(v))
        carryInto(v, targets[target++]);
      else
        results.push_back(scalar(v));
    }
    if (failed)
      return;
    beginRoot();
    here();
    if (!into->mightHaveTerminator())
      scf::YieldOp::create(b, loc, results);
    scratchTop = top;
  }
  scopes.clear();
  pushScope(outerBlock, outerBefore);
}

void Emitter::emitWhile(scf::WhileOp op) {
  Block *outerBlock = scopes[0]->block;
  Operation *outerBefore = scopes[0]->before;
  // The condition part reads the carried values, the body reads what the
  // condition passes on. Tensors of the two live in separate buffers.
  SmallVector<Value> inits;
  SmallVector<Type> initTypes, passedTypes;
  SmallVector<Buffer> carried, passed;
  Block &before = *op.getBeforeBody(), &after = *op.getAfterBody();
  for (auto [init, arg] : llvm::zip(op.getInits(), before.getArguments())) {
    if (auto type = tensorType(init)) {
      carried.push_back(allocate(type));
      carryInto(init, carried.back());
      buffers[arg] = carried.back();
    } else {
      inits.push_back(scalar(init));
      initTypes.push_back(inits.back().getType());
    }
  }
  for (auto [arg, r] : llvm::zip(after.getArguments(), op.getResults())) {
    if (auto type = tensorType(r)) {
      passed.push_back(allocate(type));
      buffers[r] = passed.back();
      buffers[arg] = passed.back();
    } else {
      passedTypes.push_back(scalarType(r.getType()));
    }
  }
  if (failed)
    return;
  beginRoot();
  here();
  auto loop =
      scf::WhileOp::create(b, loc, passedTypes, inits, nullptr, nullptr);
  int64_t top = scratchTop;

  auto fill = [&](Block &from, Block *into, ArrayRef<Buffer> targets,
                  ValueRange yielded, bool isCondition) {
    unsigned next = 0;
    for (BlockArgument arg : from.getArguments())
      if (!tensorType(arg))
        scalars[arg] = into->getArgument(next++);
    emitBlock(from, into);
    if (isCondition)
      pollStop();
    SmallVector<Value> tensors, results;
    for (Value v : yielded)
      if (tensorType(v))
        tensors.push_back(v);
    yieldTensors(tensors, targets);
    for (Value v : yielded)
      if (!tensorType(v))
        results.push_back(scalar(v));
    beginRoot();
    here();
    if (isCondition)
      scf::ConditionOp::create(
          b, loc, scalar(op.getConditionOp().getCondition()), results);
    else
      scf::YieldOp::create(b, loc, results);
    scratchTop = top;
  };
  // The builders leave empty blocks behind; fill them in place of theirs.
  fill(before, loop.getBeforeBody(), passed, op.getConditionOp().getArgs(),
       true);
  if (!failed)
    fill(after, loop.getAfterBody(), carried, op.getYieldOp().getOperands(),
         false);
  unsigned next = 0;
  for (Value r : op.getResults())
    if (!tensorType(r))
      scalars[r] = loop.getResult(next++);
  scopes.clear();
  pushScope(outerBlock, outerBefore);
}
