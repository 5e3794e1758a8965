// RUN: triton-opt %s -split-input-file -cpu-lower-blocks | FileCheck %s

// Neighbours lie along one dimension where they come from and along the other
// where they go to: 16 rows of 16 change places in registers.
// CHECK-LABEL: func.func @columns_to_rows(
// CHECK: scf.for
// CHECK-COUNT-16: llvm.load {{.*}} -> vector<16xf32>
// CHECK-COUNT-64: vector.shuffle
// CHECK-COUNT-16: llvm.store {{.*}} vector<16xf32>
// CHECK-NOT: gather
// CHECK-NOT: scatter
tt.func public @columns_to_rows(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %size = arith.constant dense<512> : tensor<32x1xi32>
  %across = arith.constant dense<512> : tensor<1x32xi32>
  %r = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %rows = tt.expand_dims %r {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %columns = tt.expand_dims %r {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %down = arith.muli %columns, %across : tensor<1x32xi32>
  %a = tt.broadcast %rows : tensor<32x1xi32> -> tensor<32x32xi32>
  %b = tt.broadcast %down : tensor<1x32xi32> -> tensor<32x32xi32>
  %from = arith.addi %a, %b : tensor<32x32xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %from : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %v = tt.load %xp : tensor<32x32x!tt.ptr<f32>>
  %start = arith.muli %rows, %size : tensor<32x1xi32>
  %c = tt.broadcast %start : tensor<32x1xi32> -> tensor<32x32xi32>
  %d = tt.broadcast %columns : tensor<1x32xi32> -> tensor<32x32xi32>
  %to = arith.addi %c, %d : tensor<32x32xi32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %op = tt.addptr %os, %to : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  tt.store %op, %v : tensor<32x32x!tt.ptr<f32>>
  tt.return
}
