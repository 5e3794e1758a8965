#ifndef TRITON_OPS
#define TRITON_OPS

// All operations of the dialect, by subject.

include "triton/Dialect/Triton/IR/TritonDescriptorOps.td"
include "triton/Dialect/Triton/IR/TritonFuncOps.td"
include "triton/Dialect/Triton/IR/TritonMathOps.td"
include "triton/Dialect/Triton/IR/TritonMemoryOps.td"
include "triton/Dialect/Triton/IR/TritonRegionOps.td"
include "triton/Dialect/Triton/IR/TritonShapeOps.td"

#endif // TRITON_OPS
