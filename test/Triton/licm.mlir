// RUN: triton-opt %s -triton-licm | FileCheck %s

// CHECK-LABEL: @guarded(
// CHECK-SAME: %[[P:.*]]: tensor<8x!tt.ptr<f32>>, %[[M:.*]]: tensor<8xi1>, %[[V:.*]]: tensor<8xf32>, %[[N:.*]]: i32
tt.func @guarded(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>, %v: tensor<8xf32>, %n: i32) -> tensor<8xf32> {
  // The loop may not run, then nothing must be read.
  // CHECK: %[[RUNS:.*]] = arith.cmpi slt, %{{.*}}, %[[N]] : i32
  // CHECK: %[[RUNS8:.*]] = tt.splat %[[RUNS]] : i1 -> tensor<8xi1>
  // CHECK: %[[MASK:.*]] = arith.andi %[[M]], %[[RUNS8]] : tensor<8xi1>
  // CHECK: %[[X:.*]] = tt.load %[[P]], %[[MASK]], %[[V]] : tensor<8x!tt.ptr<f32>>
  // CHECK: %[[E:.*]] = math.exp %[[X]]
  // CHECK: scf.for
  // CHECK-NEXT: arith.addf %{{.*}}, %[[E]]
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %v) -> tensor<8xf32> : i32 {
    %x = tt.load %p, %m, %v : tensor<8x!tt.ptr<f32>>
    %e = math.exp %x : tensor<8xf32>
    %1 = arith.addf %acc, %e : tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  }
  tt.return %0 : tensor<8xf32>
}

// CHECK-LABEL: @certain(
// CHECK-SAME: %[[P:.*]]: !tt.ptr<f32>
tt.func @certain(%p: !tt.ptr<f32>, %v: f32) -> f32 {
  // CHECK: %[[X:.*]] = tt.load %[[P]] : !tt.ptr<f32>
  // CHECK: scf.for
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: arith.addf %{{.*}}, %[[X]]
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %0 = scf.for %i = %c0 to %c8 step %c1 iter_args(%outer = %v) -> f32 : i32 {
    %1 = scf.for %j = %c0 to %c8 step %c1 iter_args(%acc = %outer) -> f32 : i32 {
      %x = tt.load %p : !tt.ptr<f32>
      %2 = arith.addf %acc, %x : f32
      scf.yield %2 : f32
    }
    scf.yield %1 : f32
  }
  tt.return %0 : f32
}

// CHECK-LABEL: @stays
tt.func @stays(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %v: f32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // The loop writes.
  // CHECK: scf.for
  // CHECK-NEXT: tt.load
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tt.load %p : !tt.ptr<f32>
    tt.store %q, %x : !tt.ptr<f32>
  }
  // The address changes.
  // CHECK: scf.for
  // CHECK-NEXT: tt.addptr
  // CHECK-NEXT: tt.load
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %v) -> f32 : i32 {
    %a = tt.addptr %p, %i : !tt.ptr<f32>, i32
    %x = tt.load %a : !tt.ptr<f32>
    %1 = arith.addf %acc, %x : f32
    scf.yield %1 : f32
  }
  // The load is under a condition.
  // CHECK: scf.for
  // CHECK: scf.if
  // CHECK-NEXT: tt.load
  %2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %0) -> f32 : i32 {
    %c = arith.cmpi eq, %i, %c1 : i32
    %1 = scf.if %c -> f32 {
      %x = tt.load %p : !tt.ptr<f32>
      scf.yield %x : f32
    } else {
      scf.yield %acc : f32
    }
    scf.yield %1 : f32
  }
  tt.store %q, %2 : !tt.ptr<f32>
  tt.return
}
