// Places in the source become scopes of line tables.
// RUN: triton-opt %s -mlir-print-debuginfo -pass-pipeline="builtin.module(convert-arith-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts,triton-debug-scopes)" | FileCheck %s

func.func @kernel(%x: i32) -> i32 {
  // What is inlined from nowhere is where the call is.
  // CHECK: llvm.add {{.*}} loc(#[[CALL:.*]])
  %sum = arith.addi %x, %x : i32 loc(callsite(unknown at "kernel.py":3:4))
  // A function whose name is not known.
  // CHECK-NEXT: llvm.mul {{.*}} loc(#[[UNNAMED:.*]])
  %product = arith.muli %sum, %x : i32 loc(callsite("helper.py":7:8 at "kernel.py":3:4))
  // A function called by a function.
  // CHECK-NEXT: llvm.sub {{.*}} loc(#[[NESTED:.*]])
  %rest = arith.subi %product, %x : i32 loc(callsite(fused<loc("other"("other.py":20:0))>["v"("other.py":21:2)] at callsite(fused<loc("helper"("helper.py":6:0))>["helper.py":7:8] at "kernel.py":3:4)))
  // A variable of a function that holds what another returned.
  // CHECK-NEXT: llvm.or {{.*}} loc(#[[NESTED]])
  %either = arith.ori %rest, %x : i32 loc(callsite(fused<loc("helper"("helper.py":6:0))>["w"(callsite(fused<loc("other"("other.py":20:0))>["v"("other.py":21:2)] at "helper.py":7:8))] at "kernel.py":3:4))
  // Another file, but no call.
  // CHECK-NEXT: llvm.xor {{.*}} loc(#[[ELSEWHERE:.*]])
  %bits = arith.xori %either, %x : i32 loc("library.py":5:1)
  return %bits : i32 loc("kernel.py":5:1)
} loc("kernel.py":1:1)

// CHECK: #[[CALL]] = loc("kernel.py":3:4)
// CHECK: emissionKind = LineTablesOnly
// CHECK-DAG: #[[KERNEL:[a-z0-9_]+]] = #llvm.di_subprogram<{{.*}}name = "kernel", linkageName = "kernel", {{.*}}line = 1,
// CHECK-DAG: #[[OTHER:[a-z0-9_]+]] = #llvm.di_subprogram<{{.*}}name = "other", file = {{.*}}line = 20,
// CHECK-DAG: #[[HELPER:[a-z0-9_]+]] = #llvm.di_subprogram<{{.*}}name = "helper", file = {{.*}}line = 6,
// CHECK-DAG: #[[BLOCK:[a-z0-9_]+]] = #llvm.di_lexical_block_file<scope = #[[KERNEL]], file = #[[HELPER_FILE:[a-z0-9_]+]], {{.*}}>
// CHECK: #[[IN_KERNEL:loc[0-9]+]] = loc(fused<#[[KERNEL]]>[
// CHECK-DAG: #[[IN_OTHER:loc[0-9]+]] = loc(fused<#[[OTHER]]>[
// CHECK-DAG: #[[IN_HELPER:loc[0-9]+]] = loc(fused<#[[HELPER]]>[
// CHECK-DAG: #[[OUTER:loc[0-9]+]] = loc(callsite(#[[IN_HELPER]] at #[[CALL]]))
// CHECK-DAG: #[[ELSEWHERE]] = loc(fused<#di_lexical_block_file
// CHECK-DAG: #[[UNNAMED]] = loc(callsite(#{{.*}} at #[[CALL]]))
// CHECK-DAG: #[[NESTED]] = loc(callsite(#[[IN_OTHER]] at #[[OUTER]]))
