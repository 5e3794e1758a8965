//===- EmitCheck.cpp - checks of addresses ----------------------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// With the option `sanitize` every access of the kernel is preceded by a
// comparison with the memory of the argument that its pointer comes from. What
// does not fit, or cannot be decided here, goes to the runtime
// (cpu/Runtime/Sanitizer.h), which looks at every lane and does not return if
// one of them is out of range.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "Provenance.h"
#include "RuntimeCalls.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

/// Adds "file:line" for every place in `loc`, the innermost call first.
static void appendPlaces(Location loc, SmallVectorImpl<std::string> &places) {
  if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    appendPlaces(call.getCallee(), places);
    appendPlaces(call.getCaller(), places);
  } else if (auto file = dyn_cast<FileLineColLoc>(loc)) {
    places.push_back(
        (file.getFilename().getValue() + ":" + Twine(file.getLine())).str());
  } else if (auto name = dyn_cast<NameLoc>(loc)) {
    appendPlaces(name.getChildLoc(), places);
  } else if (auto fused = dyn_cast<FusedLoc>(loc)) {
    if (!fused.getLocations().empty())
      appendPlaces(fused.getLocations().front(), places);
  }
}

/// What the runtime tells about an access: kind, shape and places, by lines.
static std::string describe(Operation *op, StringRef kind, Type accessed) {
  std::string text = kind.str() + "\n";
  if (auto tensor = dyn_cast<RankedTensorType>(accessed))
    for (auto [i, extent] : llvm::enumerate(tensor.getShape()))
      text += (i ? "x" : "") + std::to_string(extent);
  SmallVector<std::string> places;
  appendPlaces(op->getLoc(), places);
  for (const std::string &place : places)
    text += "\n" + place;
  return text;
}

/// An address that the runtime gives per argument: the begin or the end of its
/// memory. Asked for once, before the first program.
Value Emitter::extentOf(unsigned argument, bool end) {
  Value &slot = extents[end][argument];
  if (!slot) {
    OpBuilder::InsertionGuard guard(b);
    Type i32 = b.getI32Type();
    auto callee = runtimeFunction(b, moduleOf(kernel.entry),
                                  end ? "triton_cpu_extent_end"
                                      : "triton_cpu_extent_begin",
                                  {i32}, b.getI64Type());
    Value index = constant(b.getI32IntegerAttr(argument));
    b.setInsertionPointAfterValue(index);
    slot = LLVM::CallOp::create(b, loc, callee, index).getResult();
  }
  return slot;
}

/// One bit per lane. Null stands for all lanes.
Value Emitter::maskBits(Value mask, int64_t width) {
  if (!mask)
    return i64(-1);
  Type i64Type = b.getI64Type();
  if (!isa<VectorType>(mask.getType()))
    return arith::ExtSIOp::create(b, loc, i64Type, mask);
  Value bits = LLVM::BitcastOp::create(b, loc, b.getIntegerType(width), mask);
  return width == 64 ? bits : intCast(bits, i64Type, /*isSigned=*/false);
}

/// The row-major index of the first lane within `shape`, as far as it is known
/// at `level`, and how it grows from lane to lane.
static int64_t rowMajorStride(ArrayRef<int64_t> shape, unsigned dim) {
  int64_t stride = 1;
  for (int64_t extent : shape.drop_front(dim + 1))
    stride *= extent;
  return stride;
}

Value Emitter::elementIndex(Type accessed, const Point &p, unsigned level,
                            int64_t &laneStride) {
  laneStride = 0;
  Value linear = i64(0);
  auto tensor = dyn_cast<RankedTensorType>(accessed);
  if (!tensor || p.dims.size() != size_t(tensor.getRank()))
    return linear;
  for (auto [i, index] : llvm::enumerate(p.dims)) {
    int64_t stride = rowMajorStride(tensor.getShape(), i);
    if (index.vec)
      laneStride = stride;
    if (index.level > level)
      continue;
    Value term = b.createOrFold<arith::MulIOp>(loc, index.base, i64(stride));
    linear = b.createOrFold<arith::AddIOp>(loc, linear, term);
  }
  return linear;
}

/// Do all lanes, masked off or not, lie within argument `argument`? As i1 at
/// `level`.
Value Emitter::fitsInto(unsigned argument, const Lanes &ptr, int64_t bytes,
                        int64_t width, unsigned level) {
  Type i64Type = b.getI64Type();
  auto compare = [&](arith::CmpIPredicate predicate, Value x, Value y) {
    return Value(arith::CmpIOp::create(b, loc, predicate, x, y));
  };
  Value begin = extentOf(argument, false), end = extentOf(argument, true);
  if (ptr.kind == Lanes::Vector || ptr.dynStride) {
    Value addresses = lanePointers(ptr, width);
    at(level);
    auto type = VectorType::get({width}, i64Type);
    auto splat = [&](Value v) {
      return Value(vector::BroadcastOp::create(b, loc, type, v));
    };
    Value last = arith::SubIOp::create(b, loc, end, i64(bytes));
    Value low = compare(arith::CmpIPredicate::uge, addresses, splat(begin));
    Value high = compare(arith::CmpIPredicate::ule, addresses, splat(last));
    Value both = arith::AndIOp::create(b, loc, low, high);
    return vector::ReductionOp::create(b, loc, vector::CombiningKind::AND,
                                       both);
  }
  Value first = firstLane(ptr);
  at(level);
  first = LLVM::PtrToIntOp::create(b, loc, i64Type, first);
  int64_t span = ptr.isAffine() ? ptr.stride * (width - 1) : 0;
  Value low =
      arith::AddIOp::create(b, loc, first, i64(std::min<int64_t>(span, 0)));
  Value high = arith::AddIOp::create(b, loc, first,
                                     i64(std::max<int64_t>(span, 0) + bytes));
  Value order = compare(arith::CmpIPredicate::ult, low, high); // no wrap
  Value above = compare(arith::CmpIPredicate::uge, low, begin);
  Value below = compare(arith::CmpIPredicate::ule, high, end);
  return arith::AndIOp::create(b, loc, order,
                               arith::AndIOp::create(b, loc, above, below));
}

void Emitter::checkAccess(const Access &access, const Point &p,
                          unsigned level) {
  if (!sanitize || failed)
    return;
  const Lanes &ptr = *access.ptr;
  const Lanes *mask = access.mask;
  bool oneLane = ptr.isUniform() && (!mask || mask->isUniform());
  int64_t width = oneLane ? 1 : p.width;
  int64_t bytes = memBytes(access.elem);
  Type i32 = b.getI32Type(), i64Type = b.getI64Type();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());

  // Everything is computed before the branch: `at` places code ahead of it.
  Value maskV = !mask        ? Value()
                : width == 1 ? mask->base
                             : asVector(*mask, b.getI1Type(), width);
  bool listed = ptr.kind == Lanes::Vector || ptr.dynStride;
  Value addresses = listed ? lanePointers(ptr, width) : Value();
  Value first = listed ? Value() : firstLane(ptr);
  uint64_t arguments = baseArguments(access.pointer);
  Value needed;
  if (llvm::has_single_bit(arguments) && !access.mayWait) {
    Value fits =
        fitsInto(llvm::countr_zero(arguments), ptr, bytes, width, level);
    at(level);
    needed = arith::XOrIOp::create(b, loc, fits, constant(b.getBoolAttr(true)));
  }
  at(level);
  int64_t laneStride;
  Value linear = elementIndex(access.accessed, p, level, laneStride);
  if (needed) {
    auto branch = scf::IfOp::create(b, loc, needed, false);
    b.setInsertionPoint(branch.thenBlock()->getTerminator());
  }
  ModuleOp module = moduleOf(kernel.entry);
  auto callee = runtimeFunction(b, module, "triton_cpu_check",
                                {pointer, i64Type, i32, i32, pointer, i64Type,
                                 i64Type, i64Type, i64Type, i64Type});
  Value list;
  if (listed) {
    list = stackArray(addressArrays, width);
    LLVM::StoreOp::create(b, loc, addresses, list, 64);
    first = i64(0);
  } else {
    list = LLVM::ZeroOp::create(b, loc, pointer);
    first = LLVM::PtrToIntOp::create(b, loc, i64Type, first);
  }
  int64_t stride = ptr.isAffine() ? ptr.stride : 0;
  LLVM::CallOp::create(
      b, loc, callee,
      ValueRange{
          globalString(b, module,
                       describe(access.op, access.kind, access.accessed)),
          i64(static_cast<int64_t>(arguments)),
          constant(b.getI32IntegerAttr(bytes)),
          constant(b.getI32IntegerAttr(width)), list, first, i64(stride),
          maskBits(maskV, width), linear, i64(laneStride)});
}

/// Lets the runtime end a program that may wait for one that was ended.
void Emitter::pollStop() {
  if (!sanitize)
    return;
  here();
  auto callee =
      runtimeFunction(b, moduleOf(kernel.entry), "triton_cpu_poll", {});
  LLVM::CallOp::create(b, loc, callee, ValueRange{});
}

/// An index along an axis of `extent` places that a gather reads.
void Emitter::checkIndex(GatherOp op, Value indices, const Point &p,
                         unsigned level) {
  if (!sanitize || failed)
    return;
  at(level);
  Type i32 = b.getI32Type(), i64Type = b.getI64Type();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto vector = dyn_cast<VectorType>(indices.getType());
  int64_t width = vector ? vector.getDimSize(0) : 1;
  Value list = stackArray(addressArrays, width);
  LLVM::StoreOp::create(b, loc, indices, list, 8);
  int64_t laneStride;
  Value linear = elementIndex(op.getType(), p, level, laneStride);
  ModuleOp module = moduleOf(kernel.entry);
  auto callee =
      runtimeFunction(b, module, "triton_cpu_check_index",
                      {pointer, i32, pointer, i64Type, i64Type, i64Type});
  auto source = cast<RankedTensorType>(op.getSrc().getType());
  LLVM::CallOp::create(
      b, loc, callee,
      ValueRange{globalString(b, module, describe(op, "gather", op.getType())),
                 constant(b.getI32IntegerAttr(width)), list,
                 i64(source.getDimSize(op.getAxis())), linear,
                 i64(laneStride)});
}
