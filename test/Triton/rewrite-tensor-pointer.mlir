// RUN: triton-opt %s -triton-rewrite-tensor-pointer -canonicalize -cse | FileCheck %s

// CHECK-LABEL: @load_store(
// CHECK-SAME: %[[P:.*]]: !tt.ptr<f32>, %[[M:.*]]: i64, %[[N:.*]]: i64, %[[S:.*]]: i64, %[[I:.*]]: i32, %[[J:.*]]: i32
tt.func @load_store(%p: !tt.ptr<f32>, %m: i64, %n: i64, %stride: i64, %i: i32, %j: i32) {
  // CHECK-NOT: !tt.ptr<tensor
  // Rows start at %i; they are checked, columns are not.
  // CHECK-DAG: %[[I64:.*]] = arith.extsi %[[I]] : i32 to i64
  // CHECK-DAG: %[[J64:.*]] = arith.extsi %[[J]] : i32 to i64
  // CHECK-DAG: %[[R:.*]] = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  // CHECK-DAG: %[[C:.*]] = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  // CHECK: %[[STRIDES:.*]] = tt.splat %[[S]] : i64 -> tensor<16x1xi64>
  // CHECK: arith.muli %{{.*}}, %[[STRIDES]] : tensor<16x1xi64>
  // CHECK: tt.addptr %{{.*}}, %{{.*}} : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi64>
  // CHECK: %[[PTRS:.*]] = tt.addptr %{{.*}}, %{{.*}} : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi64>
  // CHECK: %[[SIZES:.*]] = tt.splat %[[M]] : i64 -> tensor<16x1xi64>
  // CHECK: arith.cmpi sge, %{{.*}}, %{{.*}} : tensor<16x1xi64>
  // CHECK: arith.cmpi slt, %{{.*}}, %[[SIZES]] : tensor<16x1xi64>
  // CHECK: %[[MASK:.*]] = tt.broadcast %{{.*}} : tensor<16x1xi1> -> tensor<16x32xi1>
  // CHECK: %[[X:.*]] = tt.load %[[PTRS]], %[[MASK]], %{{.*}} cacheModifier = cg evictionPolicy = evict_last : tensor<16x32x!tt.ptr<f32>>
  // CHECK: tt.store %[[PTRS]], %[[X]] cacheModifier = cs : tensor<16x32x!tt.ptr<f32>>
  %c1 = arith.constant 1 : i64
  %ptr = tt.make_tensor_ptr %p, [%m, %n], [%stride, %c1], [%i, %j] {order = array<i32: 1, 0>} : <tensor<16x32xf32>>
  %x = tt.load %ptr cacheModifier = cg evictionPolicy = evict_last {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<16x32xf32>>
  tt.store %ptr, %x cacheModifier = cs : !tt.ptr<tensor<16x32xf32>>
  tt.return
}

// CHECK-LABEL: @padding
tt.func @padding(%p: !tt.ptr<f16>, %n: i64, %i: i32) -> (tensor<16xf16>, tensor<16xf16>) {
  // NaN where asked for, nothing where no padding is given.
  // CHECK: %[[NAN:.*]] = arith.constant dense<0x7E00> : tensor<16xf16>
  // CHECK: tt.load %{{.*}}, %[[MASK:.*]], %[[NAN]] : tensor<16x!tt.ptr<f16>>
  // CHECK: tt.load %{{.*}}, %[[MASK]] : tensor<16x!tt.ptr<f16>>
  %c1 = arith.constant 1 : i64
  %ptr = tt.make_tensor_ptr %p, [%n], [%c1], [%i] {order = array<i32: 0>} : <tensor<16xf16>>
  %0 = tt.load %ptr {boundaryCheck = array<i32: 0>, padding = 2 : i32} : !tt.ptr<tensor<16xf16>>
  %1 = tt.load %ptr {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<16xf16>>
  tt.return %0, %1 : tensor<16xf16>, tensor<16xf16>
}

// CHECK-LABEL: @loop(
// CHECK-SAME: %[[P:.*]]: !tt.ptr<f32>, %[[N:.*]]: i64, %[[K:.*]]: i32
tt.func @loop(%p: !tt.ptr<f32>, %n: i64, %k: i32) -> tensor<16xf32> {
  // Of the parts of the pointer only the offset changes.
  // CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[OFFSET:.*]] = %{{.*}}) -> (tensor<16xf32>, i32)
  // CHECK: arith.extsi %[[OFFSET]] : i32 to i64
  // CHECK: tt.load
  // CHECK: %[[NEXT:.*]] = arith.addi %[[OFFSET]], %{{.*}} : i32
  // CHECK: scf.yield %{{.*}}, %[[NEXT]] : tensor<16xf32>, i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %ptr = tt.make_tensor_ptr %p, [%n], [%one], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %0:2 = scf.for %i = %c0 to %k step %c1 iter_args(%acc = %zero, %q = %ptr) -> (tensor<16xf32>, !tt.ptr<tensor<16xf32>>) : i32 {
    %x = tt.load %q {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<16xf32>>
    %sum = arith.addf %acc, %x : tensor<16xf32>
    %next = tt.advance %q, [%c16] : <tensor<16xf32>>
    scf.yield %sum, %next : tensor<16xf32>, !tt.ptr<tensor<16xf32>>
  }
  tt.return %0#0 : tensor<16xf32>
}

// CHECK-LABEL: @while
tt.func @while(%p: !tt.ptr<i32>, %n: i64) -> tensor<16xi32> {
  // CHECK-NOT: !tt.ptr<tensor
  // CHECK: scf.while
  // CHECK: scf.condition
  // CHECK: tt.load
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %one = arith.constant 1 : i64
  %ptr = tt.make_tensor_ptr %p, [%n], [%one], [%c0] {order = array<i32: 0>} : <tensor<16xi32>>
  %0:2 = scf.while (%i = %c0, %q = %ptr) : (i32, !tt.ptr<tensor<16xi32>>) -> (i32, !tt.ptr<tensor<16xi32>>) {
    %c = arith.cmpi slt, %i, %c16 : i32
    scf.condition(%c) %i, %q : i32, !tt.ptr<tensor<16xi32>>
  } do {
  ^bb0(%i: i32, %q: !tt.ptr<tensor<16xi32>>):
    %next = tt.advance %q, [%c16] : <tensor<16xi32>>
    %j = arith.addi %i, %c16 : i32
    scf.yield %j, %next : i32, !tt.ptr<tensor<16xi32>>
  }
  %x = tt.load %0#1 : !tt.ptr<tensor<16xi32>>
  tt.return %x : tensor<16xi32>
}

// CHECK-LABEL: @branch(
// CHECK-SAME: %[[COND:.*]]: i1, %[[P:.*]]: !tt.ptr<f32>, %[[Q:.*]]: !tt.ptr<f32>
tt.func @branch(%c: i1, %p: !tt.ptr<f32>, %q: !tt.ptr<f32>, %n: i64) -> (tensor<16xf32>, tensor<16xf32>) {
  // CHECK: %[[BASE:.*]] = arith.select %[[COND]], %[[P]], %[[Q]] : !tt.ptr<f32>
  // CHECK: tt.splat %[[BASE]]
  // CHECK-NOT: scf.if
  %c0 = arith.constant 0 : i32
  %one = arith.constant 1 : i64
  %pp = tt.make_tensor_ptr %p, [%n], [%one], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %qq = tt.make_tensor_ptr %q, [%n], [%one], [%c0] {order = array<i32: 0>} : <tensor<16xf32>>
  %r = scf.if %c -> !tt.ptr<tensor<16xf32>> {
    scf.yield %pp : !tt.ptr<tensor<16xf32>>
  } else {
    scf.yield %qq : !tt.ptr<tensor<16xf32>>
  }
  %s = arith.select %c, %pp, %qq : !tt.ptr<tensor<16xf32>>
  %x = tt.load %r : !tt.ptr<tensor<16xf32>>
  %y = tt.load %s : !tt.ptr<tensor<16xf32>>
  tt.return %x, %y : tensor<16xf32>, tensor<16xf32>
}

// CHECK-LABEL: tt.func private @callee(%{{.*}}: i32 {tt.divisibility = 16 : i32}, %{{.*}}: !tt.ptr<f32>, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i32) -> (!tt.ptr<f32>, i64, i64, i32)
tt.func private @callee(%n: i32 {tt.divisibility = 16 : i32}, %p: !tt.ptr<tensor<16xf32>>) -> !tt.ptr<tensor<16xf32>> attributes {noinline = true} {
  // CHECK: tt.return %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : !tt.ptr<f32>, i64, i64, i32
  %0 = tt.advance %p, [%n] : <tensor<16xf32>>
  tt.return %0 : !tt.ptr<tensor<16xf32>>
}

// CHECK-LABEL: @caller
tt.func @caller(%p: !tt.ptr<f32>, %n: i64, %i: i32) -> tensor<16xf32> {
  // CHECK: %[[R:.*]]:4 = tt.call @callee(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (i32, !tt.ptr<f32>, i64, i64, i32) -> (!tt.ptr<f32>, i64, i64, i32)
  // CHECK: arith.extsi %[[R]]#3
  // CHECK: tt.splat %[[R]]#0
  %one = arith.constant 1 : i64
  %ptr = tt.make_tensor_ptr %p, [%n], [%one], [%i] {order = array<i32: 0>} : <tensor<16xf32>>
  %moved = tt.call @callee(%i, %ptr) : (i32, !tt.ptr<tensor<16xf32>>) -> !tt.ptr<tensor<16xf32>>
  %x = tt.load %moved : !tt.ptr<tensor<16xf32>>
  tt.return %x : tensor<16xf32>
}
