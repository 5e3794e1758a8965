// The pattern that is added uses the static function that is exposed.
// RUN: triton-opt %s -triton-combine | FileCheck %s --check-prefix=%which

// SPEC-LABEL: @subtract
// SPEC-SAME: %[[C:[^:]*]]: tensor<16x16xf32>)
// SPEC-NOT: arith.subf
// SPEC: %[[N:.*]] = arith.negf %[[C]]
// SPEC: tt.dot %{{.*}}, %{{.*}}, %[[N]]
// TRUNK-LABEL: @subtract
// TRUNK: arith.subf
tt.func @subtract(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tt.dot %a, %b, %zero : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %e = arith.subf %d, %c : tensor<16x16xf32>
  tt.return %e : tensor<16x16xf32>
}
