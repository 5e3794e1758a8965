// RUN: triton-opt %s -mthreads-lower-to-threads=threads=32 -canonicalize -cse -split-input-file | FileCheck %s

// Four neighbours are one access of 16 bytes; the second round of 128 elements
// is a constant away.
// CHECK-LABEL: func.func @vectors(
// CHECK-SAME: %[[X:.*]]: !llvm.ptr<1>, %[[OUT:.*]]: !llvm.ptr<1>) attributes {simt.shared_bytes = 0 : i64}
// CHECK: %[[TID:.*]] = llvm.call @simt.thread_id() : () -> i32
// CHECK: %[[FIRST:.*]] = arith.shli %[[TID]], %c2_i32
// CHECK: arith.addi %[[FIRST]], %c128_i32
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-NOT: llvm.load
// CHECK-COUNT-8: arith.addf
// CHECK-COUNT-2: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
tt.func public @vectors(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %at = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %at : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %v = tt.load %xp : tensor<256x!tt.ptr<f32>>
  %sum = arith.addf %v, %v : tensor<256xf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %op = tt.addptr %os, %at : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %op, %sum : tensor<256x!tt.ptr<f32>>
  tt.return
}

// -----

// A mask that may change at every element makes single accesses, next to each
// other in neighbouring threads.
// CHECK-LABEL: func.func @masked(
// CHECK: %[[TID:.*]] = llvm.call @simt.thread_id()
// CHECK: %[[IN:.*]] = arith.cmpi slt, %[[TID]], %{{.*}} : i32
// CHECK: %[[V:.*]] = scf.if %[[IN]] -> (f32) {
// CHECK: llvm.load {{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> f32
// CHECK: } else {
// CHECK: scf.yield %cst : f32
// CHECK: llvm.store %[[V]], %{{.*}}
tt.func public @masked(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %other = arith.constant dense<-1.0> : tensor<32xf32>
  %at = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %ns = tt.splat %n : i32 -> tensor<32xi32>
  %mask = arith.cmpi slt, %at, %ns : tensor<32xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %at : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %v = tt.load %xp, %mask, %other : tensor<32x!tt.ptr<f32>>
  tt.store %xp, %v : tensor<32x!tt.ptr<f32>>
  tt.return
}

// -----

// Where several threads hold an element, one of them writes it. Scalars are
// written by the first thread.
// CHECK-LABEL: func.func @replicated(
// CHECK: %[[TID:.*]] = llvm.call @simt.thread_id()
// CHECK: %[[AT:.*]] = arith.andi %[[TID]], %c7_i32
// CHECK: %[[OWNER:.*]] = arith.cmpi ult, %[[TID]], %c8_i32
// CHECK: scf.if %[[OWNER]] {
// CHECK-NEXT: llvm.store
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[TID]], %c0_i32
// CHECK: scf.if %[[FIRST]] {
// CHECK-NEXT: llvm.store
tt.func public @replicated(%x: !tt.ptr<i32>) {
  %at = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %at : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
  tt.store %xp, %at : tensor<8x!tt.ptr<i32>>
  %c5 = arith.constant 5 : i32
  tt.store %x, %c5 : !tt.ptr<i32>
  tt.return
}

// -----

// bf16 is its bits; arithmetic goes through f32. Functions have neutral names.
// CHECK: llvm.func @simt.math.exp.f32(f32) -> f32
// CHECK-LABEL: func.func @brain(
// CHECK-SAME: %[[V:.*]]: i16
// CHECK: %[[WIDE:.*]] = arith.extui %[[V]] : i16 to i32
// CHECK: %[[BITS:.*]] = arith.shli %[[WIDE]], %c16_i32
// CHECK: %[[F:.*]] = arith.bitcast %[[BITS]] : i32 to f32
// CHECK: llvm.call @simt.math.exp.f32(%[[F]])
tt.func public @brain(%v: bf16, %out: !tt.ptr<bf16>) {
  %e = math.exp %v : bf16
  tt.store %out, %e : !tt.ptr<bf16>
  tt.return
}
