//===- OpsShard2.cpp - Generated operation classes, part 2 ----------------===//

#include "triton/Dialect/Triton/IR/Dialect.h"
#include "mlir/IR/Builders.h"

#define GET_OP_DEFS_2
#include "triton/Dialect/Triton/IR/Ops.cpp.inc"
