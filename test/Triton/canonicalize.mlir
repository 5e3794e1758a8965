// RUN: triton-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: @constant_shapes
tt.func @constant_shapes() -> (tensor<8xi32>, tensor<8x4xf32>, tensor<1x8xi32>, tensor<32xf32>, tensor<4x8xf32>, i32, tensor<1xi32>) {
  // CHECK-DAG: arith.constant dense<7> : tensor<8xi32>
  // CHECK-DAG: arith.constant dense<1.000000e+00> : tensor<8x4xf32>
  // CHECK-DAG: arith.constant dense<7> : tensor<1x8xi32>
  // CHECK-DAG: arith.constant dense<1.000000e+00> : tensor<32xf32>
  // CHECK-DAG: arith.constant dense<1.000000e+00> : tensor<4x8xf32>
  // CHECK-DAG: arith.constant 7 : i32
  // CHECK-DAG: arith.constant dense<5> : tensor<1xi32>
  // CHECK-NOT: tt.{{splat|broadcast|expand|reshape|trans|unsplat|make_range}}
  %c7 = arith.constant 7 : i32
  %one = arith.constant dense<1.0> : tensor<8x1xf32>
  %single = arith.constant dense<7> : tensor<1xi32>
  %0 = tt.splat %c7 : i32 -> tensor<8xi32>
  %1 = tt.broadcast %one : tensor<8x1xf32> -> tensor<8x4xf32>
  %2 = tt.expand_dims %0 {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %3 = tt.reshape %1 : tensor<8x4xf32> -> tensor<32xf32>
  %4 = tt.trans %1 {order = array<i32: 1, 0>} : tensor<8x4xf32> -> tensor<4x8xf32>
  %5 = tt.unsplat %single : tensor<1xi32>
  %6 = tt.make_range {start = 5 : i32, end = 6 : i32} : tensor<1xi32>
  tt.return %0, %1, %2, %3, %4, %5, %6 : tensor<8xi32>, tensor<8x4xf32>, tensor<1x8xi32>, tensor<32xf32>, tensor<4x8xf32>, i32, tensor<1xi32>
}

// A constant that is no splat keeps its order through reshape.
// CHECK-LABEL: @reshape_dense
tt.func @reshape_dense() -> tensor<2x2xi32> {
  // CHECK: arith.constant dense<{{\[\[}}1, 2], [3, 4]]> : tensor<2x2xi32>
  %0 = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %1 = tt.reshape %0 : tensor<4xi32> -> tensor<2x2xi32>
  tt.return %1 : tensor<2x2xi32>
}

// CHECK-LABEL: @splats(
// CHECK-SAME: %[[S:.*]]: f32
tt.func @splats(%s: f32) -> (tensor<8x4xf32>, tensor<1x8xf32>, tensor<4x2xf32>, tensor<4x8xf32>, f32) {
  // CHECK-DAG: tt.splat %[[S]] : f32 -> tensor<8x4xf32>
  // CHECK-DAG: tt.splat %[[S]] : f32 -> tensor<1x8xf32>
  // CHECK-DAG: tt.splat %[[S]] : f32 -> tensor<4x2xf32>
  // CHECK-DAG: tt.splat %[[S]] : f32 -> tensor<4x8xf32>
  // CHECK-NOT: tt.{{broadcast|expand|reshape|trans|unsplat}}
  // CHECK: tt.return %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[S]]
  %narrow = tt.splat %s : f32 -> tensor<8x1xf32>
  %0 = tt.broadcast %narrow : tensor<8x1xf32> -> tensor<8x4xf32>
  %flat = tt.splat %s : f32 -> tensor<8xf32>
  %1 = tt.expand_dims %flat {axis = 0 : i32} : tensor<8xf32> -> tensor<1x8xf32>
  %2 = tt.reshape %flat : tensor<8xf32> -> tensor<4x2xf32>
  %3 = tt.trans %0 {order = array<i32: 1, 0>} : tensor<8x4xf32> -> tensor<4x8xf32>
  %one = tt.splat %s : f32 -> tensor<1xf32>
  %4 = tt.unsplat %one : tensor<1xf32>
  tt.return %0, %1, %2, %3, %4 : tensor<8x4xf32>, tensor<1x8xf32>, tensor<4x2xf32>, tensor<4x8xf32>, f32
}

// CHECK-LABEL: @merge_shapes(
// CHECK-SAME: %[[X:.*]]: tensor<8x1xf32>, %[[Y:.*]]: tensor<2x4x8xf32>
tt.func @merge_shapes(%x: tensor<8x1xf32>, %y: tensor<2x4x8xf32>) -> (tensor<8x1xf32>, tensor<1x8x4xf32>, tensor<4x16xf32>, tensor<8x2x4xf32>, tensor<2x4x8xf32>) {
  // CHECK-DAG: %[[E:.*]] = tt.expand_dims %[[X]] {axis = 0 : i32} : tensor<8x1xf32> -> tensor<1x8x1xf32>
  // CHECK-DAG: %[[B:.*]] = tt.broadcast %[[E]] : tensor<1x8x1xf32> -> tensor<1x8x4xf32>
  // CHECK-DAG: %[[R:.*]] = tt.reshape %[[Y]] allow_reorder : tensor<2x4x8xf32> -> tensor<4x16xf32>
  // CHECK-DAG: %[[T:.*]] = tt.trans %[[Y]] {order = array<i32: 2, 0, 1>} : tensor<2x4x8xf32> -> tensor<8x2x4xf32>
  // CHECK: tt.return %[[X]], %[[B]], %[[R]], %[[T]], %[[Y]]
  %0 = tt.broadcast %x : tensor<8x1xf32> -> tensor<8x1xf32>
  %wide = tt.broadcast %x : tensor<8x1xf32> -> tensor<8x4xf32>
  %1 = tt.expand_dims %wide {axis = 0 : i32} : tensor<8x4xf32> -> tensor<1x8x4xf32>
  %flat = tt.reshape %y allow_reorder : tensor<2x4x8xf32> -> tensor<64xf32>
  %2 = tt.reshape %flat : tensor<64xf32> -> tensor<4x16xf32>
  %t0 = tt.trans %y {order = array<i32: 1, 2, 0>} : tensor<2x4x8xf32> -> tensor<4x8x2xf32>
  %3 = tt.trans %t0 {order = array<i32: 1, 2, 0>} : tensor<4x8x2xf32> -> tensor<8x2x4xf32>
  %4 = tt.trans %3 {order = array<i32: 1, 2, 0>} : tensor<8x2x4xf32> -> tensor<2x4x8xf32>
  tt.return %0, %1, %2, %3, %4 : tensor<8x1xf32>, tensor<1x8x4xf32>, tensor<4x16xf32>, tensor<8x2x4xf32>, tensor<2x4x8xf32>
}

// CHECK-LABEL: @join_split(
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>, %[[C:.*]]: tensor<4x2xf32>
tt.func @join_split(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4x2xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
  // The halves swapped are another value.
  // CHECK: %[[L:.*]], %[[R:.*]] = tt.split %[[C]]
  // CHECK: %[[SWAPPED:.*]] = tt.join %[[R]], %[[L]]
  // CHECK: tt.return %[[A]], %[[B]], %[[C]], %[[SWAPPED]]
  %ab = tt.join %a, %b : tensor<4xf32> -> tensor<4x2xf32>
  %0, %1 = tt.split %ab : tensor<4x2xf32> -> tensor<4xf32>
  %l, %r = tt.split %c : tensor<4x2xf32> -> tensor<4xf32>
  %2 = tt.join %l, %r : tensor<4xf32> -> tensor<4x2xf32>
  %3 = tt.join %r, %l : tensor<4xf32> -> tensor<4x2xf32>
  tt.return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4x2xf32>, tensor<4x2xf32>
}

// CHECK-LABEL: @pointers(
// CHECK-SAME: %[[P:.*]]: !tt.ptr<f32>, %[[PS:.*]]: tensor<8x!tt.ptr<f32>>, %[[I:.*]]: i64
tt.func @pointers(%p: !tt.ptr<f32>, %ps: tensor<8x!tt.ptr<f32>>, %i: i64) -> (!tt.ptr<f32>, tensor<8x!tt.ptr<f32>>, i64, !tt.ptr<f32>, !tt.ptr<i16>) {
  // CHECK: %[[C:.*]] = tt.bitcast %[[P]] : !tt.ptr<f32> -> !tt.ptr<i16>
  // CHECK: tt.return %[[P]], %[[PS]], %[[I]], %[[P]], %[[C]]
  %c0 = arith.constant 0 : i32
  %zeros = arith.constant dense<0> : tensor<8xi64>
  %0 = tt.addptr %p, %c0 : !tt.ptr<f32>, i32
  %1 = tt.addptr %ps, %zeros : tensor<8x!tt.ptr<f32>>, tensor<8xi64>
  %address = tt.int_to_ptr %i : i64 -> !tt.ptr<f64>
  %2 = tt.ptr_to_int %address : !tt.ptr<f64> -> i64
  %number = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
  %3 = tt.int_to_ptr %number : i64 -> !tt.ptr<f32>
  %bytes = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<i8>
  %4 = tt.bitcast %bytes : !tt.ptr<i8> -> !tt.ptr<i16>
  tt.return %0, %1, %2, %3, %4 : !tt.ptr<f32>, tensor<8x!tt.ptr<f32>>, i64, !tt.ptr<f32>, !tt.ptr<i16>
}

// CHECK-LABEL: @masks(
// CHECK-SAME: %[[PS:.*]]: tensor<8x!tt.ptr<f32>>, %[[V:.*]]: tensor<8xf32>, %[[M:.*]]: tensor<8xi1>
tt.func @masks(%ps: tensor<8x!tt.ptr<f32>>, %v: tensor<8xf32>, %m: tensor<8xi1>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  // CHECK: %[[A:.*]] = tt.load %[[PS]] cacheModifier = cg : tensor<8x!tt.ptr<f32>>
  // CHECK: %[[B:.*]] = tt.load %[[PS]], %[[M]], %[[V]] : tensor<8x!tt.ptr<f32>>
  // CHECK: tt.store %[[PS]], %[[A]] : tensor<8x!tt.ptr<f32>>
  // CHECK-NOT: tt.store
  // CHECK: tt.return %[[A]], %[[V]], %[[B]]
  %true = arith.constant dense<true> : tensor<8xi1>
  %false = arith.constant dense<false> : tensor<8xi1>
  %0 = tt.load %ps, %true, %v cacheModifier = cg : tensor<8x!tt.ptr<f32>>
  %1 = tt.load %ps, %false, %v : tensor<8x!tt.ptr<f32>>
  %2 = tt.load %ps, %m, %v : tensor<8x!tt.ptr<f32>>
  tt.store %ps, %0, %true : tensor<8x!tt.ptr<f32>>
  tt.store %ps, %0, %false : tensor<8x!tt.ptr<f32>>
  tt.return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: @reduce_one(
// CHECK-SAME: %[[X:.*]]: tensor<8x1xf32>, %[[Y:.*]]: tensor<1xf32>
tt.func @reduce_one(%x: tensor<8x1xf32>, %y: tensor<1xf32>) -> (tensor<8xf32>, f32) {
  // CHECK: %[[A:.*]] = tt.reshape %[[X]] : tensor<8x1xf32> -> tensor<8xf32>
  // CHECK: %[[B:.*]] = tt.unsplat %[[Y]]
  // CHECK: tt.return %[[A]], %[[B]]
  %0 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<8x1xf32>) -> tensor<8xf32>
  %1 = "tt.reduce"(%y) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<1xf32>) -> f32
  tt.return %0, %1 : tensor<8xf32>, f32
}

// CHECK-LABEL: @rest(
// CHECK-SAME: %[[P:.*]]: !tt.ptr<tensor<8x8xf32>>, %[[F:.*]]: f16, %[[I:.*]]: i32
tt.func @rest(%p: !tt.ptr<tensor<8x8xf32>>, %f: f16, %i: i32) -> (!tt.ptr<tensor<8x8xf32>>, f16, i32) {
  // 0xffffffff * 0x10 = 0xf_fffffff0
  // CHECK: %[[HIGH:.*]] = arith.constant 15 : i32
  // CHECK-NOT: tt.assert
  // CHECK: tt.return %[[P]], %[[F]], %[[HIGH]]
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %minus1 = arith.constant -1 : i32
  %true = arith.constant true
  tt.assert %true, "always" : i1
  %0 = tt.advance %p, [%c0, %c0] : <tensor<8x8xf32>>
  %1 = tt.fp_to_fp %f : f16 -> f16
  %2 = tt.mulhiui %minus1, %c16 : i32
  tt.return %0, %1, %2 : !tt.ptr<tensor<8x8xf32>>, f16, i32
}
