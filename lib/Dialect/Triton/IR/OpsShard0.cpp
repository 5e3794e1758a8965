//===- OpsShard0.cpp - Generated operation classes, part 0 ----------------===//

#include "mlir/IR/Builders.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

#define GET_OP_DEFS_0
#include "triton/Dialect/Triton/IR/Ops.cpp.inc"
