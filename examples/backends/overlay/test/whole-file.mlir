// RUN: triton-opt %s -triton-loop-unroll | FileCheck %s --check-prefix=%which

// SPEC-LABEL: @eight
// SPEC: %[[STEP:.*]] = arith.constant 4 : i32
// SPEC: scf.for {{.*}} step %[[STEP]]
// TRUNK-LABEL: @eight
// TRUNK: %[[STEP:.*]] = arith.constant 8 : i32
// TRUNK: scf.for {{.*}} step %[[STEP]]
tt.func @eight(%x: f32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %0 = scf.for %i = %c0 to %c64 step %c1 iter_args(%acc = %x) -> f32 : i32 {
    %1 = arith.mulf %acc, %x : f32
    scf.yield %1 : f32
  } {tt.loop_unroll_factor = 8 : i32}
  tt.return %0 : f32
}
