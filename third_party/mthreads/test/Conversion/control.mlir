// RUN: triton-opt %s -mthreads-lower-to-threads=threads=32 -canonicalize -cse -split-input-file | FileCheck %s

// A carried block is carried in registers.
// CHECK-LABEL: func.func @carried(
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (f32, f32)
// CHECK: %[[A2:.*]] = arith.addf %[[A]], %[[A]]
// CHECK: %[[B2:.*]] = arith.addf %[[B]], %[[B]]
// CHECK: scf.yield %[[A2]], %[[B2]] : f32, f32
tt.func public @carried(%x: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %at = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %at : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %xp : tensor<64x!tt.ptr<f32>>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v) -> (tensor<64xf32>) : i32 {
    %b = arith.addf %a, %a : tensor<64xf32>
    scf.yield %b : tensor<64xf32>
  }
  tt.store %xp, %r : tensor<64x!tt.ptr<f32>>
  tt.return
}

// -----

// One thread exchanges a scalar, all get the old value. Barriers order it with
// what the other threads do.
// CHECK-LABEL: func.func @exchange({{.*}} attributes {simt.shared_bytes = 16 : i64}
// CHECK: %[[TID:.*]] = llvm.call @simt.thread_id()
// CHECK: llvm.call @simt.barrier
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[TID]], %c0_i32
// CHECK: %[[OLD:.*]] = scf.if %[[FIRST]]
// CHECK: llvm.cmpxchg {{.*}} acq_rel acquire : !llvm.ptr<1>, i32
// CHECK: llvm.call @simt.barrier
// CHECK: scf.if %[[FIRST]] {
// CHECK: llvm.store %[[OLD]], %{{.*}} : i32, !llvm.ptr<3>
// CHECK: llvm.call @simt.barrier
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> i32
tt.func public @exchange(%lock: !tt.ptr<i32>, %out: !tt.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %old = tt.atomic_cas acq_rel, gpu, %lock, %c0, %c1 : (!tt.ptr<i32>, i32, i32) -> i32
  tt.store %out, %old : !tt.ptr<i32>
  tt.return
}
