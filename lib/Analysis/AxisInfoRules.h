//===- AxisInfoRules.h - Transfer functions by subject --------------------===//

#ifndef TRITON_LIB_ANALYSIS_AXISINFORULES_H
#define TRITON_LIB_ANALYSIS_AXISINFORULES_H

#include "mlir/IR/Operation.h"
#include "triton/Analysis/AxisInfo.h"

namespace mlir::triton::axis_info {

using Get = function_ref<const AxisInfo &(Value)>;

/// Information of the one result of `op` when it creates or rearranges a block;
/// nothing for all other operations.
std::optional<AxisInfo> inferShapeOp(Operation *op, Get get);

/// The same for integer arithmetic and comparisons.
std::optional<AxisInfo> inferArithOp(Operation *op, Get get);

/// lhs + rhs * factor, or with a minus sign, for a result of `type`. `factor`
/// is the size of the pointee for tt.addptr, otherwise 1.
AxisInfo inferSum(Type type, const AxisInfo &lhs, const AxisInfo &rhs,
                  int64_t factor, bool subtract);

/// Largest power of two that divides `value`, at most AxisInfo::kMaxDivisor.
int64_t powerOfTwoDivisor(int64_t value);

/// Lowers the constancy of `info` to what is computed element by element from
/// `a` and `b`.
void meetConstancy(AxisInfo &info, const AxisInfo &a, const AxisInfo &b);

} // namespace mlir::triton::axis_info

#endif // TRITON_LIB_ANALYSIS_AXISINFORULES_H
