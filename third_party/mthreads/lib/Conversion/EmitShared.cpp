//===- EmitShared.cpp - blocks in shared memory -----------------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// Shared memory holds blocks only while one operation works, so every operation
// starts at its beginning, behind a barrier that the previous one's reads are
// waited for with.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mthreads/Conversion/DeviceNames.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::mthreads;

/// The start of shared memory: the launch decides how much there is.
static LLVM::GlobalOp sharedMemory(OpBuilder &b, ModuleOp module) {
  if (auto found = module.lookupSymbol<LLVM::GlobalOp>(kShared))
    return found;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  return LLVM::GlobalOp::create(
      b, module.getLoc(), LLVM::LLVMArrayType::get(b.getI8Type(), 0),
      /*isConstant=*/false, LLVM::Linkage::External, kShared, Attribute(),
      /*alignment=*/16, kSharedSpace);
}

void Emitter::barrier() {
  callDevice(kBarrier, Type(), {}, false);
  pending.clear();
}

void Emitter::beginShared() {
  barrier();
  sharedTop = 0;
}

SharedBlock Emitter::allocateShared(Type elem, int64_t size) {
  SharedBlock block{sharedTop, elem, size};
  sharedTop += llvm::alignTo(size * memoryBytes(elem), 16);
  maxShared = std::max(maxShared, sharedTop);
  return block;
}

Value Emitter::sharedAddress(const SharedBlock &block, const Index &index) {
  auto module = entry->getParentOp()->getParentOfType<ModuleOp>();
  Value base = LLVM::AddressOfOp::create(b, loc, sharedMemory(b, module));
  Type type = base.getType();
  if (block.offset)
    base = LLVM::GEPOp::create(
        b, loc, type, b.getI8Type(), base,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(block.offset)});
  Type mem = memoryType(block.elem);
  if (index.dynamic)
    base = LLVM::GEPOp::create(b, loc, type, mem, base,
                               ArrayRef<LLVM::GEPArg>{index.dynamic});
  if (index.constant)
    base = LLVM::GEPOp::create(
        b, loc, type, mem, base,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index.constant)});
  return base;
}

Value Emitter::readShared(const SharedBlock &block, const Index &index) {
  Value v = LLVM::LoadOp::create(b, loc, memoryType(block.elem),
                                 sharedAddress(block, index),
                                 memoryBytes(block.elem));
  return fromMemory(v, block.elem);
}

void Emitter::writeShared(const SharedBlock &block, const Index &index,
                          Value v) {
  LLVM::StoreOp::create(b, loc, toMemory(v, block.elem),
                        sharedAddress(block, index), memoryBytes(block.elem));
}

void Emitter::stageInto(const SharedBlock &block, const Layout &layout,
                        ValueRange values) {
  predicated(isOwner(layout), [&] {
    for (auto [r, v] : llvm::enumerate(values))
      writeShared(block, elementIndex(layout, r), v);
  });
}

SharedBlock Emitter::stage(Value v) {
  auto type = cast<RankedTensorType>(v.getType());
  SharedBlock block =
      allocateShared(type.getElementType(), type.getNumElements());
  stageInto(block, layoutOf(type), registers(v));
  return block;
}

Registers Emitter::readAll(const SharedBlock &block, const Layout &layout) {
  Registers values;
  for (int64_t r = 0; r < layout.registers(); ++r)
    values.push_back(readShared(block, elementIndex(layout, r)));
  return values;
}
