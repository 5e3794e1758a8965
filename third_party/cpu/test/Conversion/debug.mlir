// RUN: triton-opt %s -split-input-file -cpu-lower-blocks | FileCheck %s

// One call per element; the colon and the blanks of the prefix are the
// runtime's. Printing kernels are blocking: they hold a lock.
// CHECK-DAG: llvm.mlir.global internal constant @tt.text.0("x\00")
// CHECK-DAG: llvm.mlir.global internal constant @tt.shape.0(dense<16> : tensor<1xi64>)
// CHECK-LABEL: func.func @print(
// CHECK-SAME: tt.cpu.blocking
// CHECK: scf.for %{{.*}} = %c0_i64 to %c16_i64 step %c1_i64
// CHECK: llvm.call @triton_cpu_print
tt.func public @print() {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  tt.print " x: " {hex = false, isSigned = array<i32: 1>} : %r : tensor<16xi32>
  tt.return
}

// -----

// CHECK-LABEL: func.func @assert(
// CHECK: scf.if
// CHECK: llvm.call @triton_cpu_assert_fail
tt.func public @assert(%n: i32) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %s = tt.splat %n : i32 -> tensor<16xi32>
  %c = arith.cmpi slt, %r, %s : tensor<16xi32>
  tt.assert %c, "too many" : tensor<16xi1>
  tt.return
}

// -----

// What is counted may be a constant and the code may be inside of a branch.
// CHECK-LABEL: func.func @histogram(
// CHECK: scf.if
// CHECK: llvm.intr.memset
// CHECK: arith.cmpi ult
tt.func public @histogram(%x: !tt.ptr<i32>, %n: i1) {
  %zero = arith.constant dense<0> : tensor<64xi32>
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %p = tt.addptr %xs, %r : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  scf.if %n {
    %h = tt.histogram %zero : tensor<64xi32> -> tensor<16xi32>
    tt.store %p, %h : tensor<16x!tt.ptr<i32>>
  }
  tt.return
}

// -----

// A condition is looked at a vector at a time, and loads may be repeated behind
// it: a check writes no memory of the kernel.
// CHECK-LABEL: func.func @checked_load(
// CHECK: scf.for
// CHECK: llvm.load {{.*}} -> vector<16xi32>
// CHECK: vector.reduction <or>
// CHECK-NEXT: scf.if
// CHECK: llvm.call @triton_cpu_assert_fail
// CHECK: scf.for
// CHECK: llvm.load {{.*}} -> vector<16xi32>
// CHECK-NOT: llvm.load
// CHECK: llvm.store
tt.func public @checked_load(%x: !tt.ptr<i32>) {
  %limit = arith.constant dense<9> : tensor<64xi32>
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %p = tt.addptr %xs, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<i32>>
  %holds = arith.cmpi slt, %v, %limit : tensor<64xi32>
  tt.assert %holds, "small" : tensor<64xi1>
  tt.store %p, %v : tensor<64x!tt.ptr<i32>>
  tt.return
}
