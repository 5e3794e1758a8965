// REQUIRES: TRUNK
// RUN: triton-opt %s | FileCheck %s

// CHECK: tt.dot
tt.func @deep(%a: tensor<16x512xf16>, %b: tensor<512x16xf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = tt.dot %a, %b, %c : tensor<16x512xf16> * tensor<512x16xf16> -> tensor<16x16xf32>
  tt.return %d : tensor<16x16xf32>
}
