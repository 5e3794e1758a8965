// RUN: triton-opt %s -split-input-file -cpu-lower-blocks | FileCheck %s

// Both values of a vector are computed before either is written. Whether the
// pointers may overlap is seen at run time; if they may, the vectors go to
// scratch memory and are stored when everything has been read.
// CHECK-LABEL: func.func @two_outputs(
// 512 bytes for each of two blocks, and the first line.
// CHECK-SAME: tt.cpu.scratch = 1088 : i64
// CHECK: %[[FINE:.*]] = arith.andi {{.*}} : i1
// CHECK: %[[OVERLAP:.*]] = arith.xori {{.*}} : i1
// CHECK: scf.for
// CHECK: llvm.load {{.*}} vector<16xf32>
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: %[[PRODUCT:.*]] = arith.mulf
// CHECK: %[[P:.*]] = arith.select %[[OVERLAP]], {{.*}} : !llvm.ptr
// CHECK: llvm.store %[[SUM]], %[[P]]
// CHECK: %[[Q:.*]] = arith.select %[[OVERLAP]], {{.*}} : !llvm.ptr
// CHECK: llvm.store %[[PRODUCT]], %[[Q]]
// CHECK: scf.if %[[OVERLAP]]
// CHECK: scf.for
// CHECK: llvm.store
// CHECK: scf.for
// CHECK: llvm.store
// CHECK-NOT: llvm.store
tt.func public @two_outputs(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<f32>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %p = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %p : tensor<128x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %q = tt.addptr %ys, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %zs = tt.splat %z : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %o = tt.addptr %zs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %sum = arith.addf %v, %v : tensor<128xf32>
  %product = arith.mulf %v, %v : tensor<128xf32>
  tt.store %q, %sum : tensor<128x!tt.ptr<f32>>
  tt.store %o, %product : tensor<128x!tt.ptr<f32>>
  tt.return
}

// -----

// The same pointers everywhere: nothing to find out.
// CHECK-LABEL: func.func @same_place_twice(
// CHECK-SAME: tt.cpu.scratch = 64 : i64
// CHECK-NOT: arith.select
// CHECK-NOT: scf.if
tt.func public @same_place_twice(%x: !tt.ptr<f32>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %p = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %p : tensor<128x!tt.ptr<f32>>
  %sum = arith.addf %v, %v : tensor<128xf32>
  %product = arith.mulf %v, %v : tensor<128xf32>
  tt.store %p, %sum : tensor<128x!tt.ptr<f32>>
  tt.store %p, %product : tensor<128x!tt.ptr<f32>>
  tt.return
}

// -----

// A load between two stores may see what the first has written. The value that
// the second needs of before is kept.
// CHECK-LABEL: func.func @load_between(
// CHECK-SAME: tt.cpu.scratch = 576 : i64
// CHECK-NOT: arith.select
tt.func public @load_between(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %p = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %q = tt.addptr %ys, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %p : tensor<128x!tt.ptr<f32>>
  tt.store %p, %v : tensor<128x!tt.ptr<f32>>
  %w = tt.load %q : tensor<128x!tt.ptr<f32>>
  %sum = arith.addf %v, %w : tensor<128xf32>
  tt.store %q, %sum : tensor<128x!tt.ptr<f32>>
  tt.return
}

// -----

// Where a pointer comes from memory nothing is known about what it meets.
// CHECK-LABEL: func.func @indirect(
// CHECK-NOT: arith.select
// CHECK-NOT: scf.if
tt.func public @indirect(%x: !tt.ptr<f32>, %i: !tt.ptr<i32>) {
  %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %is = tt.splat %i : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  %ip = tt.addptr %is, %r : tensor<128x!tt.ptr<i32>>, tensor<128xi32>
  %at = tt.load %ip : tensor<128x!tt.ptr<i32>>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %p = tt.addptr %xs, %r : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %q = tt.addptr %xs, %at : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %p : tensor<128x!tt.ptr<f32>>
  tt.store %p, %v : tensor<128x!tt.ptr<f32>>
  tt.store %q, %v : tensor<128x!tt.ptr<f32>>
  tt.return
}
