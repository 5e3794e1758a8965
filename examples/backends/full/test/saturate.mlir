// RUN: triton-opt %s | triton-opt | FileCheck %s --check-prefix=SAME
// RUN: triton-opt %s -full-fuse-saturation | FileCheck %s --check-prefix=FUSE
// RUN: triton-opt %s -full-fuse-saturation -full-lower-saturation | FileCheck %s --check-prefix=LOWER

// SAME-LABEL: @block
// FUSE-LABEL: @block
// LOWER-LABEL: @block
tt.func @block(%x: tensor<16xf32>) -> tensor<16xf32> {
  // FUSE: full.saturate %{{.*}} in[-1.000000e+00, 2.000000e+00] : tensor<16xf32>
  // LOWER: %[[LOW:.*]] = arith.constant dense<-1.000000e+00>
  // LOWER: %[[MAX:.*]] = arith.maxnumf %{{.*}}, %[[LOW]]
  // LOWER: %[[HIGH:.*]] = arith.constant dense<2.000000e+00>
  // LOWER: arith.minnumf %[[MAX]], %[[HIGH]]
  // LOWER-NOT: full.
  %low = arith.constant dense<-1.0> : tensor<16xf32>
  %high = arith.constant dense<2.0> : tensor<16xf32>
  %0 = arith.maxnumf %x, %low : tensor<16xf32>
  %1 = arith.minnumf %0, %high : tensor<16xf32>
  tt.return %1 : tensor<16xf32>
}

// SAME-LABEL: @number
// FUSE-LABEL: @number
// LOWER-LABEL: @number
tt.func @number(%x: f64) -> f64 {
  // SAME: full.saturate %{{.*}} in[0.000000e+00, 1.000000e+00] : f64
  // LOWER: arith.maxnumf %{{.*}}, %{{.*}} : f64
  %0 = full.saturate %x in [0.0, 1.0] : f64
  tt.return %0 : f64
}

// Not an interval, bounds that are no constants, and a value that others need.
// FUSE-LABEL: @not_fused
tt.func @not_fused(%x: tensor<16xf32>, %y: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
  // FUSE-NOT: full.saturate
  // FUSE: tt.return
  %low = arith.constant dense<3.0> : tensor<16xf32>
  %high = arith.constant dense<2.0> : tensor<16xf32>
  %0 = arith.maxnumf %x, %low : tensor<16xf32>
  %1 = arith.minnumf %0, %high : tensor<16xf32>
  %2 = arith.maxnumf %x, %y : tensor<16xf32>
  %3 = arith.minnumf %2, %high : tensor<16xf32>
  %4 = arith.maxnumf %y, %high : tensor<16xf32>
  %5 = arith.minnumf %4, %low : tensor<16xf32>
  tt.return %1, %3, %4, %5 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}
