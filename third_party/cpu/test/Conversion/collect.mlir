// RUN: triton-opt %s -split-input-file -cpu-lower-blocks="collect-adds=true" | FileCheck %s
// RUN: triton-opt %s -split-input-file -cpu-lower-blocks | FileCheck %s --check-prefix=PLAIN

// Nobody looks at the sums: they are collected, and added behind the programs.
// CHECK-LABEL: func.func @collected(
// CHECK: llvm.call @triton_cpu_add_later
// CHECK: llvm.call @triton_cpu_add_now
// CHECK-NEXT: return
// PLAIN-LABEL: func.func @collected(
// PLAIN: llvm.atomicrmw add
tt.func public @collected(%x: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %v = tt.load %xp : tensor<64x!tt.ptr<i32>>
  %one = arith.constant dense<1> : tensor<64xi32>
  %true = arith.constant dense<true> : tensor<64xi1>
  %os = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %op = tt.addptr %os, %v : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %old = tt.atomic_rmw add, acq_rel, gpu, %op, %one, %true : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xi32>
  tt.return
}

// -----

// A later load of the same argument would miss what was collected.
// CHECK-LABEL: func.func @read_back(
// CHECK-NOT: triton_cpu_add_later
// CHECK: llvm.atomicrmw add
tt.func public @read_back(%out: !tt.ptr<i32>, %sink: !tt.ptr<i32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %one = arith.constant dense<1> : tensor<64xi32>
  %true = arith.constant dense<true> : tensor<64xi1>
  %os = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %op = tt.addptr %os, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %old = tt.atomic_rmw add, acq_rel, gpu, %op, %one, %true : (tensor<64x!tt.ptr<i32>>, tensor<64xi32>, tensor<64xi1>) -> tensor<64xi32>
  %v = tt.load %out : !tt.ptr<i32>
  tt.store %sink, %v : !tt.ptr<i32>
  tt.return
}

// -----

// An atomic operation whose result is used may wait for another program's.
// CHECK-LABEL: func.func @counted(
// CHECK-NOT: triton_cpu_add_later
// CHECK: llvm.atomicrmw fadd
// CHECK: llvm.atomicrmw add
tt.func public @counted(%out: !tt.ptr<f32>, %counter: !tt.ptr<i32>, %sink: !tt.ptr<i32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %true = arith.constant dense<true> : tensor<64xi1>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %op = tt.addptr %os, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %old = tt.atomic_rmw fadd, acq_rel, gpu, %op, %one, %true : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>, tensor<64xi1>) -> tensor<64xf32>
  %c1 = arith.constant 1 : i32
  %t = arith.constant true
  %n = tt.atomic_rmw add, acq_rel, gpu, %counter, %c1, %t : (!tt.ptr<i32>, i32, i1) -> i32
  tt.store %sink, %n : !tt.ptr<i32>
  tt.return
}
