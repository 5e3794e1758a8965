// RUN: triton-opt %s | FileCheck %s

// Spellings of later Triton versions are read; one spelling is printed.

// CHECK: @spaces(!tt.ptr<f32>, !tt.ptr<f32, 3>, !tt.ptr<f32>, !tt.ptr<f32>)
tt.func private @spaces(!tt.ptr<f32, 1>, !tt.ptr<f32, 3>, !tt.ptr<f32, "global">, !tt.ptr<f32, "constant">)

// CHECK: @descriptors(!tt.tensordesc<tensor<8x8xf32>>, !tt.tensordesc<tensor<8x8xf32>>, !tt.tensordesc<tensor<16xsi32>>)
tt.func private @descriptors(!tt.tensordesc<tensor<8x8xf32>>, !tt.tensordesc<8x8xf32>, !tt.tensordesc<16xsi32>)

// CHECK: @nested(!tt.ptr<!tt.ptr<i8>>, !tt.ptr<tensor<4x4xbf16>>, tensor<4x!tt.ptr<f64>>)
tt.func private @nested(!tt.ptr<!tt.ptr<i8>>, !tt.ptr<tensor<4x4xbf16>>, tensor<4x!tt.ptr<f64>>)

// CHECK: @floats(!tt.ptr<f8E4M3FN>, !tt.ptr<f8E4M3FNUZ>, !tt.ptr<f8E5M2>, !tt.ptr<f8E5M2FNUZ>, !tt.ptr<i4>)
tt.func private @floats(!tt.ptr<f8E4M3FN>, !tt.ptr<f8E4M3FNUZ>, !tt.ptr<f8E5M2>, !tt.ptr<f8E5M2FNUZ>, !tt.ptr<i4>)
