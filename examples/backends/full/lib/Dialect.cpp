//===- Dialect.cpp - The dialect full -------------------------------------===//

#include "full/Dialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "full/Dialect.cpp.inc"

#define GET_OP_CLASSES
#include "full/Ops.cpp.inc"

void full::FullDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "full/Ops.cpp.inc"
      >();
}

llvm::LogicalResult full::SaturateOp::verify() {
  // Written so that it is false for NaN.
  if (getLow() <= getHigh())
    return llvm::success();
  return emitOpError() << "needs an interval whose low end is not above its "
                          "high end, got ["
                       << getLowAttr() << ", " << getHighAttr() << "]";
}
