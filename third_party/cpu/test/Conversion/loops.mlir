// RUN: triton-opt %s -split-input-file -cpu-lower-blocks | FileCheck %s

// The index after the last may not fit in 32 bits: the loop counts in 64.
// CHECK-LABEL: func.func @to_argument(
// CHECK: %[[END:.*]] = arith.extsi %{{.*}} : i32 to i64
// CHECK: scf.for %[[I:.*]] = %c0_i64 to %[[END]] step %c8_i64
// CHECK: arith.trunci %[[I]] overflow<nsw> : i64 to i32
tt.func public @to_argument(%x: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  scf.for %i = %c0 to %n step %c8 : i32 {
    tt.store %x, %i : !tt.ptr<i32>
  }
  tt.return
}

// -----

// CHECK-LABEL: func.func @unsigned(
// CHECK: arith.extui %{{.*}} : i32 to i64
// CHECK: arith.trunci %{{.*}} overflow<nuw> : i64 to i32
tt.func public @unsigned(%x: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  scf.for unsigned %i = %c0 to %n step %c8 : i32 {
    tt.store %x, %i : !tt.ptr<i32>
  }
  tt.return
}

// -----

// Steps of one end at the bound, and this bound is far from the largest number.
// CHECK-LABEL: func.func @fits(
// CHECK: scf.for %{{.*}} = %c0_i32 to %{{.*}} step %c1_i32 : i32
// CHECK: scf.for %{{.*}} = %c0_i32 to %c2147483640_i32 step %c8_i32 : i32
// CHECK: scf.for %{{.*}} = %c0_i64 to %c2147483641_i64 step %c8_i64
tt.func public @fits(%x: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %near = arith.constant 2147483640 : i32
  %nearer = arith.constant 2147483641 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    tt.store %x, %i : !tt.ptr<i32>
  }
  scf.for %i = %c0 to %near step %c8 : i32 {
    tt.store %x, %i : !tt.ptr<i32>
  }
  scf.for %i = %c0 to %nearer step %c8 : i32 {
    tt.store %x, %i : !tt.ptr<i32>
  }
  tt.return
}

// -----

// Nothing is wider than 64 bits: the iterations are counted. The step may be 0
// where the range is empty.
// CHECK-LABEL: func.func @wide(
// CHECK: %[[DIVISOR:.*]] = arith.maxui
// CHECK: %[[STEPS:.*]] = arith.divui %{{.*}}, %[[DIVISOR]] : i64
// CHECK: %[[COUNT:.*]] = arith.select
// CHECK: scf.for unsigned %{{.*}} = %{{.*}} to %[[COUNT]] step %{{.*}} : i64
tt.func public @wide(%x: !tt.ptr<i64>, %n: i64, %step: i64) {
  %c0 = arith.constant 0 : i64
  scf.for %i = %c0 to %n step %step : i64 {
    tt.store %x, %i : !tt.ptr<i64>
  }
  tt.return
}
