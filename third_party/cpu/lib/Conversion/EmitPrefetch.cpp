//===- EmitPrefetch.cpp - software prefetching ------------------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// Long streams are fetched ahead, because hardware prefetchers stop at page
// boundaries and a long loop body leaves few loads in flight. A row that a
// program reads several times is in the cache the second time; that pass is
// the moment to fetch the row of the next program. (A third pass stores, and
// reading while it writes takes longer than one after the other.)
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

void Emitter::prefetch(Value address, bool forWrite, int64_t locality) {
  LLVM::Prefetch::create(b, loc, address, b.getI32IntegerAttr(forWrite),
                         b.getI32IntegerAttr(locality), b.getI32IntegerAttr(1));
}

/// Is the loop of the vector dimension the innermost, over so many bytes?
bool Emitter::isRun(Type type, const Point &p, int64_t bytes) const {
  int dim = p.vecDim();
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && dim >= 0 && p.dims[dim].level == depth() &&
         tensor.getDimSize(dim) * memBytes(tensor.getElementType()) >= bytes;
}

void Emitter::prefetchAhead(Value address, Type type, const Point &p,
                            bool forWrite) {
  if (!isRun(type, p, kMinimumRun))
    return;
  here();
  prefetch(offsetPtr(address, i64(kPrefetchDistance)), forWrite, 3);
}

/// `v` as the next program will compute it; null if that cannot be known.
Value Emitter::nextScalar(Value v) {
  if (auto it = nextScalars.find(v); it != nextScalars.end())
    return it->second;
  Operation *op = v.getDefiningOp();
  if (!op || op->hasTrait<OpTrait::ConstantLike>() || isa<GetNumProgramsOp>(op))
    return scalar(v);
  Value next;
  if (auto id = dyn_cast<GetProgramIdOp>(op)) {
    if (id.getAxis() != ProgramIDDim::X)
      return scalar(v);
    next = arith::AddIOp::create(at(0), loc, scalar(v),
                                 constant(b.getI32IntegerAttr(1)));
    return nextScalars[v] = next;
  }
  StringRef dialect = op->getName().getDialectNamespace();
  if (op->getNumResults() != 1 || !isVirtual(op) ||
      !(isa<AddPtrOp>(op) || dialect == "arith"))
    return {};
  SmallVector<Value> operands;
  bool changes = false;
  for (Value operand : op->getOperands()) {
    if (isa<RankedTensorType>(operand.getType()))
      return {};
    operands.push_back(nextScalar(operand));
    if (!operands.back())
      return {};
    changes |= operands.back() != scalar(operand);
  }
  if (!changes)
    return scalar(v);
  at(0);
  if (auto add = dyn_cast<AddPtrOp>(op)) {
    Type elem =
        cast<triton::PointerType>(add.getPtr().getType()).getPointeeType();
    Value offset = intCast(operands[1], b.getI64Type());
    next = offsetPtr(operands[0], b.createOrFold<arith::MulIOp>(
                                      loc, offset, i64(memBytes(elem))));
  } else {
    next = elementwise(op, operands, 1);
  }
  return nextScalars[v] = next;
}

void Emitter::prefetchNextProgram(LoadOp op, const Point &p) {
  // Only straight-line code of the program: there the pass is the second one.
  if (!isa<FuncOp>(op->getParentOp()))
    return;
  SmallVector<std::pair<Value, Value>> replaced;
  bool known = true, changes = false;
  walkTree(op.getPtr(), identityMap(p.dims.size()),
           [&](Value v, const DimMap &) {
             known &= !buffers.contains(v) && !v.getDefiningOp<LoadOp>();
             if (auto splat = v.getDefiningOp<SplatOp>(); splat && known) {
               Value src = splat.getSrc();
               Value next = nextScalar(src);
               known &= next != nullptr;
               if (known && next != scalar(src)) {
                 replaced.push_back({src, scalar(src)});
                 changes = true;
               }
             }
             return known;
           });
  if (!known || !changes || failed)
    return;
  // Evaluate the pointer once more with the next program's scalars.
  SmallVector<decltype(Scope::memo)> memos;
  for (auto &scope : scopes) {
    memos.push_back(std::move(scope->memo));
    scope->memo.clear();
  }
  for (auto &[src, current] : replaced)
    scalars[src] = nextScalars[src];
  Lanes ptr = eval(op.getPtr(), p);
  for (auto &[src, current] : replaced)
    scalars[src] = current;
  for (auto [scope, memo] : llvm::zip(scopes, memos))
    scope->memo = std::move(memo);
  if (failed || ptr.kind == Lanes::Vector)
    return;
  Value address = firstLane(ptr);
  here();
  prefetch(address, false, 2);
}

void Emitter::prefetchForLoad(LoadOp op, Value address, const Point &p) {
  SmallPtrSet<Operation *, 4> &roots = loadRoots[op];
  roots.insert(currentRoot);
  llvm::SetVector<Operation *> all;
  plan.collectRoots(op.getResult(), all);
  if (all.size() > 1) {
    if (roots.size() == 2)
      prefetchNextProgram(op, p);
    return;
  }
  prefetchAhead(address, op.getType(), p, false);
}
