// RUN: triton-opt %s -split-input-file -cpu-lower-blocks="vector-bits=512" | FileCheck %s

// Along the vector dimension: four steps within the register, then what came
// before, which the last lane of the previous vector holds.
// CHECK-LABEL: func.func @rows(
// CHECK-COUNT-4: arith.select {{.*}} : vector<16xi1>, vector<16xf32>
// CHECK: scf.for %{{.*}} = %c16_i64 to %c64_i64 step %c16_i64 iter_args(%[[BEFORE:.*]] = %{{.*}}) -> (vector<16xf32>)
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]
// CHECK-COUNT-4: arith.select
// CHECK: %[[LAST:.*]] = vector.shuffle %[[BEFORE]], %[[BEFORE]] [15, 15, 15
// CHECK: arith.addf %[[LAST]], %{{.*}} : vector<16xf32>
tt.func public @rows(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %xp : tensor<64x!tt.ptr<f32>>
  %s = "tt.scan"(%v) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.scan.return %c : f32
  }) : (tensor<64xf32>) -> tensor<64xf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %op = tt.addptr %os, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %op, %s : tensor<64x!tt.ptr<f32>>
  tt.return
}
