// RUN: triton-opt %s -triton-loop-unroll -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: @constant_bounds
tt.func @constant_bounds(%x: f32) -> f32 {
  // CHECK: %[[STEP:.*]] = arith.constant 4 : i32
  // CHECK: scf.for {{.*}} step %[[STEP]]
  // CHECK-COUNT-4: arith.mulf
  // CHECK-NOT: tt.loop_unroll_factor
  // CHECK: tt.return
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %0 = scf.for %i = %c0 to %c16 step %c1 iter_args(%acc = %x) -> f32 : i32 {
    %1 = arith.mulf %acc, %x : f32
    scf.yield %1 : f32
  } {tt.loop_unroll_factor = 4 : i32}
  tt.return %0 : f32
}

// -----

// CHECK-LABEL: @rest
tt.func @rest(%x: f32, %n: i32) -> f32 {
  // Two copies, then a loop for what is left over, which is not pipelined.
  // CHECK: scf.for
  // CHECK-COUNT-2: arith.mulf
  // CHECK: scf.for
  // CHECK-COUNT-1: arith.mulf
  // CHECK: } {tt.num_stages = 1 : i32}
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> f32 : i32 {
    %1 = arith.mulf %acc, %x : f32
    scf.yield %1 : f32
  } {tt.loop_unroll_factor = 2 : i32}
  tt.return %0 : f32
}

// -----

// CHECK-LABEL: @untouched
tt.func @untouched(%x: f32, %n: i32) -> f32 {
  // CHECK-COUNT-1: arith.mulf
  // CHECK-NOT: arith.mulf
  // CHECK: tt.return
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> f32 : i32 {
    %1 = arith.mulf %acc, %x : f32
    scf.yield %1 : f32
  } {tt.loop_unroll_factor = 1 : i32}
  tt.return %0 : f32
}

// -----

tt.func @bad_factor(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @below {{tt.loop_unroll_factor must be an integer in 1..1024}}
  scf.for %i = %c0 to %n step %c1 : i32 {
  } {tt.loop_unroll_factor = 0 : i32}
  tt.return
}

// -----

tt.func @huge_factor(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @below {{tt.loop_unroll_factor must be an integer in 1..1024}}
  scf.for %i = %c0 to %n step %c1 : i32 {
  } {tt.loop_unroll_factor = 100000000 : i32}
  tt.return
}
