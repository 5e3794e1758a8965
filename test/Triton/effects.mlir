// RUN: triton-opt %s -cse -canonicalize | FileCheck %s

// What may be merged or removed follows from the memory effects of the operations.

// CHECK-LABEL: @loads
tt.func @loads(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) -> (f32, f32, f32) {
  // Two loads with nothing between them are one; after a store there is another; an unused one goes away.
  // CHECK: %[[A:.*]] = tt.load %{{.*}} : !tt.ptr<f32>
  // CHECK-NEXT: tt.store
  // CHECK-NEXT: %[[B:.*]] = tt.load
  // CHECK-NEXT: tt.return %[[A]], %[[A]], %[[B]]
  %0 = tt.load %p : !tt.ptr<f32>
  %1 = tt.load %p : !tt.ptr<f32>
  %unused = tt.load %q : !tt.ptr<f32>
  tt.store %q, %0 : !tt.ptr<f32>
  %2 = tt.load %p : !tt.ptr<f32>
  tt.return %0, %1, %2 : f32, f32, f32
}

// CHECK-LABEL: @volatile
tt.func @volatile(%p: !tt.ptr<f32>) -> (f32, f32) {
  // CHECK-COUNT-3: tt.load {{.*}}isVolatile = true
  %0 = tt.load %p {isVolatile = true} : !tt.ptr<f32>
  %1 = tt.load %p {isVolatile = true} : !tt.ptr<f32>
  %unused = tt.load %p {isVolatile = true} : !tt.ptr<f32>
  tt.return %0, %1 : f32, f32
}

// CHECK-LABEL: @atomics
tt.func @atomics(%p: !tt.ptr<i32>, %v: i32) {
  // CHECK-COUNT-2: tt.atomic_rmw
  // CHECK: tt.atomic_cas
  %0 = tt.atomic_rmw add, relaxed, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  %1 = tt.atomic_rmw add, relaxed, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  %2 = tt.atomic_cas relaxed, gpu, %p, %v, %v : (!tt.ptr<i32>, i32, i32) -> i32
  tt.return
}

// CHECK-LABEL: @foreign
tt.func @foreign(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: %[[A:.*]] = tt.extern_elementwise {{.*}} pure = true
  // CHECK-NEXT: tt.extern_elementwise {{.*}} pure = false
  // CHECK-NEXT: tt.elementwise_inline_asm {{.*}} pure = false
  // CHECK-NEXT: tt.return %[[A]], %[[A]]
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "f"} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "f"} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = tt.extern_elementwise %x {libname = "", libpath = "", pure = false, symbol = "f"} : (tensor<8xf32>) -> tensor<8xf32>
  %3 = tt.elementwise_inline_asm "" {constraints = "=r,r", packed_element = 1 : i32, pure = false} %x : tensor<8xf32> -> tensor<8xf32>
  tt.return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: @regions
tt.func @regions(%x: tensor<8xf32>) -> (f32, f32) {
  // CHECK-COUNT-1: "tt.reduce"
  // CHECK-NOT: "tt.reduce"
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<8xf32>) -> f32
  %1 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<8xf32>) -> f32
  // CHECK: tt.return
  tt.return %0, %1 : f32, f32
}
