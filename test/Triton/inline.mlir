// RUN: triton-opt %s -inline -symbol-dce | FileCheck %s

// CHECK-LABEL: tt.func public @kernel
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>
tt.func public @kernel(%x: tensor<8xf32>, %c: i1) -> (f32, f32, f32) attributes {noinline = false} {
  // The function that combines disappears into the reduction.
  // CHECK: %[[SUM:.*]] = "tt.reduce"(%[[X]])
  // CHECK: %[[S:.*]] = arith.addf
  // CHECK: tt.reduce.return %[[S]]
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = tt.call @add(%a, %b) : (f32, f32) -> f32
    tt.reduce.return %s : f32
  }) : (tensor<8xf32>) -> f32
  // Callees of callees and structured control flow are inlined too.
  // CHECK: scf.if
  // CHECK: arith.addf
  // CHECK: scf.yield
  // CHECK-NOT: tt.call @choose
  %1 = tt.call @choose(%c, %0) : (i1, f32) -> f32
  // CHECK: tt.call @kept
  %2 = tt.call @kept(%0) : (f32) -> f32
  tt.return %0, %1, %2 : f32, f32, f32
}

// CHECK-NOT: @add
tt.func private @add(%a: f32, %b: f32) -> f32 attributes {noinline = false} {
  %0 = arith.addf %a, %b : f32
  tt.return %0 : f32
}

// CHECK-NOT: @choose
tt.func private @choose(%c: i1, %x: f32) -> f32 {
  %0 = scf.if %c -> f32 {
    %1 = tt.call @add(%x, %x) : (f32, f32) -> f32
    scf.yield %1 : f32
  } else {
    scf.yield %x : f32
  }
  tt.return %0 : f32
}

// CHECK: tt.func private @kept
tt.func private @kept(%a: f32) -> f32 attributes {noinline = true} {
  %0 = arith.mulf %a, %a : f32
  tt.return %0 : f32
}

// Written by hand: a return in the middle becomes a branch behind the call.
// CHECK-LABEL: tt.func public @branches
tt.func public @branches(%c: i1, %x: f32) -> f32 {
  // CHECK: cf.cond_br %{{.*}}, ^[[END:bb[0-9]+]](%{{.*}} : f32), ^[[OTHER:bb[0-9]+]]
  // CHECK: ^[[OTHER]]:
  // CHECK: arith.mulf
  // CHECK: cf.br ^[[END]](%{{.*}} : f32)
  // CHECK: ^[[END]](%[[R:.*]]: f32):
  // CHECK: tt.return %[[R]] : f32
  %0 = tt.call @early(%c, %x) : (i1, f32) -> f32
  tt.return %0 : f32
}

tt.func private @early(%c: i1, %x: f32) -> f32 {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  tt.return %x : f32
^bb2:
  %0 = arith.mulf %x, %x : f32
  tt.return %0 : f32
}
