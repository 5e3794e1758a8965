// REQUIRES: SPEC
// RUN: triton-opt %s -split-input-file -verify-diagnostics

tt.func @fits(%a: tensor<16x256xf16>, %b: tensor<256x16xf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = tt.dot %a, %b, %c : tensor<16x256xf16> * tensor<256x16xf16> -> tensor<16x16xf32>
  tt.return %d : tensor<16x16xf32>
}

// -----

tt.func @too_deep(%a: tensor<16x512xf16>, %b: tensor<512x16xf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // expected-error @below {{'tt.dot' op has operands of depth 512, the matrix units of overlay take at most 256; use a smaller block}}
  %d = tt.dot %a, %b, %c : tensor<16x512xf16> * tensor<512x16xf16> -> tensor<16x16xf32>
  tt.return %d : tensor<16x16xf32>
}
