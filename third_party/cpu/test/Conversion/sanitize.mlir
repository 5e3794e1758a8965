// RUN: triton-opt %s -split-input-file -cpu-lower-blocks="sanitize=true" | FileCheck %s

// The memory of an argument is asked for once. Vectors within it pass; others
// are given to the runtime, which knows the place in the source and the mask.
// CHECK-DAG: llvm.mlir.global internal constant @tt.text.{{[0-9]+}}("load\0A64\0Akernel.py:3\00")
// CHECK-DAG: llvm.mlir.global internal constant @tt.text.{{[0-9]+}}("store\0A64\0Ahelper.py:7\0Akernel.py:4\00")
// CHECK-LABEL: func.func @copy(
// CHECK-DAG: llvm.call @triton_cpu_extent_begin(%c0_i32)
// CHECK-DAG: llvm.call @triton_cpu_extent_end(%c1_i32)
// CHECK: scf.for
// CHECK: scf.if
// CHECK: llvm.call @triton_cpu_check
// CHECK: llvm.load
// CHECK: scf.if
// CHECK: llvm.call @triton_cpu_check
// CHECK: llvm.store
tt.func public @copy(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %op = tt.addptr %os, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %xp : tensor<64x!tt.ptr<f32>> loc("kernel.py":3:8)
  tt.store %op, %v : tensor<64x!tt.ptr<f32>> loc(callsite("helper.py":7:4 at "kernel.py":4:4))
  tt.return
}

// -----

// A pointer that was loaded belongs to no argument: the runtime decides.
// CHECK-LABEL: func.func @indirect(
// CHECK: llvm.call @triton_cpu_check(%{{[^,]*}}, %c2_i64
// CHECK: %[[P:.*]] = llvm.inttoptr
// CHECK: llvm.call @triton_cpu_check(%{{[^,]*}}, %c0_i64
// CHECK: llvm.load
tt.func public @indirect(%n: i32, %table: !tt.ptr<i64>) {
  %a = tt.load %table {isVolatile = true} : !tt.ptr<i64>
  %p = tt.int_to_ptr %a : i64 -> !tt.ptr<f32>
  %v = tt.load %p {isVolatile = true} : !tt.ptr<f32>
  tt.return
}

// -----

// Waiting for another program ends when that one was stopped.
// CHECK-LABEL: func.func @wait(
// CHECK: scf.while
// CHECK: llvm.call @triton_cpu_check
// CHECK: llvm.cmpxchg
// CHECK: llvm.call @triton_cpu_poll
tt.func public @wait(%lock: !tt.ptr<i32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.while : () -> () {
    %old = tt.atomic_cas acq_rel, gpu, %lock, %zero, %one : (!tt.ptr<i32>, i32, i32) -> i32
    %again = arith.cmpi ne, %old, %zero : i32
    scf.condition(%again)
  } do {
    scf.yield
  }
  tt.return
}
