// RUN: triton-opt %s -cpu-lower-blocks=stream-bytes=1048576 | FileCheck %s
// RUN: triton-opt %s -cpu-lower-blocks | FileCheck %s --check-prefix=OFF

// OFF-NOT: nontemporal
// OFF-NOT: sfence

// Blocks of 4096 bytes: 256 programs write a megabyte.
// CHECK-LABEL: func.func @copy(
// CHECK-DAG: %[[MANY:.*]] = arith.constant 256 : i64
// CHECK: %[[MUCH:.*]] = arith.cmpi uge, %{{.*}}, %[[MANY]] : i64
// CHECK: %[[ALIGNED:.*]] = arith.cmpi eq
// CHECK: %[[STREAMS:.*]] = arith.andi %[[ALIGNED]], %[[MUCH]] : i1
// CHECK: scf.for
// CHECK: scf.if %[[STREAMS]]
// CHECK: llvm.store {{.*}} {alignment = 64 : i64, nontemporal}
// CHECK: else
// CHECK: llvm.intr.prefetch
// CHECK: llvm.store {{.*}} {alignment = 4 : i64}
// CHECK: llvm.call_intrinsic "llvm.x86.sse.sfence"
tt.func public @copy(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %p : tensor<1024x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %q = tt.addptr %ys, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %q, %v : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// What is read anyway is in the caches.
// CHECK-LABEL: func.func @in_place(
// CHECK-NOT: nontemporal
// CHECK-NOT: sfence
tt.func public @in_place(%x: !tt.ptr<f32>) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %p : tensor<1024x!tt.ptr<f32>>
  %w = arith.addf %v, %v : tensor<1024xf32>
  tt.store %p, %w : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// Who sees the flag must see what was written before it.
// CHECK-LABEL: func.func @flag(
// CHECK-NOT: nontemporal
tt.func public @flag(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %flag: !tt.ptr<i32>) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %one = arith.constant 1 : i32
  %yes = arith.constant true
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %p : tensor<1024x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %q = tt.addptr %ys, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %q, %v : tensor<1024x!tt.ptr<f32>>
  %old = tt.atomic_rmw add, acq_rel, gpu, %flag, %one, %yes : (!tt.ptr<i32>, i32, i1) -> i32
  tt.return
}
