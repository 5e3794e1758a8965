//===- OpsShard2.cpp - Generated operation classes, part 2 ----------------===//

#include "mlir/IR/Builders.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

#define GET_OP_DEFS_2
#include "triton/Dialect/Triton/IR/Ops.cpp.inc"
