//===- Emitter.cpp - values, constants and indices --------------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mthreads/Conversion/DeviceNames.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::mthreads;

namespace {
/// Neighbouring elements in one thread at most.
constexpr int64_t kMaxVec = 8;
/// Registers of a block per thread, beyond which code would take minutes to
/// compile and spill.
constexpr int64_t kMaxRegisters = 2048;
} // namespace

Value Emitter::error(Operation *op, const Twine &message) {
  if (!failed)
    op->emitError() << "thread lowering: " << message;
  failed = true;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Types and layouts
//===----------------------------------------------------------------------===//

Type Emitter::registerType(Type elem) {
  MLIRContext *context = elem.getContext();
  if (auto ptr = dyn_cast<triton::PointerType>(elem))
    return LLVM::LLVMPointerType::get(context, ptr.getAddressSpace());
  if (auto type = dyn_cast<FloatType>(elem))
    if (type.getWidth() == 8 || type.isBF16())
      return IntegerType::get(context, type.getWidth());
  return elem;
}

Type Emitter::memoryType(Type elem) {
  if (elem.isInteger(1))
    return IntegerType::get(elem.getContext(), 8);
  return registerType(elem);
}

int64_t Emitter::memoryBytes(Type elem) {
  if (isa<triton::PointerType>(elem))
    return 8;
  return llvm::divideCeil(elem.getIntOrFloatBitWidth(), 8);
}

Value Emitter::toMemory(Value v, Type elem) {
  return elem.isInteger(1) ? extend(v, b.getI8Type(), false) : v;
}

Value Emitter::fromMemory(Value v, Type elem) {
  if (!elem.isInteger(1))
    return v;
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, v,
                               integer(v.getType(), 0));
}

Layout Emitter::layoutOf(Type type) const {
  auto tensor = cast<RankedTensorType>(type);
  int64_t size = tensor.getNumElements();
  int64_t perThread = std::max<int64_t>(1, size / threads);
  int64_t vec = std::min(size, std::clamp(perThread, minVec, maxVec));
  return Layout(tensor.getShape(), threads, vec);
}

/// Groups are as wide as the widest access of the kernel, and as what
/// tt.map_elementwise packs.
void Emitter::chooseVectors(FuncOp kernel) {
  auto widen = [&](Value ptr, Value mask) {
    auto type = dyn_cast<RankedTensorType>(ptr.getType());
    if (!type)
      return;
    Type pointee =
        cast<triton::PointerType>(type.getElementType()).getPointeeType();
    int64_t width = std::min<int64_t>({axisInfo->getAlignment(ptr), kMaxVec,
                                       kAccessBytes / memoryBytes(pointee)});
    if (mask)
      width = std::min<int64_t>(width, axisInfo->getMaskAlignment(mask));
    maxVec = std::max(maxVec, width);
  };
  kernel.walk([&](Operation *op) {
    if (auto load = dyn_cast<LoadOp>(op))
      widen(load.getPtr(), load.getMask());
    else if (auto store = dyn_cast<StoreOp>(op))
      widen(store.getPtr(), store.getMask());
    else if (auto map = dyn_cast<MapElementwiseOp>(op))
      minVec = std::max<int64_t>(minVec, map.getPack());
  });
  maxVec = std::max(minVec, maxVec);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// Sizes that are no powers of two have no layout, and very large blocks no
/// usable code.
static LogicalResult checkTypes(FuncOp kernel, int64_t threads) {
  auto check = [&](Operation *op, Type type) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return success();
    for (int64_t extent : tensor.getShape())
      if (!llvm::isPowerOf2_64(extent))
        return op->emitError() << "thread lowering: " << tensor
                               << " has a size that is not a power of two";
    int64_t perThread = tensor.getNumElements() / threads;
    if (perThread <= kMaxRegisters)
      return success();
    return op->emitError() << "thread lowering: " << tensor << " puts "
                           << perThread << " elements into each of " << threads
                           << " threads, at most " << kMaxRegisters
                           << " are possible; use smaller blocks or more warps";
  };
  WalkResult result = kernel.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (mlir::failed(check(op, type)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult Emitter::run(FuncOp kernel, Block *body) {
  if (mlir::failed(checkTypes(kernel, threads)))
    return failure();
  axisInfo = std::make_unique<ModuleAxisInfoAnalysis>(kernel);
  chooseVectors(kernel);
  entry = body;
  b.setInsertionPointToEnd(body);
  loc = kernel.getLoc();
  threadId = callDevice(kThreadId, b.getI32Type(), {}, true);
  for (auto [from, to] : llvm::zip(kernel.getArguments(), body->getArguments()))
    set(from, {fromMemory(to, from.getType())});
  emitBlock(kernel.getBody().front());
  return failure(failed);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

const Registers &Emitter::registers(Value v) {
  auto found = values_.find(v);
  if (found != values_.end())
    return found->second;
  // Only after an error: keeps the walk going to its end.
  if (!failed)
    emitError(loc) << "thread lowering: an operand has no lowering";
  size_t count = 1;
  Type elem = getElementTypeOrSelf(v.getType());
  if (isa<RankedTensorType>(v.getType()))
    count = layoutOf(v.getType()).registers();
  Value none = LLVM::PoisonOp::create(b, loc, registerType(elem));
  failed = true;
  return values_[v] = Registers(count, none);
}

Value Emitter::element(Value v, int64_t r) {
  const Registers &all = registers(v);
  return isa<RankedTensorType>(v.getType()) ? all[r] : all.front();
}

void Emitter::emitConstant(Operation *op) {
  Value result = op->getResult(0);
  Type elem = getElementTypeOrSelf(result.getType());
  Value v;
  if (isa<ub::PoisonOp>(op)) {
    v = zero(registerType(elem));
  } else {
    Attribute attr = cast<arith::ConstantOp>(op).getValue();
    if (auto dense = dyn_cast<DenseElementsAttr>(attr)) {
      if (!dense.isSplat())
        return void(error(op, "a constant block must have the same element "
                              "everywhere"));
      attr = dense.getSplatValue<Attribute>();
    }
    v = constantOf(attr, elem);
  }
  size_t count = isa<RankedTensorType>(result.getType())
                     ? layoutOf(result.getType()).registers()
                     : 1;
  set(result, Registers(count, v));
}

Value Emitter::constantOf(Attribute attr, Type elem) {
  Type type = registerType(elem);
  TypedAttr typed = cast<TypedAttr>(attr);
  if (type != elem)
    typed = b.getIntegerAttr(type,
                             cast<FloatAttr>(attr).getValue().bitcastToAPInt());
  return arith::ConstantOp::create(b, loc, typed);
}

Value Emitter::integer(Type type, int64_t v) {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, v));
}
Value Emitter::i32(int64_t v) { return integer(b.getI32Type(), v); }
Value Emitter::i64(int64_t v) { return integer(b.getI64Type(), v); }

Value Emitter::real(Type type, double v) {
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, v));
}

Value Emitter::zero(Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::ZeroOp::create(b, loc, type);
  return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

Index Emitter::elementIndex(const Layout &layout, int64_t r) {
  BitRange bits = layout.threadBits();
  Index index;
  index.constant = layout.registerOffset(r);
  if (bits.width == 0)
    return index;
  Value thread = threadId;
  if (layout.isReplicated())
    thread =
        b.createOrFold<arith::AndIOp>(loc, thread, i32(layout.owners() - 1));
  index.dynamic = b.createOrFold<arith::ShLIOp>(loc, thread, i32(bits.low));
  index.dynamicBits = bits.mask();
  return index;
}

SmallVector<Index> Emitter::coordinates(const Layout &layout, int64_t r) {
  Index element = elementIndex(layout, r);
  SmallVector<Index> at;
  for (unsigned dim = 0; dim < layout.shape().size(); ++dim)
    at.push_back(extract(element, layout.dimBits(dim)));
  return at;
}

Index Emitter::extract(const Index &index, BitRange bits) {
  Index result;
  result.constant = bits.extract(index.constant);
  result.dynamicBits = bits.extract(index.dynamicBits);
  if (!result.dynamicBits)
    return result;
  Value v = index.dynamic;
  if (index.dynamicBits & ~bits.mask())
    v = b.createOrFold<arith::AndIOp>(loc, v, i32(bits.mask()));
  if (bits.low)
    v = b.createOrFold<arith::ShRUIOp>(loc, v, i32(bits.low));
  result.dynamic = v;
  return result;
}

Index Emitter::shiftLeft(const Index &index, unsigned amount) {
  Index result = index;
  result.constant <<= amount;
  result.dynamicBits <<= amount;
  if (result.dynamic && amount)
    result.dynamic =
        b.createOrFold<arith::ShLIOp>(loc, index.dynamic, i32(amount));
  return result;
}

Index Emitter::join(const Index &lhs, const Index &rhs) {
  Index result;
  result.constant = lhs.constant | rhs.constant;
  result.dynamicBits = lhs.dynamicBits | rhs.dynamicBits;
  if (!lhs.dynamic || !rhs.dynamic)
    result.dynamic = lhs.dynamic ? lhs.dynamic : rhs.dynamic;
  else
    result.dynamic =
        b.createOrFold<arith::OrIOp>(loc, lhs.dynamic, rhs.dynamic);
  return result;
}

Index Emitter::without(const Index &index, BitRange bits) {
  unsigned end = bits.low + bits.width;
  Index below = extract(index, {0, bits.low});
  return join(below, shiftLeft(extract(index, {end, 31 - end}), bits.low));
}

Index Emitter::linear(ArrayRef<Index> at, ArrayRef<int64_t> shape) {
  Layout layout(shape, 1, 1);
  Index result;
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    result = join(result, shiftLeft(at[dim], layout.dimBits(dim).low));
  return result;
}

Value Emitter::value(const Index &index) {
  if (!index.dynamic)
    return i32(index.constant);
  if (!index.constant)
    return index.dynamic;
  return arith::AddIOp::create(b, loc, index.dynamic, i32(index.constant));
}

Value Emitter::isOwner(const Layout &layout) {
  if (!layout.isReplicated())
    return nullptr;
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, threadId,
                               i32(layout.owners()));
}

Value Emitter::isFirstThread() {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, threadId,
                               i32(0));
}

Value Emitter::both(Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return arith::AndIOp::create(b, loc, lhs, rhs);
}
