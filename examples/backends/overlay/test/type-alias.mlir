// RUN: triton-opt %s -triton-decompose-scaled-dot | FileCheck %s --check-prefix=%which

// SPEC-LABEL: @scaled
// SPEC: tt.dot {{.*}} : tensor<16x32xbf16> * tensor<32x16xbf16> -> tensor<16x16xf32>
// TRUNK-LABEL: @scaled
// TRUNK: tt.dot {{.*}} : tensor<16x32xf32> * tensor<32x16xf32> -> tensor<16x16xf32>
tt.func @scaled(%a: tensor<16x32xf8E5M2>, %s: tensor<16x1xi8>, %b: tensor<32x16xf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = tt.dot_scaled %a scale %s, %b, %c lhs = e5m2 rhs = fp16 {fastMath = false} : tensor<16x32xf8E5M2>, tensor<16x1xi8> * tensor<32x16xf16> -> tensor<16x16xf32>
  tt.return %d : tensor<16x16xf32>
}
