// RUN: triton-opt %s -split-input-file -cpu-lower-blocks="vector-bits=512 dot-int8=true dot-bf16=true" | FileCheck %s
// RUN: triton-opt %s -split-input-file -cpu-lower-blocks="vector-bits=512" | FileCheck %s --check-prefix=PLAIN

// Four bytes of K per lane: B + 128 is the unsigned factor, and 128 times the
// sums of the rows of A go off.
// CHECK-LABEL: func.func @bytes(
// CHECK: arith.xori %{{.*}} : vector<16xi32>
// CHECK: vector.reduction <add>
// CHECK: arith.subi %{{.*}} : vector<16xi32>
// CHECK: scf.for %{{.*}} = %c0_i64 to %c16_i64 step %c1_i64 iter_args
// CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%{{.*}}, %{{.*}}, %{{.*}}) : (vector<16xi32>, vector<64xi8>, vector<64xi8>) -> vector<16xi32>
// PLAIN-LABEL: func.func @bytes(
// PLAIN-NOT: vpdpbusd
tt.func public @bytes(%x: !tt.ptr<i32>) {
  %a = arith.constant dense<3> : tensor<16x64xi8>
  %b = arith.constant dense<-5> : tensor<64x32xi8>
  %c = arith.constant dense<7> : tensor<16x32xi32>
  %d = tt.dot %a, %b, %c : tensor<16x64xi8> * tensor<64x32xi8> -> tensor<16x32xi32>
  %p = tt.splat %x : !tt.ptr<i32> -> tensor<16x32x!tt.ptr<i32>>
  tt.store %p, %d : tensor<16x32x!tt.ptr<i32>>
  tt.return
}

// -----

// CHECK-LABEL: func.func @halves(
// CHECK-SAME: tt.cpu.dot_bf16
// CHECK: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%{{.*}}, %{{.*}}, %{{.*}}) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
// PLAIN-LABEL: func.func @halves(
// PLAIN-NOT: tt.cpu.dot_bf16
// PLAIN: math.fma
tt.func public @halves(%x: !tt.ptr<f32>) {
  %a = arith.constant dense<3.0> : tensor<16x32xbf16>
  %b = arith.constant dense<-5.0> : tensor<32x16xbf16>
  %c = arith.constant dense<7.0> : tensor<16x16xf32>
  %d = tt.dot %a, %b, %c : tensor<16x32xbf16> * tensor<32x16xbf16> -> tensor<16x16xf32>
  %p = tt.splat %x : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  tt.store %p, %d : tensor<16x16x!tt.ptr<f32>>
  tt.return
}

// -----

// Operands that come from memory are copied a whole register at a time, and
// two rows of B are interleaved by shuffles. While a tile is multiplied, a line
// of each operand's next tile is fetched per step.
// CHECK-LABEL: func.func @tiles(
// CHECK: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr -> vector<32xi16>
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 32, 1, 33, {{.*}}] : vector<32xi16>, vector<32xi16>
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [16, 48, 17, 49, {{.*}}] : vector<32xi16>, vector<32xi16>
// CHECK: scf.for %{{.*}} = %c0_i64 to %c32_i64 step %c1_i64 iter_args
// CHECK-COUNT-2: "llvm.intr.prefetch"
// CHECK: llvm.x86.avx512bf16.dpbf16ps.512
// PLAIN-LABEL: func.func @tiles(
// PLAIN-NOT: llvm.intr.prefetch
tt.func public @tiles(%x: !tt.ptr<bf16>, %y: !tt.ptr<bf16>, %z: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %c = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %m = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %k = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %kk = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %nn = tt.expand_dims %c {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %mm = tt.expand_dims %m {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %rowA = arith.constant dense<512> : tensor<16x1xi32>
  %rowB = arith.constant dense<128> : tensor<64x1xi32>
  %ma = arith.muli %mm, %rowA : tensor<16x1xi32>
  %kb = arith.muli %kk, %rowB : tensor<64x1xi32>
  %a0 = tt.broadcast %ma : tensor<16x1xi32> -> tensor<16x64xi32>
  %a1 = tt.broadcast %k : tensor<1x64xi32> -> tensor<16x64xi32>
  %a2 = arith.addi %a0, %a1 : tensor<16x64xi32>
  %b0 = tt.broadcast %kb : tensor<64x1xi32> -> tensor<64x128xi32>
  %b1 = tt.broadcast %nn : tensor<1x128xi32> -> tensor<64x128xi32>
  %b2 = arith.addi %b0, %b1 : tensor<64x128xi32>
  %init = arith.constant dense<0.0> : tensor<16x128xf32>
  %d = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %init) -> (tensor<16x128xf32>) : i32 {
    %c128 = arith.constant 128 : i32
    %ib = arith.muli %i, %c128 : i32
    %pa = tt.addptr %x, %i : !tt.ptr<bf16>, i32
    %pb = tt.addptr %y, %ib : !tt.ptr<bf16>, i32
    %sa = tt.splat %pa : !tt.ptr<bf16> -> tensor<16x64x!tt.ptr<bf16>>
    %sb = tt.splat %pb : !tt.ptr<bf16> -> tensor<64x128x!tt.ptr<bf16>>
    %ta = tt.addptr %sa, %a2 : tensor<16x64x!tt.ptr<bf16>>, tensor<16x64xi32>
    %tb = tt.addptr %sb, %b2 : tensor<64x128x!tt.ptr<bf16>>, tensor<64x128xi32>
    %a = tt.load %ta : tensor<16x64x!tt.ptr<bf16>>
    %b = tt.load %tb : tensor<64x128x!tt.ptr<bf16>>
    %s = tt.dot %a, %b, %acc : tensor<16x64xbf16> * tensor<64x128xbf16> -> tensor<16x128xf32>
    scf.yield %s : tensor<16x128xf32>
  }
  %p = tt.splat %z : !tt.ptr<f32> -> tensor<16x128x!tt.ptr<f32>>
  tt.store %p, %d : tensor<16x128x!tt.ptr<f32>>
  tt.return
}
