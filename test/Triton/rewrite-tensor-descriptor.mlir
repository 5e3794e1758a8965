// RUN: triton-opt %s -triton-rewrite-tensor-descriptor-to-pointer -canonicalize -cse -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: @load_store(
// CHECK-SAME: %[[P:.*]]: !tt.ptr<f32>, %[[M:.*]]: i32, %[[N:.*]]: i32, %[[S:.*]]: i64
tt.func @load_store(%p: !tt.ptr<f32>, %m: i32, %n: i32, %stride: i64, %i: i32, %j: i32) {
  // CHECK-NOT: tt.descriptor
  // Both dimensions are checked, and what is outside reads as zero.
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<16x32xf32>
  // CHECK: tt.addptr %{{.*}}, %{{.*}} : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi64>
  // CHECK: %[[PTRS:.*]] = tt.addptr %{{.*}}, %{{.*}} : tensor<16x32x!tt.ptr<f32>>, tensor<16x32xi64>
  // CHECK-COUNT-2: arith.cmpi slt, %{{.*}}, %{{.*}}
  // CHECK: %[[X:.*]] = tt.load %[[PTRS]], %[[MASK:.*]], %[[ZERO]] cacheModifier = cg : tensor<16x32x!tt.ptr<f32>>
  // CHECK: tt.store %[[PTRS]], %[[X]], %[[MASK]] : tensor<16x32x!tt.ptr<f32>>
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%m, %n], [%stride, %one] : <f32>, <tensor<16x32xf32>>
  %x = tt.descriptor_load %d[%i, %j] cacheModifier = cg : !tt.tensordesc<tensor<16x32xf32>> -> tensor<16x32xf32>
  tt.descriptor_store %d[%i, %j], %x : !tt.tensordesc<tensor<16x32xf32>>, tensor<16x32xf32>
  tt.return
}

// -----

// CHECK-LABEL: @nan_and_rank
tt.func @nan_and_rank(%p: !tt.ptr<f32>, %m: i32, %stride: i64, %i: i32) -> tensor<32xf32> {
  // CHECK: %[[NAN:.*]] = arith.constant dense<0x7FC00000> : tensor<1x32xf32>
  // CHECK: %[[X:.*]] = tt.load %{{.*}}, %{{.*}}, %[[NAN]] : tensor<1x32x!tt.ptr<f32>>
  // CHECK: tt.reshape %[[X]] : tensor<1x32xf32> -> tensor<32xf32>
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%m, %m], [%stride, %one] {padding = 2 : i32} : <f32>, <tensor<1x32xf32>>
  %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<1x32xf32>> -> tensor<32xf32>
  tt.return %x : tensor<32xf32>
}

// -----

// CHECK-LABEL: @reduce
tt.func @reduce(%f: !tt.tensordesc<tensor<32xf32>>, %u: !tt.tensordesc<tensor<32xui32>>, %s: !tt.tensordesc<tensor<32xsi32>>, %i: i32, %v: tensor<32xf32>, %w: tensor<32xi32>) {
  // CHECK: tt.atomic_rmw fadd, relaxed, gpu, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<32x!tt.ptr<f32>>, tensor<32xf32>, tensor<32xi1>) -> tensor<32xf32>
  // CHECK: tt.atomic_rmw umax, relaxed, gpu
  // CHECK: tt.atomic_rmw min, relaxed, gpu
  // CHECK: tt.atomic_rmw xor, relaxed, gpu
  tt.descriptor_reduce add, %f[%i], %v : !tt.tensordesc<tensor<32xf32>>, tensor<32xf32>
  tt.descriptor_reduce max, %u[%i], %w : !tt.tensordesc<tensor<32xui32>>, tensor<32xi32>
  tt.descriptor_reduce min, %s[%i], %w : !tt.tensordesc<tensor<32xsi32>>, tensor<32xi32>
  tt.descriptor_reduce xor, %u[%i], %w : !tt.tensordesc<tensor<32xui32>>, tensor<32xi32>
  tt.return
}

// -----

// CHECK-LABEL: @rows
tt.func @rows(%p: !tt.ptr<i8>, %m: i32, %stride: i64, %r: tensor<8xi32>, %j: i32) {
  // CHECK: %[[R:.*]] = arith.extsi %{{.*}} : tensor<8xi32> to tensor<8xi64>
  // CHECK: tt.expand_dims %[[R]] {axis = 1 : i32}
  // CHECK: %[[X:.*]] = tt.load %[[PTRS:.*]], %[[MASK:.*]], %{{.*}} : tensor<8x32x!tt.ptr<i8>>
  // CHECK: tt.store %[[PTRS]], %[[X]], %[[MASK]] : tensor<8x32x!tt.ptr<i8>>
  %one = arith.constant 1 : i64
  %d = tt.make_tensor_descriptor %p, [%m, %m], [%stride, %one] : <i8>, <tensor<1x32xi8>>
  %x = tt.descriptor_gather %d[%r, %j] : (!tt.tensordesc<tensor<1x32xi8>>, tensor<8xi32>, i32) -> tensor<8x32xi8>
  tt.descriptor_scatter %d[%r, %j], %x : !tt.tensordesc<tensor<1x32xi8>>, tensor<8xi32>, i32, tensor<8x32xi8>
  tt.return
}

// -----

// A descriptor from outside brings its parts; the value outside of the tensor is chosen at run time.
// CHECK-LABEL: tt.func public @argument(
// CHECK-SAME: %[[P:.*]]: !tt.ptr<f32>, %[[SIZE:.*]]: i64, %[[STRIDE:.*]]: i64, %[[NAN:.*]]: i1, %[[I:.*]]: i32 {tt.divisibility = 16 : i32})
tt.func public @argument(%d: !tt.tensordesc<tensor<32xf32>>, %i: i32 {tt.divisibility = 16 : i32}) -> tensor<32xf32> {
  // CHECK: arith.select %[[NAN]]
  // CHECK: tt.load
  %x = tt.descriptor_load %d[%i] : !tt.tensordesc<tensor<32xf32>> -> tensor<32xf32>
  tt.return %x : tensor<32xf32>
}

// -----

tt.func @unsupported(%d: !tt.tensordesc<tensor<32xf32>>, %i: i32, %v: tensor<32xf32>) {
  // expected-error @+2 {{'max' on elements of type 'f32' has no atomic operation on this target}}
  // expected-error @+1 {{failed to legalize operation 'tt.descriptor_reduce' that was explicitly marked illegal}}
  tt.descriptor_reduce max, %d[%i], %v : !tt.tensordesc<tensor<32xf32>>, tensor<32xf32>
  tt.return
}
