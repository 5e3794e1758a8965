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
