// RUN: triton-opt %s -split-input-file -cpu-lower-blocks | FileCheck %s

// Neighbours in memory lie along the first dimension. So they do in the buffer
// of the sums, which the loop reads and writes a vector at a time, and results
// lie side by side in vectors.
// CHECK-LABEL: func.func @sums_of_columns(
// CHECK: scf.for
// CHECK-COUNT-2: llvm.load {{.*}} -> vector<16xf32>
// CHECK: llvm.store {{.*}} vector<16xf32>
// CHECK: arith.addf {{.*}} : vector<16xf32>
// CHECK-NOT: gather
// CHECK-NOT: scatter
// CHECK-NOT: vector.shuffle
// CHECK: return
tt.func public @sums_of_columns(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %none = arith.constant dense<0.0> : tensor<32x8xf32>
  %size = arith.constant dense<512> : tensor<1x8xi32>
  %i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %j = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %columns = tt.expand_dims %i {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %rows = tt.expand_dims %j {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %a = tt.broadcast %columns : tensor<32x1xi32> -> tensor<32x8xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<32x8x!tt.ptr<f32>>
  %sums = scf.for %r = %c0 to %n step %c8 iter_args(%sum = %none) -> (tensor<32x8xf32>) : i32 {
    %first = tt.splat %r : i32 -> tensor<1x8xi32>
    %row = arith.addi %first, %rows : tensor<1x8xi32>
    %start = arith.muli %row, %size : tensor<1x8xi32>
    %b = tt.broadcast %start : tensor<1x8xi32> -> tensor<32x8xi32>
    %o = arith.addi %a, %b : tensor<32x8xi32>
    %p = tt.addptr %xs, %o : tensor<32x8x!tt.ptr<f32>>, tensor<32x8xi32>
    %v = tt.load %p : tensor<32x8x!tt.ptr<f32>>
    %next = arith.addf %sum, %v : tensor<32x8xf32>
    scf.yield %next : tensor<32x8xf32>
  }
  %result = "tt.reduce"(%sums) <{axis = 1 : i32}> ({
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    tt.reduce.return %s : f32
  }) : (tensor<32x8xf32>) -> tensor<32xf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %op = tt.addptr %os, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  tt.store %op, %result : tensor<32x!tt.ptr<f32>>
  tt.return
}
