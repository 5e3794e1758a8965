//===- AxisInfoTransfer.cpp - AxisInfo of each operation's result ---------===//

#include "AxisInfoRules.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::triton;

namespace {

/// The same bits counted in another unit: only what does not depend on
/// neighbours' distance stays.
AxisInfo visitUnitChange(Type type, const AxisInfo &source) {
  AxisInfo info = AxisInfo::unknown(type);
  if (info.unit == source.unit)
    return source;
  for (int64_t d = 0; d < info.getRank(); ++d)
    info.divisibility[d] = source.getDivisibilityAt(d, 1);
  info.constancy = source.constancy;
  info.constant = source.constant;
  return info;
}

/// Equal pointers read equal values.
AxisInfo visitLoad(LoadOp op, axis_info::Get get) {
  AxisInfo info = AxisInfo::unknown(op.getType());
  if (op.getIsVolatile() || isTensorPointerType(op.getPtr().getType()))
    return info;
  info.constancy = get(op.getPtr()).constancy;
  for (Value operand : {op.getMask(), op.getOther()})
    if (operand)
      for (int64_t d = 0; d < info.getRank(); ++d)
        info.constancy[d] =
            std::min(info.constancy[d], get(operand).constancy[d]);
  return info;
}

/// Whatever is computed element by element without effects from equal values is
/// equal.
AxisInfo visitElementwise(Operation *op, unsigned index, axis_info::Get get) {
  AxisInfo info = AxisInfo::unknown(op->getResult(index).getType());
  if (!op->hasTrait<OpTrait::Elementwise>() || !isMemoryEffectFree(op) ||
      op->getNumOperands() == 0)
    return info;
  info.constancy = get(op->getOperand(0)).constancy;
  for (Value operand : op->getOperands()) {
    const AxisInfo &operandInfo = get(operand);
    if (operandInfo.getRank() != info.getRank())
      return AxisInfo::unknown(op->getResult(index).getType());
    axis_info::meetConstancy(info, info, operandInfo);
  }
  return info;
}

AxisInfo inferOther(Operation *op, unsigned index, axis_info::Get get) {
  Type type = op->getResult(index).getType();
  return TypeSwitch<Operation *, AxisInfo>(op)
      .Case<GetProgramIdOp, GetNumProgramsOp>([&](auto) {
        AxisInfo info = AxisInfo::unknown(type);
        info.nonNegative = true;
        return info;
      })
      .Case([&](AddPtrOp add) {
        return axis_info::inferSum(type, get(add.getPtr()),
                                   get(add.getOffset()),
                                   AxisInfo::unknown(type).unit,
                                   /*subtract=*/false);
      })
      .Case<BitcastOp, IntToPtrOp, PtrToIntOp>(
          [&](auto cast) { return visitUnitChange(type, get(cast.getSrc())); })
      .Case([&](LoadOp load) { return visitLoad(load, get); })
      .Default([&](Operation *) { return visitElementwise(op, index, get); });
}

} // namespace

AxisInfo
mlir::triton::inferAxisInfo(Operation *op, unsigned index,
                            function_ref<const AxisInfo &(Value)> get) {
  std::optional<AxisInfo> info = axis_info::inferShapeOp(op, get);
  if (!info)
    info = axis_info::inferArithOp(op, get);
  if (!info)
    info = inferOther(op, index, get);
  // Tensors of rank 0 count as one dimension, which their operations do not
  // expect.
  AxisInfo unknown = AxisInfo::unknown(op->getResult(index).getType());
  return info->getRank() == unknown.getRank() ? *info : unknown;
}
