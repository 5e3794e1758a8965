//===- CollectAdds.cpp - atomic additions nobody waits for ------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#include "CollectAdds.h"
#include "Provenance.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::triton;

/// Smaller blocks do not pay for the calls.
static constexpr int64_t kSmallestBlock = 16;

bool cpu::isCollectable(AtomicRMWOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getResult().getType());
  if (!type || !op.getResult().use_empty() ||
      type.getNumElements() < kSmallestBlock)
    return false;
  Type elem = type.getElementType();
  if (op.getAtomicRmwOp() == RMWOp::ADD)
    return elem.isInteger(32) || elem.isInteger(64);
  return op.getAtomicRmwOp() == RMWOp::FADD && (elem.isF32() || elem.isF64());
}

namespace {
/// What a kernel does to memory.
struct Effects {
  uint64_t added = 0;   ///< arguments that collectable additions go to
  uint64_t touched = 0; ///< arguments that anything else reads or writes
  bool unknown = false; ///< something that may notice anything

  void note(uint64_t &set, Value pointer) {
    uint64_t arguments = cpu::baseArguments(pointer);
    unknown |= arguments == 0;
    set |= arguments;
  }
};
} // namespace

bool cpu::mayCollectAdds(FuncOp func) {
  Effects effects;
  func.walk([&](Operation *op) {
    if (auto rmw = dyn_cast<AtomicRMWOp>(op)) {
      if (isCollectable(rmw))
        effects.note(effects.added, rmw.getPtr());
      else
        effects.unknown = true;
    } else if (auto load = dyn_cast<LoadOp>(op)) {
      effects.unknown |= load.getIsVolatile();
      effects.note(effects.touched, load.getPtr());
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      effects.note(effects.touched, store.getPtr());
    } else if (auto assembly = dyn_cast<ElementwiseInlineAsmOp>(op)) {
      effects.unknown |= !assembly.getPure();
    } else if (auto call = dyn_cast<ExternElementwiseOp>(op)) {
      effects.unknown |= !call.getPure();
    } else if (isa<AtomicCASOp, scf::WhileOp>(op)) {
      effects.unknown = true;
    }
  });
  return effects.added && !effects.unknown &&
         !(effects.added & effects.touched);
}
