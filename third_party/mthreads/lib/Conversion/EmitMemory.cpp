//===- EmitMemory.cpp - loads and stores ------------------------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::mthreads;

//===----------------------------------------------------------------------===//
// Branches around single elements
//===----------------------------------------------------------------------===//

void Emitter::predicated(Value condition, function_ref<void()> then) {
  if (!condition)
    return then();
  auto branch = scf::IfOp::create(b, loc, TypeRange(), condition,
                                  /*addThenBlock=*/true,
                                  /*addElseBlock=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  then();
  if (!branch.thenBlock()->mightHaveTerminator())
    scf::YieldOp::create(b, loc);
}

Registers Emitter::predicated(Value condition, ValueRange otherwise,
                              function_ref<Registers()> then) {
  if (!condition)
    return then();
  auto branch = scf::IfOp::create(b, loc, otherwise.getTypes(), condition,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, loc, then());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, loc, otherwise);
  return Registers(branch.getResults());
}

//===----------------------------------------------------------------------===//
// Accesses of neighbouring elements
//===----------------------------------------------------------------------===//

int64_t Emitter::accessWidth(Value ptr, Value mask, const Layout &layout) {
  Type elem = cast<triton::PointerType>(getElementTypeOrSelf(ptr.getType()))
                  .getPointeeType();
  int64_t width =
      std::min<int64_t>({layout.vec(), layout.shape().back(),
                         static_cast<int64_t>(axisInfo->getAlignment(ptr)),
                         kAccessBytes / memoryBytes(elem)});
  if (mask)
    width = std::min<int64_t>(width, axisInfo->getMaskAlignment(mask));
  return width;
}

Registers Emitter::loadGroup(Value ptr, Type elem, int64_t width,
                             bool isVolatile) {
  Type mem = memoryType(elem);
  int64_t align = memoryBytes(elem) * width;
  if (width == 1)
    return {fromMemory(
        LLVM::LoadOp::create(b, loc, mem, ptr, align, isVolatile), elem)};
  Value all = LLVM::LoadOp::create(b, loc, LLVM::getVectorType(mem, width), ptr,
                                   align, isVolatile);
  Registers values;
  for (int64_t i = 0; i < width; ++i)
    values.push_back(
        fromMemory(LLVM::ExtractElementOp::create(b, loc, all, i32(i)), elem));
  return values;
}

void Emitter::storeGroup(Value ptr, Type elem, ValueRange values) {
  int64_t width = values.size(), align = memoryBytes(elem) * width;
  Value all = toMemory(values.front(), elem);
  if (width > 1) {
    Type type = LLVM::getVectorType(memoryType(elem), width);
    all = LLVM::PoisonOp::create(b, loc, type);
    for (auto [i, v] : llvm::enumerate(values))
      all =
          LLVM::InsertElementOp::create(b, loc, all, toMemory(v, elem), i32(i));
  }
  LLVM::StoreOp::create(b, loc, all, ptr, align);
}

//===----------------------------------------------------------------------===//
// tt.load and tt.store
//===----------------------------------------------------------------------===//

static bool isBlockPointer(Type type) {
  auto ptr = dyn_cast<triton::PointerType>(type);
  return ptr && isa<RankedTensorType>(ptr.getPointeeType());
}

void Emitter::emitLoad(LoadOp op) {
  if (isBlockPointer(op.getPtr().getType()))
    return void(error(op, "block pointers must be rewritten before"));
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type)
    return emitScalarLoad(op);
  Layout layout = layoutOf(type);
  Type elem = type.getElementType();
  Value mask = op.getMask(), other = op.getOther();
  order(AccessKind::Read, op.getPtr(), isOwnMemory(op.getPtr(), layout));
  int64_t width = accessWidth(op.getPtr(), mask, layout);
  Registers values;
  for (int64_t first = 0; first < layout.registers(); first += width) {
    Registers otherwise;
    for (int64_t i = 0; i < width; ++i)
      otherwise.push_back(other ? element(other, first + i)
                                : zero(registerType(elem)));
    llvm::append_range(
        values,
        predicated(mask ? element(mask, first) : Value(), otherwise, [&] {
          return loadGroup(element(op.getPtr(), first), elem, width,
                           op.getIsVolatile());
        }));
  }
  set(op, values);
}

/// Every thread reads a scalar for itself. A volatile one, which another
/// program may change meanwhile, is read by one thread: all must go on with the
/// same value.
void Emitter::emitScalarLoad(LoadOp op) {
  Type elem = op.getType();
  Value otherwise =
      op.getOther() ? scalar(op.getOther()) : zero(registerType(elem));
  Value mask = op.getMask() ? scalar(op.getMask()) : Value();
  auto load = [&] {
    return loadGroup(scalar(op.getPtr()), elem, 1, op.getIsVolatile());
  };
  order(AccessKind::Read, op.getPtr(), /*isOwn=*/false);
  if (!op.getIsVolatile())
    return set(op, predicated(mask, otherwise, load));
  beginShared();
  SharedBlock block = allocateShared(elem, 1);
  Registers read = predicated(both(isFirstThread(), mask), otherwise, load);
  predicated(isFirstThread(), [&] { writeShared(block, {}, read.front()); });
  barrier();
  set(op, {readShared(block, {})});
}

void Emitter::emitStore(StoreOp op) {
  if (isBlockPointer(op.getPtr().getType()))
    return void(error(op, "block pointers must be rewritten before"));
  auto type = dyn_cast<RankedTensorType>(op.getValue().getType());
  Type elem = getElementTypeOrSelf(op.getValue().getType());
  Value mask = op.getMask();
  if (!type) {
    order(AccessKind::Write, op.getPtr(), /*isOwn=*/false);
    Value condition = both(isFirstThread(), mask ? scalar(mask) : Value());
    return predicated(condition, [&] {
      storeGroup(scalar(op.getPtr()), elem, scalar(op.getValue()));
    });
  }
  Layout layout = layoutOf(type);
  order(AccessKind::Write, op.getPtr(), isOwnMemory(op.getPtr(), layout));
  int64_t width = accessWidth(op.getPtr(), mask, layout);
  Value owner = isOwner(layout);
  for (int64_t first = 0; first < layout.registers(); first += width) {
    Registers values;
    for (int64_t i = 0; i < width; ++i)
      values.push_back(element(op.getValue(), first + i));
    Value condition = both(owner, mask ? element(mask, first) : Value());
    predicated(condition,
               [&] { storeGroup(element(op.getPtr(), first), elem, values); });
  }
}
