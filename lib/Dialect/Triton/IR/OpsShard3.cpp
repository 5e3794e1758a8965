//===- OpsShard3.cpp - Generated operation classes, part 3 ----------------===//

#include "mlir/IR/Builders.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

#define GET_OP_DEFS_3
#include "triton/Dialect/Triton/IR/Ops.cpp.inc"
