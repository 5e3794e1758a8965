// RUN: triton-opt %s -mthreads-lower-to-threads=threads=32 -canonicalize -cse -split-input-file | FileCheck %s

// Offsets are computed again where they are needed: no shared memory.
// CHECK-LABEL: func.func @offsets({{.*}} attributes {simt.shared_bytes = 0 : i64}
// CHECK-NOT: @simt.barrier
// CHECK: return
tt.func public @offsets(%x: !tt.ptr<i32>) {
  %m = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %rows = tt.expand_dims %m {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %c8 = arith.constant dense<8> : tensor<16x1xi32>
  %scaled = arith.muli %rows, %c8 : tensor<16x1xi32>
  %grid = tt.broadcast %scaled : tensor<16x1xi32> -> tensor<16x8xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<16x8x!tt.ptr<i32>>
  %xp = tt.addptr %xs, %grid : tensor<16x8x!tt.ptr<i32>>, tensor<16x8xi32>
  tt.store %xp, %grid : tensor<16x8x!tt.ptr<i32>>
  tt.return
}

// -----

// What was loaded moves through shared memory: 64 elements of 4 bytes, between
// two barriers.
// CHECK: llvm.mlir.global external @simt.shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
// CHECK-LABEL: func.func @transposed({{.*}} attributes {simt.shared_bytes = 256 : i64}
// CHECK: llvm.load
// CHECK: llvm.call @simt.barrier
// CHECK: llvm.store {{.*}} : f32, !llvm.ptr<3>
// CHECK: llvm.call @simt.barrier
// CHECK-NOT: @simt.barrier
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> f32
// CHECK: llvm.store {{.*}} !llvm.ptr<1>
tt.func public @transposed(%x: !tt.ptr<f32>) {
  %at = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %at : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %xp : tensor<64x!tt.ptr<f32>>
  %m = tt.reshape %v : tensor<64xf32> -> tensor<16x4xf32>
  %t = tt.trans %m {order = array<i32: 1, 0>} : tensor<16x4xf32> -> tensor<4x16xf32>
  %flat = tt.reshape %t : tensor<4x16xf32> -> tensor<64xf32>
  tt.store %xp, %flat : tensor<64x!tt.ptr<f32>>
  tt.return
}

// -----

// 2 of 5 bits of a sum are in registers; the other 5 are threads, exchanged in
// groups of 8 and of 4.
// CHECK-LABEL: func.func @sum({{.*}} attributes {simt.shared_bytes = 128 : i64}
// CHECK-COUNT-3: arith.addf
// CHECK: llvm.call @simt.barrier
// CHECK: llvm.call @simt.barrier
// CHECK: arith.andi %{{.*}}, %c24_i32
// CHECK-COUNT-7: arith.addf
// CHECK: llvm.call @simt.barrier
// CHECK: llvm.call @simt.barrier
// CHECK: arith.andi %{{.*}}, %c7_i32
// CHECK-COUNT-3: arith.addf
// CHECK-NOT: @simt.barrier
// CHECK: scf.if
tt.func public @sum(%x: !tt.ptr<f32>) {
  %at = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %at : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %xp : tensor<128x!tt.ptr<f32>>
  %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tt.reduce.return %c : f32
  }) : (tensor<128xf32>) -> f32
  tt.store %x, %s : !tt.ptr<f32>
  tt.return
}

// -----

// A product reads each element of an operand once for all results that need it:
// here 8 results in one column and 8 rows.
// CHECK-LABEL: func.func @dot({{.*}} attributes {simt.shared_bytes = 2048 : i64}
// CHECK: scf.for
// CHECK-COUNT-9: llvm.load {{.*}} : !llvm.ptr<3> -> f32
// CHECK-NOT: llvm.load
// CHECK: math.fma
// CHECK-NOT: llvm.load
// CHECK: scf.yield
tt.func public @dot(%x: !tt.ptr<f32>) {
  %at = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %at : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %v = tt.load %xp : tensor<256x!tt.ptr<f32>>
  %m = tt.reshape %v : tensor<256xf32> -> tensor<16x16xf32>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tt.dot %m, %m, %zero : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %flat = tt.reshape %d : tensor<16x16xf32> -> tensor<256xf32>
  tt.store %xp, %flat : tensor<256x!tt.ptr<f32>>
  tt.return
}
