//===- OpsShard1.cpp - Generated operation classes, part 1 ----------------===//

#include "mlir/IR/Builders.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

#define GET_OP_DEFS_1
#include "triton/Dialect/Triton/IR/Ops.cpp.inc"
