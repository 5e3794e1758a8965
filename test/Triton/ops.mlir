// RUN: triton-opt %s | FileCheck %s
// RUN: triton-opt %s | triton-opt | FileCheck %s
// RUN: triton-opt %s --mlir-print-op-generic | triton-opt | FileCheck %s

// Text of every operation in its usual form, read and printed again.

// CHECK-LABEL: tt.func public @kernel(%{{.*}}: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %{{.*}}: i32) attributes {noinline = false} {
tt.func public @kernel(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) attributes {noinline = false} {
  // CHECK: tt.get_program_id x : i32
  %px = tt.get_program_id x : i32
  // CHECK: tt.get_program_id y : i32
  %py = tt.get_program_id y : i32
  // CHECK: tt.get_num_programs z : i32
  %nz = tt.get_num_programs z : i32
  // CHECK: tt.call @callee(%{{.*}}) : (i32) -> i32
  %r = tt.call @callee(%n) : (i32) -> i32
  // CHECK: tt.call @"mod.fn__<i32>"() : () -> ()
  tt.call @"mod.fn__<i32>"() : () -> ()
  // CHECK: tt.return
  tt.return
}

// CHECK-LABEL: tt.func private @callee(%{{.*}}: i32) -> i32 attributes {noinline = true}
tt.func private @callee(%x: i32) -> i32 attributes {noinline = true} {
  // CHECK: tt.return %{{.*}} : i32
  tt.return %x : i32
}

// CHECK: tt.func private @"mod.fn__<i32>"()
tt.func private @"mod.fn__<i32>"() {
  tt.return
}

// CHECK: tt.func private @external(i32) -> f32
tt.func private @external(i32) -> f32

// CHECK-LABEL: @shapes
tt.func @shapes(%s: f32, %p: !tt.ptr<f32>, %one: tensor<1xf32>, %m: tensor<8x4xf32>) {
  // CHECK: tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %range = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  // CHECK: tt.splat %{{.*}} : f32 -> tensor<8x1xf32>
  %splat = tt.splat %s : f32 -> tensor<8x1xf32>
  // CHECK: tt.splat %{{.*}} : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %ptrs = tt.splat %p : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  // CHECK: tt.unsplat %{{.*}} : tensor<1xf32>
  %scalar = tt.unsplat %one : tensor<1xf32>
  // CHECK: tt.expand_dims %{{.*}} {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %column = tt.expand_dims %range {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  // CHECK: tt.broadcast %{{.*}} : tensor<8x1xi32> -> tensor<8x4xi32>
  %wide = tt.broadcast %column : tensor<8x1xi32> -> tensor<8x4xi32>
  // CHECK: tt.reshape %{{.*}} : tensor<8x4xf32> -> tensor<32xf32>
  %flat = tt.reshape %m : tensor<8x4xf32> -> tensor<32xf32>
  // CHECK: tt.reshape %{{.*}} allow_reorder : tensor<8x4xf32> -> tensor<32xf32>
  %any = tt.reshape %m allow_reorder : tensor<8x4xf32> -> tensor<32xf32>
  // CHECK: tt.reshape %{{.*}} allow_reorder efficient_layout : tensor<8x4xf32> -> tensor<32xf32>
  %eff = tt.reshape %m allow_reorder efficient_layout : tensor<8x4xf32> -> tensor<32xf32>
  // CHECK: tt.trans %{{.*}} {order = array<i32: 1, 0>} : tensor<8x4xf32> -> tensor<4x8xf32>
  %trans = tt.trans %m {order = array<i32: 1, 0>} : tensor<8x4xf32> -> tensor<4x8xf32>
  // CHECK: tt.cat %{{.*}}, %{{.*}} : tensor<8x4xf32> -> tensor<16x4xf32>
  %cat = tt.cat %m, %m : tensor<8x4xf32> -> tensor<16x4xf32>
  // CHECK: tt.join %{{.*}}, %{{.*}} : tensor<8x4xf32> -> tensor<8x4x2xf32>
  %join = tt.join %m, %m : tensor<8x4xf32> -> tensor<8x4x2xf32>
  // CHECK: %{{.*}}, %{{.*}} = tt.split %{{.*}} : tensor<8x4x2xf32> -> tensor<8x4xf32>
  %lhs, %rhs = tt.split %join : tensor<8x4x2xf32> -> tensor<8x4xf32>
  // CHECK: tt.gather %{{.*}}[%{{.*}}] {axis = 0 : i32} : (tensor<8x4xf32>, tensor<8x4xi32>) -> tensor<8x4xf32>
  %gather = tt.gather %m[%wide] {axis = 0 : i32} : (tensor<8x4xf32>, tensor<8x4xi32>) -> tensor<8x4xf32>
  tt.return
}

// CHECK-LABEL: @pointers
tt.func @pointers(%p: !tt.ptr<f32>, %ps: tensor<8x!tt.ptr<f32>>, %i: i32, %is: tensor<8xi64>, %shared: !tt.ptr<f32, 3>) {
  // CHECK: tt.addptr %{{.*}}, %{{.*}} : !tt.ptr<f32>, i32
  %q = tt.addptr %p, %i : !tt.ptr<f32>, i32
  // CHECK: tt.addptr %{{.*}}, %{{.*}} : tensor<8x!tt.ptr<f32>>, tensor<8xi64>
  %qs = tt.addptr %ps, %is : tensor<8x!tt.ptr<f32>>, tensor<8xi64>
  // CHECK: tt.ptr_to_int %{{.*}} : !tt.ptr<f32> -> i64
  %a = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
  // CHECK: tt.int_to_ptr %{{.*}} : tensor<8xi64> -> tensor<8x!tt.ptr<f16>>
  %b = tt.int_to_ptr %is : tensor<8xi64> -> tensor<8x!tt.ptr<f16>>
  // CHECK: tt.bitcast %{{.*}} : !tt.ptr<f32> -> !tt.ptr<i8>
  %c = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<i8>
  // CHECK: tt.bitcast %{{.*}} : i32 -> f32
  %d = tt.bitcast %i : i32 -> f32
  tt.return
}

// CHECK-LABEL: @memory
tt.func @memory(%p: !tt.ptr<f32>, %ps: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>, %v: tensor<8xf32>, %bit: i1, %s: f32) {
  // CHECK: tt.load %{{.*}} : !tt.ptr<f32>
  %0 = tt.load %p : !tt.ptr<f32>
  // CHECK: tt.load %{{.*}}, %{{.*}}, %{{.*}} : !tt.ptr<f32>
  %1 = tt.load %p, %bit, %s : !tt.ptr<f32>
  // CHECK: tt.load %{{.*}}, %{{.*}} : tensor<8x!tt.ptr<f32>>
  %2 = tt.load %ps, %m : tensor<8x!tt.ptr<f32>>
  // CHECK: tt.load %{{.*}}, %{{.*}}, %{{.*}} cacheModifier = cg evictionPolicy = evict_last {isVolatile = true} : tensor<8x!tt.ptr<f32>>
  %3 = tt.load %ps, %m, %v cacheModifier = cg evictionPolicy = evict_last {isVolatile = true} : tensor<8x!tt.ptr<f32>>
  // CHECK: tt.store %{{.*}}, %{{.*}} : !tt.ptr<f32>
  tt.store %p, %s : !tt.ptr<f32>
  // CHECK: tt.store %{{.*}}, %{{.*}}, %{{.*}} cacheModifier = wb evictionPolicy = evict_first : tensor<8x!tt.ptr<f32>>
  tt.store %ps, %v, %m cacheModifier = wb evictionPolicy = evict_first : tensor<8x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: @atomics
tt.func @atomics(%pf: tensor<8x!tt.ptr<f32>>, %f: tensor<8xf32>, %m: tensor<8xi1>, %pi: !tt.ptr<i32>, %i: i32) {
  // CHECK: tt.atomic_rmw fadd, acq_rel, gpu, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<8x!tt.ptr<f32>>, tensor<8xf32>, tensor<8xi1>) -> tensor<8xf32>
  %0 = tt.atomic_rmw fadd, acq_rel, gpu, %pf, %f, %m : (tensor<8x!tt.ptr<f32>>, tensor<8xf32>, tensor<8xi1>) -> tensor<8xf32>
  // CHECK: tt.atomic_rmw exch, relaxed, cta, %{{.*}}, %{{.*}} : (!tt.ptr<i32>, i32) -> i32
  %1 = tt.atomic_rmw exch, relaxed, cta, %pi, %i : (!tt.ptr<i32>, i32) -> i32
  // CHECK: tt.atomic_rmw umax, acquire, sys, %{{.*}}, %{{.*}} : (!tt.ptr<i32>, i32) -> i32
  %2 = tt.atomic_rmw umax, acquire, sys, %pi, %i : (!tt.ptr<i32>, i32) -> i32
  // CHECK: tt.atomic_cas release, gpu, %{{.*}}, %{{.*}}, %{{.*}} : (!tt.ptr<i32>, i32, i32) -> i32
  %3 = tt.atomic_cas release, gpu, %pi, %i, %i : (!tt.ptr<i32>, i32, i32) -> i32
  tt.return
}

// CHECK-LABEL: @math
tt.func @math(%f: tensor<8xf32>, %h: tensor<8xf8E5M2>, %i: tensor<8xi32>) {
  // CHECK: tt.fp_to_fp %{{.*}}, rounding = rtne : tensor<8xf32> -> tensor<8xf8E4M3FN>
  %0 = tt.fp_to_fp %f, rounding = rtne : tensor<8xf32> -> tensor<8xf8E4M3FN>
  // CHECK: tt.fp_to_fp %{{.*}} : tensor<8xf8E5M2> -> tensor<8xf32>
  %1 = tt.fp_to_fp %h : tensor<8xf8E5M2> -> tensor<8xf32>
  // CHECK: tt.clampf %{{.*}}, %{{.*}}, %{{.*}}, propagateNan = none : tensor<8xf32>
  %2 = tt.clampf %f, %f, %f, propagateNan = none : tensor<8xf32>
  // CHECK: tt.clampf %{{.*}}, %{{.*}}, %{{.*}}, propagateNan = all : tensor<8xf32>
  %3 = tt.clampf %f, %f, %f, propagateNan = all : tensor<8xf32>
  // CHECK: tt.precise_sqrt %{{.*}} : tensor<8xf32>
  %4 = tt.precise_sqrt %f : tensor<8xf32>
  // CHECK: tt.precise_divf %{{.*}}, %{{.*}} : tensor<8xf32>
  %5 = tt.precise_divf %f, %f : tensor<8xf32>
  // CHECK: tt.mulhiui %{{.*}}, %{{.*}} : tensor<8xi32>
  %6 = tt.mulhiui %i, %i : tensor<8xi32>
  // CHECK: tt.extern_elementwise %{{.*}} {libname = "", libpath = "", pure = true, symbol = "tanhf"} : (tensor<8xf32>) -> tensor<8xf32>
  %7 = tt.extern_elementwise %f {libname = "", libpath = "", pure = true, symbol = "tanhf"} : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: tt.elementwise_inline_asm "mov $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %{{.*}} : tensor<8xi32> -> tensor<8xi32>
  %8 = tt.elementwise_inline_asm "mov $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %i : tensor<8xi32> -> tensor<8xi32>
  // CHECK: tt.elementwise_inline_asm "rdtsc" {constraints = "={eax}", packed_element = 1 : i32, pure = false} -> i32
  %time = tt.elementwise_inline_asm "rdtsc" {constraints = "={eax}", packed_element = 1 : i32, pure = false} -> i32
  // CHECK: tt.elementwise_inline_asm "two" {{.*}} -> tensor<8xi32>, tensor<8xf32>
  %9:2 = tt.elementwise_inline_asm "two" {constraints = "=r,=r,r,r", packed_element = 2 : i32, pure = false} %i, %f : tensor<8xi32>, tensor<8xf32> -> tensor<8xi32>, tensor<8xf32>
  tt.return
}

// CHECK-LABEL: @dots
tt.func @dots(%a: tensor<16x32xf32>, %b: tensor<32x16xf32>, %c: tensor<16x16xf32>, %ba: tensor<2x16x32xf16>, %bb: tensor<2x32x16xf16>, %bc: tensor<2x16x16xf32>, %q: tensor<16x32xi8>, %r: tensor<32x16xi8>, %sa: tensor<16x1xi8>, %sb: tensor<16x1xi8>, %packed: tensor<8x32xi8>, %acc: tensor<16x16xi32>) {
  // CHECK: tt.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x32xf32> * tensor<32x16xf32> -> tensor<16x16xf32>
  %0 = tt.dot %a, %b, %c : tensor<16x32xf32> * tensor<32x16xf32> -> tensor<16x16xf32>
  // CHECK: tt.dot %{{.*}}, %{{.*}}, %{{.*}}, inputPrecision = tf32 {maxNumImpreciseAcc = 16 : i32} : tensor<16x32xf32> * tensor<32x16xf32> -> tensor<16x16xf32>
  %1 = tt.dot %a, %b, %c, inputPrecision = tf32 {maxNumImpreciseAcc = 16 : i32} : tensor<16x32xf32> * tensor<32x16xf32> -> tensor<16x16xf32>
  // CHECK: tt.dot {{.*}} : tensor<2x16x32xf16> * tensor<2x32x16xf16> -> tensor<2x16x16xf32>
  %2 = tt.dot %ba, %bb, %bc : tensor<2x16x32xf16> * tensor<2x32x16xf16> -> tensor<2x16x16xf32>
  // CHECK: tt.dot {{.*}} : tensor<16x32xi8> * tensor<32x16xi8> -> tensor<16x16xi32>
  %3 = tt.dot %q, %r, %acc : tensor<16x32xi8> * tensor<32x16xi8> -> tensor<16x16xi32>
  // CHECK: tt.dot_scaled %{{.*}} scale %{{.*}}, %{{.*}} scale %{{.*}}, %{{.*}} lhs = e4m3 rhs = e5m2 {fastMath = false} : tensor<16x32xi8>, tensor<16x1xi8> * tensor<32x16xi8>, tensor<16x1xi8> -> tensor<16x16xf32>
  %4 = tt.dot_scaled %q scale %sa, %r scale %sb, %c lhs = e4m3 rhs = e5m2 {fastMath = false} : tensor<16x32xi8>, tensor<16x1xi8> * tensor<32x16xi8>, tensor<16x1xi8> -> tensor<16x16xf32>
  // CHECK: tt.dot_scaled %{{.*}}, %{{.*}} scale %{{.*}}, %{{.*}} lhs = e2m1 rhs = e5m2 {fastMath = true, lhs_k_pack = false} : tensor<8x32xi8> * tensor<32x16xi8>, tensor<16x1xi8> -> tensor<16x16xf32>
  %5 = tt.dot_scaled %packed, %r scale %sb, %c lhs = e2m1 rhs = e5m2 {fastMath = true, lhs_k_pack = false} : tensor<8x32xi8> * tensor<32x16xi8>, tensor<16x1xi8> -> tensor<16x16xf32>
  tt.return
}

// CHECK-LABEL: @regions
tt.func @regions(%x: tensor<8x4xf32>, %i: tensor<8x4xi32>, %v: tensor<8xi32>, %m: tensor<8xi1>) {
  // CHECK: "tt.reduce"(%{{.*}}) <{axis = 0 : i32}> ({
  // CHECK: tt.reduce.return %{{.*}} : f32
  // CHECK: }) : (tensor<8x4xf32>) -> tensor<4xf32>
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<8x4xf32>) -> tensor<4xf32>
  // CHECK: "tt.reduce"(%{{.*}}, %{{.*}}) <{axis = 1 : i32}> ({
  // CHECK: }) : (tensor<8x4xf32>, tensor<8x4xi32>) -> (tensor<8xf32>, tensor<8xi32>)
  %1:2 = "tt.reduce"(%x, %i) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    tt.reduce.return %a, %bi : f32, i32
  }) : (tensor<8x4xf32>, tensor<8x4xi32>) -> (tensor<8xf32>, tensor<8xi32>)
  // CHECK: "tt.reduce"
  // CHECK: }) : (tensor<8xi32>) -> i32
  %2 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tt.reduce.return %s : i32
  }) : (tensor<8xi32>) -> i32
  // CHECK: "tt.scan"(%{{.*}}) <{axis = 1 : i32, reverse = false}> ({
  // CHECK: tt.scan.return %{{.*}} : f32
  // CHECK: }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %3 = "tt.scan"(%x) <{axis = 1 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.mulf %a, %b : f32
    tt.scan.return %s : f32
  }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  // CHECK: "tt.map_elementwise"(%{{.*}}) <{pack = 2 : i32}> ({
  // CHECK: tt.map_elementwise.return %{{.*}}, %{{.*}} : f32, f32
  // CHECK: }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %4 = "tt.map_elementwise"(%x) <{pack = 2 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.map_elementwise.return %b, %a : f32, f32
  }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  // CHECK: tt.histogram %{{.*}} : tensor<8xi32> -> tensor<4xi32>
  %5 = tt.histogram %v : tensor<8xi32> -> tensor<4xi32>
  // CHECK: tt.histogram %{{.*}}, %{{.*}} : tensor<8xi32> -> tensor<4xi32>
  %6 = tt.histogram %v, %m : tensor<8xi32> -> tensor<4xi32>
  tt.return
}

// CHECK-LABEL: @debug
tt.func @debug(%v: tensor<8xi32>, %c: tensor<8xi1>, %s: i1) {
  // CHECK: tt.print " x: " {hex = false, isSigned = array<i32: 1>} : %{{.*}} : tensor<8xi32>
  tt.print " x: " {hex = false, isSigned = array<i32: 1>} : %v : tensor<8xi32>
  // CHECK: tt.print "hello" {hex = true, isSigned = array<i32>}
  tt.print "hello" {hex = true, isSigned = array<i32>}
  // CHECK: tt.assert %{{.*}}, "must hold" : tensor<8xi1>
  tt.assert %c, "must hold" : tensor<8xi1>
  // CHECK: tt.assert %{{.*}}, "here too" : i1
  tt.assert %s, "here too" : i1
  tt.return
}

// CHECK-LABEL: @block_pointers
tt.func @block_pointers(%p: !tt.ptr<f32>, %n: i64, %i: i32, %v: tensor<32x32xf32>) {
  // CHECK: tt.make_tensor_ptr %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] {order = array<i32: 1, 0>} : <tensor<32x32xf32>>
  %0 = tt.make_tensor_ptr %p, [%n, %n], [%n, %n], [%i, %i] {order = array<i32: 1, 0>} : <tensor<32x32xf32>>
  // CHECK: tt.advance %{{.*}}, [%{{.*}}, %{{.*}}] : <tensor<32x32xf32>>
  %1 = tt.advance %0, [%i, %i] : <tensor<32x32xf32>>
  // CHECK: tt.load %{{.*}} {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<32x32xf32>>
  %2 = tt.load %1 {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<32x32xf32>>
  // CHECK: tt.store %{{.*}}, %{{.*}} {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<32x32xf32>>
  tt.store %1, %v {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<32x32xf32>>
  tt.return
}

// CHECK-LABEL: @descriptors
tt.func @descriptors(%p: !tt.ptr<f32>, %m: i32, %s: i64, %v: tensor<32x32xf32>, %rows: tensor<8xi32>, %q: !tt.ptr<i8>) {
  // CHECK: tt.make_tensor_descriptor %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] : <f32>, <tensor<32x32xf32>>
  %0 = tt.make_tensor_descriptor %p, [%m, %m], [%s, %s] : <f32>, <tensor<32x32xf32>>
  // CHECK: tt.make_tensor_descriptor %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] {padding = 2 : i32} : <f32>, <tensor<1x32xf32>>
  %1 = tt.make_tensor_descriptor %p, [%m, %m], [%s, %s] {padding = 2 : i32} : <f32>, <tensor<1x32xf32>>
  // CHECK: tt.make_tensor_descriptor {{.*}} : <i8>, <tensor<32xui8>>
  %2 = tt.make_tensor_descriptor %q, [%m], [%s] : <i8>, <tensor<32xui8>>
  // CHECK: tt.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}] : !tt.tensordesc<tensor<32x32xf32>> -> tensor<32x32xf32>
  %3 = tt.descriptor_load %0[%m, %m] : !tt.tensordesc<tensor<32x32xf32>> -> tensor<32x32xf32>
  // CHECK: tt.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}] cacheModifier = ca evictionPolicy = evict_first : !tt.tensordesc<tensor<32x32xf32>> -> tensor<32x32xf32>
  %4 = tt.descriptor_load %0[%m, %m] cacheModifier = ca evictionPolicy = evict_first : !tt.tensordesc<tensor<32x32xf32>> -> tensor<32x32xf32>
  // CHECK: tt.descriptor_load {{.*}} : !tt.tensordesc<tensor<32xui8>> -> tensor<32xi8>
  %5 = tt.descriptor_load %2[%m] : !tt.tensordesc<tensor<32xui8>> -> tensor<32xi8>
  // CHECK: tt.descriptor_load {{.*}} : !tt.tensordesc<tensor<1x32xf32>> -> tensor<32xf32>
  %6 = tt.descriptor_load %1[%m, %m] : !tt.tensordesc<tensor<1x32xf32>> -> tensor<32xf32>
  // CHECK: tt.descriptor_store %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<tensor<32x32xf32>>, tensor<32x32xf32>
  tt.descriptor_store %0[%m, %m], %v : !tt.tensordesc<tensor<32x32xf32>>, tensor<32x32xf32>
  // CHECK: tt.descriptor_reduce add, %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<tensor<32x32xf32>>, tensor<32x32xf32>
  tt.descriptor_reduce add, %0[%m, %m], %v : !tt.tensordesc<tensor<32x32xf32>>, tensor<32x32xf32>
  // CHECK: tt.descriptor_gather %{{.*}}[%{{.*}}, %{{.*}}] : (!tt.tensordesc<tensor<1x32xf32>>, tensor<8xi32>, i32) -> tensor<8x32xf32>
  %7 = tt.descriptor_gather %1[%rows, %m] : (!tt.tensordesc<tensor<1x32xf32>>, tensor<8xi32>, i32) -> tensor<8x32xf32>
  // CHECK: tt.descriptor_scatter %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<tensor<1x32xf32>>, tensor<8xi32>, i32, tensor<8x32xf32>
  tt.descriptor_scatter %1[%rows, %m], %7 : !tt.tensordesc<tensor<1x32xf32>>, tensor<8xi32>, i32, tensor<8x32xf32>
  tt.return
}
