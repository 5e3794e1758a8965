//===- AxisInfo.cpp - The lattice and the walk over control flow ----------===//

#include "triton/Analysis/AxisInfo.h"
#include "AxisInfoRules.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/TypeUtilities.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::triton;

//===----------------------------------------------------------------------===//
// AxisInfo
//===----------------------------------------------------------------------===//

static SmallVector<int64_t, 4> shapeOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() == 0)
    return {1};
  return SmallVector<int64_t, 4>(tensor.getShape());
}

AxisInfo AxisInfo::unknown(Type type) {
  AxisInfo info;
  size_t rank = shapeOf(type).size();
  info.contiguity.assign(rank, 1);
  info.divisibility.assign(rank, 1);
  info.constancy.assign(rank, 1);
  if (isScalarPointer(getElementTypeOrSelf(type)))
    info.unit = getPointeeBitWidth(type) / 8;
  return info;
}

AxisInfo AxisInfo::uniform(Type type, int64_t value) {
  AxisInfo info = unknown(type);
  // Arithmetic on 64-bit numbers may have left the range of the type.
  if (auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
      integer && integer.getWidth() < 64)
    value = llvm::SignExtend64(value, integer.getWidth());
  info.constancy = shapeOf(type);
  info.divisibility.assign(info.getRank(), axis_info::powerOfTwoDivisor(value));
  info.constant = value;
  info.nonNegative = value >= 0;
  return info;
}

int64_t AxisInfo::getDivisibilityAt(int64_t dim, int64_t group) const {
  if (contiguity[dim] <= group)
    return divisibility[dim];
  return std::min(divisibility[dim], group * unit);
}

int64_t AxisInfo::getElementDivisibility() const {
  int64_t divisor = 1;
  for (int64_t dim = 0; dim < getRank(); ++dim)
    divisor = std::max(divisor, getDivisibilityAt(dim, 1));
  return divisor;
}

AxisInfo AxisInfo::join(const AxisInfo &a, const AxisInfo &b) {
  if (a.getRank() == 0)
    return b;
  if (b.getRank() == 0)
    return a;
  AxisInfo info = a;
  for (int64_t dim = 0; dim < info.getRank(); ++dim) {
    int64_t group = std::min(a.contiguity[dim], b.contiguity[dim]);
    info.contiguity[dim] = group;
    info.constancy[dim] = std::min(a.constancy[dim], b.constancy[dim]);
    info.divisibility[dim] = std::min(a.getDivisibilityAt(dim, group),
                                      b.getDivisibilityAt(dim, group));
  }
  if (a.constant != b.constant)
    info.constant.reset();
  info.nonNegative = a.nonNegative && b.nonNegative;
  return info;
}

bool AxisInfo::operator==(const AxisInfo &other) const {
  return contiguity == other.contiguity && divisibility == other.divisibility &&
         constancy == other.constancy && unit == other.unit &&
         constant == other.constant && nonNegative == other.nonNegative;
}

void AxisInfo::print(raw_ostream &os) const {
  auto list = [&](StringRef name, ArrayRef<int64_t> values) {
    os << name << " = [";
    llvm::interleaveComma(values, os);
    os << "]";
  };
  list("contiguity", contiguity);
  list(", divisibility", divisibility);
  list(", constancy", constancy);
  os << ", constant = ";
  if (constant)
    os << *constant;
  else
    os << "none";
  if (nonNegative)
    os << ", non-negative";
}

//===----------------------------------------------------------------------===//
// Hints
//===----------------------------------------------------------------------===//

/// The numbers of a hint: `16 : i32`, `array<i32: 16, 1>` or `dense<[16, 1]>`.
/// Empty when `attr` is nothing of these.
static SmallVector<int64_t> readHint(Attribute attr) {
  SmallVector<int64_t> values;
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attr))
    values.push_back(integer.getInt());
  else if (auto array = dyn_cast_or_null<DenseI32ArrayAttr>(attr))
    values.append(array.asArrayRef().begin(), array.asArrayRef().end());
  else if (auto dense = dyn_cast_or_null<DenseIntElementsAttr>(attr))
    for (const APInt &value : dense.getValues<APInt>())
      values.push_back(value.getSExtValue());
  return values;
}

/// Raises `dims` to what the hint promises. A hint that does not fit the rank
/// says nothing.
static void applyHint(Attribute attr, AxisInfo::Dims &dims,
                      ArrayRef<int64_t> limits) {
  SmallVector<int64_t> values = readHint(attr);
  if (values.size() != dims.size())
    return;
  for (auto [dim, value] : llvm::enumerate(values))
    if (value > 0)
      dims[dim] =
          std::max(dims[dim],
                   std::min(axis_info::powerOfTwoDivisor(value), limits[dim]));
}

static void applyHints(function_ref<Attribute(StringRef)> hint, Type type,
                       AxisInfo &info) {
  SmallVector<int64_t, 4> shape = shapeOf(type);
  SmallVector<int64_t, 4> unlimited(shape.size(), AxisInfo::kMaxDivisor);
  applyHint(hint("tt.contiguity"), info.contiguity, shape);
  applyHint(hint("tt.divisibility"), info.divisibility, unlimited);
  applyHint(hint("tt.constancy"), info.constancy, shape);
}

//===----------------------------------------------------------------------===//
// ModuleAxisInfoAnalysis
//===----------------------------------------------------------------------===//

ModuleAxisInfoAnalysis::ModuleAxisInfoAnalysis(Operation *root) {
  for (Region &region : root->getRegions())
    visitRegion(region);
}

const AxisInfo *ModuleAxisInfoAnalysis::getAxisInfo(Value value) const {
  auto it = infos.find(value);
  if (it != infos.end())
    return &it->second;
  std::unique_ptr<AxisInfo> &unknown = unknowns[value.getType()];
  if (!unknown)
    unknown = std::make_unique<AxisInfo>(AxisInfo::unknown(value.getType()));
  return unknown.get();
}

unsigned ModuleAxisInfoAnalysis::getContiguity(Value ptr) const {
  return getAxisInfo(ptr)->contiguity.back();
}

unsigned ModuleAxisInfoAnalysis::getAlignment(Value ptr) const {
  const AxisInfo &info = *getAxisInfo(ptr);
  return std::max<int64_t>(1, std::min(info.contiguity.back(),
                                       info.divisibility.back() / info.unit));
}

unsigned ModuleAxisInfoAnalysis::getMaskAlignment(Value mask) const {
  return getAxisInfo(mask)->constancy.back();
}

void ModuleAxisInfoAnalysis::set(Value value, AxisInfo info) {
  infos[value] = std::move(info);
}

void ModuleAxisInfoAnalysis::visitRegion(Region &region) {
  if (auto function = dyn_cast_or_null<triton::FuncOp>(region.getParentOp()))
    for (BlockArgument arg : region.getArguments()) {
      AxisInfo info = AxisInfo::unknown(arg.getType());
      applyHints(
          [&](StringRef name) {
            return function.getArgAttr(arg.getArgNumber(), name);
          },
          arg.getType(), info);
      set(arg, std::move(info));
    }
  for (Block &block : region)
    visitBlock(block);
}

void ModuleAxisInfoAnalysis::visitBlock(Block &block) {
  for (Operation &op : block)
    visitOperation(&op);
}

void ModuleAxisInfoAnalysis::visitOperation(Operation *op) {
  if (isa<scf::ForOp>(op))
    return visitFor(op);
  if (isa<scf::IfOp>(op))
    return visitIf(op);
  if (isa<scf::WhileOp>(op))
    return visitWhile(op);
  for (Region &region : op->getRegions())
    visitRegion(region);
  for (OpResult result : op->getResults()) {
    auto get = [&](Value value) -> const AxisInfo & {
      return *getAxisInfo(value);
    };
    AxisInfo info = inferAxisInfo(op, result.getResultNumber(), get);
    if (op->getNumResults() == 1)
      applyHints([&](StringRef name) { return op->getDiscardableAttr(name); },
                 result.getType(), info);
    set(result, std::move(info));
  }
}

template <typename Body, typename CarriedBack>
void ModuleAxisInfoAnalysis::iterate(ValueRange carried, ValueRange initial,
                                     Body visitBody, CarriedBack carriedBack) {
  // Start from what enters the loop; each round can only lose information, so
  // this ends.
  for (auto [value, init] : llvm::zip(carried, initial))
    set(value, *getAxisInfo(init));
  bool changed = true;
  while (changed) {
    visitBody();
    changed = false;
    for (auto [value, back] : llvm::zip(carried, carriedBack())) {
      AxisInfo joined = AxisInfo::join(*getAxisInfo(value), *getAxisInfo(back));
      if (joined == *getAxisInfo(value))
        continue;
      set(value, std::move(joined));
      changed = true;
    }
  }
}

void ModuleAxisInfoAnalysis::visitFor(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  const AxisInfo &lower = *getAxisInfo(loop.getLowerBound()),
                 &step = *getAxisInfo(loop.getStep());
  AxisInfo index = AxisInfo::unknown(loop.getInductionVar().getType());
  index.divisibility[0] = std::min(lower.divisibility[0], step.divisibility[0]);
  index.nonNegative = lower.nonNegative;
  set(loop.getInductionVar(), std::move(index));

  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  iterate(
      loop.getRegionIterArgs(), loop.getInitArgs(),
      [&] { visitBlock(*loop.getBody()); },
      [&] { return yield.getOperands(); });
  // With no iteration the results are the initial values, which the arguments
  // include.
  for (auto [result, arg] :
       llvm::zip(loop.getResults(), loop.getRegionIterArgs()))
    set(result, AxisInfo(*getAxisInfo(arg)));
}

void ModuleAxisInfoAnalysis::visitIf(Operation *op) {
  auto branch = cast<scf::IfOp>(op);
  visitRegion(branch.getThenRegion());
  visitRegion(branch.getElseRegion());
  if (branch.getNumResults() == 0)
    return;
  for (auto [result, a, b] :
       llvm::zip(branch.getResults(), branch.thenYield().getOperands(),
                 branch.elseYield().getOperands()))
    set(result, AxisInfo::join(*getAxisInfo(a), *getAxisInfo(b)));
}

void ModuleAxisInfoAnalysis::visitWhile(Operation *op) {
  auto loop = cast<scf::WhileOp>(op);
  auto visitBody = [&] {
    visitBlock(*loop.getBeforeBody());
    for (auto [arg, value] :
         llvm::zip(loop.getAfterArguments(), loop.getConditionOp().getArgs()))
      set(arg, AxisInfo(*getAxisInfo(value)));
    visitBlock(*loop.getAfterBody());
  };
  iterate(loop.getBeforeArguments(), loop.getInits(), visitBody,
          [&] { return loop.getYieldOp().getOperands(); });
  for (auto [result, value] :
       llvm::zip(loop.getResults(), loop.getConditionOp().getArgs()))
    set(result, AxisInfo(*getAxisInfo(value)));
}
