// RUN: triton-opt %s -mlir-print-debuginfo -triton-known-places | FileCheck %s --check-prefix=PLACES
// RUN: triton-opt %s -mlir-print-debuginfo -pass-pipeline="builtin.module(convert-arith-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts,triton-known-places,ensure-debug-info-scope-on-llvm-func{emission-kind=LineTablesOnly})" | FileCheck %s

// What is inlined from nowhere is where the call is; of what is known, nothing
// is lost.
// PLACES: %[[SUM:.*]] = arith.addi %{{.*}} loc(#[[CALL:.*]])
// PLACES: arith.muli %[[SUM]], %{{.*}} loc(#[[BOTH:.*]])
// PLACES: #[[CALL]] = loc("kernel.py":3:4)
// PLACES: #[[BOTH]] = loc(callsite(#{{.*}} at #[[CALL]]))

// CHECK: llvm.func @kernel
// CHECK: emissionKind = LineTablesOnly
func.func @kernel(%x: i32) -> i32 {
  %sum = arith.addi %x, %x : i32 loc(callsite(unknown at "kernel.py":3:4))
  %product = arith.muli %sum, %x : i32 loc(callsite("helper.py":7:8 at "kernel.py":3:4))
  return %product : i32 loc("kernel.py":5:1)
} loc("kernel.py":1:1)
