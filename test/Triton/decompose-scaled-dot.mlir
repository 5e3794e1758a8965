// RUN: triton-opt %s -triton-decompose-scaled-dot -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: @packed_along_k
// CHECK-SAME: %[[A:.*]]: tensor<16x32xi8>, %[[SA:.*]]: tensor<16x2xi8>, %[[B:.*]]: tensor<64x16xf8E5M2>, %[[C:.*]]: tensor<16x16xf32>
tt.func @packed_along_k(%a: tensor<16x32xi8>, %sa: tensor<16x2xi8>, %b: tensor<64x16xf8E5M2>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // CHECK-DAG: %[[LOW:.*]] = arith.andi %[[A]]
  // CHECK-DAG: %[[HIGH:.*]] = arith.shrui %[[A]]
  // CHECK: %[[PAIRS:.*]] = tt.join %[[LOW]], %[[HIGH]] : tensor<16x32xi8> -> tensor<16x32x2xi8>
  // CHECK: tt.reshape %[[PAIRS]] : tensor<16x32x2xi8> -> tensor<16x64xi8>
  // CHECK: %[[NUMBERS:.*]] = tt.bitcast %{{.*}} : tensor<16x64xi32> -> tensor<16x64xf32>
  // CHECK: arith.extui %[[SA]] : tensor<16x2xi8> to tensor<16x2xi32>
  // CHECK: tt.bitcast %{{.*}} : tensor<16x2xi32> -> tensor<16x2xf32>
  // CHECK: tt.broadcast %{{.*}} : tensor<16x2x1xf32> -> tensor<16x2x32xf32>
  // CHECK: %[[SCALES:.*]] = tt.reshape %{{.*}} : tensor<16x2x32xf32> -> tensor<16x64xf32>
  // CHECK: %[[LHS:.*]] = arith.mulf %[[NUMBERS]], %[[SCALES]]
  // CHECK: %[[RHS:.*]] = tt.fp_to_fp %[[B]] : tensor<64x16xf8E5M2> -> tensor<64x16xf32>
  // CHECK-NOT: arith.mulf
  // CHECK: %[[D:.*]] = tt.dot %[[LHS]], %[[RHS]], %[[C]] :
  // CHECK: tt.return %[[D]]
  %d = tt.dot_scaled %a scale %sa, %b, %c lhs = e2m1 rhs = e5m2 {fastMath = false} : tensor<16x32xi8>, tensor<16x2xi8> * tensor<64x16xf8E5M2> -> tensor<16x16xf32>
  tt.return %d : tensor<16x16xf32>
}

// -----

// CHECK-LABEL: @packed_across_k
tt.func @packed_across_k(%a: tensor<8x32xi8>, %b: tensor<32x8xi8>, %sb: tensor<16x1xi8>, %c: tensor<16x16xf16>) -> tensor<16x16xf16> {
  // CHECK: tt.join {{.*}} -> tensor<8x32x2xi8>
  // CHECK: tt.trans {{.*}} {order = array<i32: 0, 2, 1>} : tensor<8x32x2xi8> -> tensor<8x2x32xi8>
  // CHECK: tt.reshape {{.*}} -> tensor<16x32xi8>
  // CHECK: tt.join {{.*}} -> tensor<32x8x2xi8>
  // CHECK: tt.reshape {{.*}} -> tensor<32x16xi8>
  // CHECK: tt.trans {{.*}} {order = array<i32: 1, 0>} : tensor<16x32xf32> -> tensor<32x16xf32>
  // CHECK: arith.extf {{.*}} : tensor<16x16xf16> to tensor<16x16xf32>
  // CHECK: tt.dot {{.*}} -> tensor<16x16xf32>
  // CHECK: arith.truncf {{.*}} : tensor<16x16xf32> to tensor<16x16xf16>
  %d = tt.dot_scaled %a, %b scale %sb, %c lhs = e2m1 rhs = e2m1 {fastMath = false, lhs_k_pack = false, rhs_k_pack = false} : tensor<8x32xi8> * tensor<32x8xi8>, tensor<16x1xi8> -> tensor<16x16xf16>
  tt.return %d : tensor<16x16xf16>
}

// -----

// Bits of a format are that format; batches keep their dimension.
// CHECK-LABEL: @raw_bits
tt.func @raw_bits(%a: tensor<2x16x32xi8>, %sa: tensor<2x16x1xi8>, %b: tensor<2x32x16xbf16>, %c: tensor<2x16x16xf32>) -> tensor<2x16x16xf32> {
  // CHECK: %[[BITS:.*]] = tt.bitcast {{.*}} : tensor<2x16x32xi8> -> tensor<2x16x32xf8E4M3FN>
  // CHECK: tt.fp_to_fp %[[BITS]]
  // CHECK: arith.extf {{.*}} : tensor<2x32x16xbf16> to tensor<2x32x16xf32>
  // CHECK: tt.dot {{.*}} : tensor<2x16x32xf32> * tensor<2x32x16xf32> -> tensor<2x16x16xf32>
  %d = tt.dot_scaled %a scale %sa, %b, %c lhs = e4m3 rhs = bf16 {fastMath = false} : tensor<2x16x32xi8>, tensor<2x16x1xi8> * tensor<2x32x16xbf16> -> tensor<2x16x16xf32>
  tt.return %d : tensor<2x16x16xf32>
}

// -----

tt.func @unknown_format(%a: tensor<16x32xi8>, %b: tensor<32x16xi8>, %c: tensor<16x16xf32>) {
  // expected-error @below {{lhs has format e2m3, which cannot be decoded; use e2m1, e4m3, e5m2, bf16 or fp16}}
  %d = tt.dot_scaled %a, %b, %c lhs = e2m3 rhs = e4m3 {fastMath = false} : tensor<16x32xi8> * tensor<32x16xi8> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @other_elements(%a: tensor<16x32xi8>, %b: tensor<32x16xf32>, %c: tensor<16x16xf32>) {
  // expected-error @below {{rhs in format fp16 must have elements of type 'f16', got 'f32'}}
  %d = tt.dot_scaled %a, %b, %c lhs = e4m3 rhs = fp16 {fastMath = false} : tensor<16x32xi8> * tensor<32x16xf32> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @other_scale(%a: tensor<16x32xi8>, %sa: tensor<16x1xf32>, %b: tensor<32x16xi8>, %c: tensor<16x16xf32>) {
  // expected-error @below {{scales of the lhs must be bytes that hold exponents, got 'f32'}}
  %d = tt.dot_scaled %a scale %sa, %b, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<16x32xi8>, tensor<16x1xf32> * tensor<32x16xi8> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @other_accumulator(%a: tensor<16x32xi8>, %b: tensor<32x16xi8>, %c: tensor<16x16xf64>) {
  // expected-error @below {{the accumulator must be f32, f16 or bf16, got 'f64'}}
  %d = tt.dot_scaled %a, %b, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<16x32xi8> * tensor<32x16xi8> -> tensor<16x16xf64>
  tt.return
}
