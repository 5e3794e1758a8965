//===- OpsShard1.cpp - Generated operation classes, part 1 ----------------===//

#include "triton/Dialect/Triton/IR/Dialect.h"
#include "mlir/IR/Builders.h"

#define GET_OP_DEFS_1
#include "triton/Dialect/Triton/IR/Ops.cpp.inc"
