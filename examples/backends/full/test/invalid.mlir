// RUN: triton-opt %s -split-input-file -verify-diagnostics

tt.func @no_interval(%x: tensor<16xf32>) -> tensor<16xf32> {
  // expected-error @below {{'full.saturate' op needs an interval whose low end is not above its high end, got [1.000000e+00 : f64, -1.000000e+00 : f64]}}
  %0 = full.saturate %x in [1.0, -1.0] : tensor<16xf32>
  tt.return %0 : tensor<16xf32>
}

// -----

tt.func @nan(%x: f32) -> f32 {
  // expected-error @below {{'full.saturate' op needs an interval}}
  %0 = full.saturate %x in [0x7FF8000000000000, 1.0] : f32
  tt.return %0 : f32
}

// -----

tt.func @integers(%x: i32) -> i32 {
  // expected-error @below {{must be number or block of numbers}}
  %0 = full.saturate %x in [0.0, 1.0] : i32
  tt.return %0 : i32
}
