//===- DecomposeValues.h - Replace a value by several ---------------------===//
//
// Carries values that consist of scalars through functions, loops, branches
// and selections as these scalars.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_LIB_DIALECT_TRITON_TRANSFORMS_DECOMPOSEVALUES_H
#define TRITON_LIB_DIALECT_TRITON_TRANSFORMS_DECOMPOSEVALUES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::triton {

/// The types of the parts of a value of `type`; empty when such a value stays
/// as it is.
using PartTypes = std::function<SmallVector<Type>(Type type)>;

/// All converted operands behind one another.
SmallVector<Value> flattenOperands(ArrayRef<ValueRange> ranges);

/// Rewrites all operations of `module` on values that have parts. `populate`
/// adds the patterns for operations that make or use such values; functions,
/// calls, scf and arith.select are done here. Attributes of arguments that come
/// apart are dropped.
LogicalResult decomposeValues(
    ModuleOp module, const PartTypes &partTypes,
    function_ref<void(const TypeConverter &, RewritePatternSet &)> populate);

} // namespace mlir::triton

#endif // TRITON_LIB_DIALECT_TRITON_TRANSFORMS_DECOMPOSEVALUES_H
