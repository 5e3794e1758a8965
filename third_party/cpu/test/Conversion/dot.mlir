// RUN: triton-opt %s -cpu-scalarize-carried -cpu-lower-blocks="vector-bits=512" | FileCheck %s
// RUN: triton-opt %s -cpu-scalarize-carried | FileCheck %s --check-prefix=CARRIED

// The pointers advance by a scalar, and the accumulator is updated in place:
// scratch holds it and the two operands, nothing else.
// CARRIED-LABEL: tt.func public @product(
// CARRIED: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[SUM:.*]] = %{{.*}}) -> (tensor<32x64xf32>, i64)
// CARRIED: tt.splat %[[SUM]] : i64 -> tensor<32x16xi64>
// CARRIED: arith.addi %[[SUM]]

// CHECK-LABEL: func.func @product(
// CHECK-SAME: tt.cpu.scratch = 14400 : i64
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (i64) {{.*}}: i64
// CHECK: scf.for %{{.*}} = %c0_i64 to %c16_i64 step %c1_i64
// CHECK-COUNT-24: math.fma %{{.*}} : vector<16xf32>
// CHECK: scf.yield
tt.func public @product(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f32>, %k: i32) {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %step = arith.constant dense<16> : tensor<32x16xi32>
  %rm = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %rk = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %rn = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %m1 = tt.expand_dims %rm {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %k0 = tt.expand_dims %rk {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %k1 = tt.expand_dims %rk {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %n0 = tt.expand_dims %rn {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %mk0 = tt.broadcast %m1 : tensor<32x1xi32> -> tensor<32x16xi32>
  %mk1 = tt.broadcast %k0 : tensor<1x16xi32> -> tensor<32x16xi32>
  %mk = arith.addi %mk0, %mk1 : tensor<32x16xi32>
  %kn0 = tt.broadcast %k1 : tensor<16x1xi32> -> tensor<16x64xi32>
  %kn1 = tt.broadcast %n0 : tensor<1x64xi32> -> tensor<16x64xi32>
  %kn = arith.addi %kn0, %kn1 : tensor<16x64xi32>
  %as = tt.splat %a : !tt.ptr<f32> -> tensor<32x16x!tt.ptr<f32>>
  %ap = tt.addptr %as, %mk : tensor<32x16x!tt.ptr<f32>>, tensor<32x16xi32>
  %bs = tt.splat %b : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
  %bp = tt.addptr %bs, %kn : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
  %r:2 = scf.for %i = %c0 to %k step %c16 iter_args(%acc = %zero, %p = %ap) -> (tensor<32x64xf32>, tensor<32x16x!tt.ptr<f32>>) : i32 {
    %x = tt.load %p : tensor<32x16x!tt.ptr<f32>>
    %y = tt.load %bp : tensor<16x64x!tt.ptr<f32>>
    %d = tt.dot %x, %y, %acc : tensor<32x16xf32> * tensor<16x64xf32> -> tensor<32x64xf32>
    %q = tt.addptr %p, %step : tensor<32x16x!tt.ptr<f32>>, tensor<32x16xi32>
    scf.yield %d, %q : tensor<32x64xf32>, tensor<32x16x!tt.ptr<f32>>
  }
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %mn0 = tt.broadcast %m1 : tensor<32x1xi32> -> tensor<32x64xi32>
  %mn1 = tt.broadcast %n0 : tensor<1x64xi32> -> tensor<32x64xi32>
  %mn = arith.addi %mn0, %mn1 : tensor<32x64xi32>
  %cp = tt.addptr %cs, %mn : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
  tt.store %cp, %r#0 : tensor<32x64x!tt.ptr<f32>>
  tt.return
}
