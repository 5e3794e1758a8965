// RUN: triton-opt %s -mthreads-lower-to-threads=threads=32 -canonicalize -cse -split-input-file | FileCheck %s

// Each thread reads and writes its own elements: no barrier.
// CHECK-LABEL: func.func @in_place(
// CHECK-NOT: @simt.barrier
// CHECK: return
tt.func public @in_place(%x: !tt.ptr<i32>) {
  %at = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %at : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %v = tt.load %xp : tensor<32x!tt.ptr<i32>>
  %sum = arith.addi %v, %at : tensor<32xi32>
  tt.store %xp, %sum : tensor<32x!tt.ptr<i32>>
  tt.return
}

// -----

// The threads that write may not be those that read.
// CHECK-LABEL: func.func @elsewhere(
// CHECK: llvm.load
// CHECK-NEXT: llvm.call @simt.barrier
// CHECK: llvm.store
// CHECK-NEXT: llvm.call @simt.barrier
// CHECK: llvm.load
// CHECK-NEXT: llvm.call @simt.barrier
// CHECK: llvm.atomicrmw add
// CHECK-NOT: @simt.barrier
// CHECK: llvm.atomicrmw add
tt.func public @elsewhere(%x: !tt.ptr<i32>) {
  %at = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %c31 = arith.constant dense<31> : tensor<32xi32>
  %back = arith.subi %c31, %at : tensor<32xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %at : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %bp = tt.addptr %xs, %back : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
  %v = tt.load %xp : tensor<32x!tt.ptr<i32>>
  tt.store %bp, %v : tensor<32x!tt.ptr<i32>>
  %w = tt.load %xp : tensor<32x!tt.ptr<i32>>
  %o = tt.atomic_rmw add, relaxed, gpu, %bp, %w : (tensor<32x!tt.ptr<i32>>, tensor<32xi32>) -> tensor<32xi32>
  %p = tt.atomic_rmw add, relaxed, gpu, %xp, %w : (tensor<32x!tt.ptr<i32>>, tensor<32xi32>) -> tensor<32xi32>
  tt.return
}

// -----

// What one iteration stores the next one may load. Within an iteration each
// thread stays with its element.
// CHECK-LABEL: func.func @loop(
// CHECK: scf.for
// CHECK: llvm.call @simt.barrier
// CHECK-NEXT: llvm.load
// CHECK-NEXT: llvm.store
tt.func public @loop(%x: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %at = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %is = tt.splat %i : i32 -> tensor<32xi32>
    %off = arith.addi %at, %is : tensor<32xi32>
    %xp = tt.addptr %xs, %off : tensor<32x!tt.ptr<i32>>, tensor<32xi32>
    %v = tt.load %xp : tensor<32x!tt.ptr<i32>>
    tt.store %xp, %v : tensor<32x!tt.ptr<i32>>
  }
  tt.return
}
