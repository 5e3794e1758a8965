//===- OpsShard3.cpp - Generated operation classes, part 3 ----------------===//

#include "triton/Dialect/Triton/IR/Dialect.h"
#include "mlir/IR/Builders.h"

#define GET_OP_DEFS_3
#include "triton/Dialect/Triton/IR/Ops.cpp.inc"
