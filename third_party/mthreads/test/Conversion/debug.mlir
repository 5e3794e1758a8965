// RUN: triton-opt %s -mthreads-lower-to-threads=threads=32 -canonicalize -cse -split-input-file | FileCheck %s

// One line for each element, written by the thread that owns it.
// CHECK: llvm.mlir.global internal constant @printed_text.0("pid (%d, %d, %d) idx (%d) 100%% x: %d\0A\00")
// CHECK: llvm.func @simt.print(!llvm.ptr, ...) -> i32
// CHECK-LABEL: func.func @prints(
// CHECK: %[[TID:.*]] = llvm.call @simt.thread_id()
// CHECK: %[[OWNER:.*]] = arith.cmpi ult, %[[TID]], %c8_i32
// CHECK: scf.if %[[OWNER]] {
// CHECK: llvm.call @simt.print(%{{.*}}) vararg(!llvm.func<i32 (ptr, ...)>)
// CHECK-NOT: llvm.call
// CHECK: return
tt.func public @prints() {
  %at = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  tt.print " 100% x: " {hex = false, isSigned = array<i32: 1>} : %at : tensor<8xi32>
  tt.return
}

// -----

// CHECK: llvm.mlir.global internal constant @printed_text.0("{{.*}}assertion `must hold` failed in pid (%d, %d, %d)\0A\00")
// CHECK-LABEL: func.func @asserts(
// CHECK-SAME: %[[BYTE:.*]]: i8
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32
// CHECK: %[[FAILS:.*]] = arith.cmpi eq, %[[BYTE]], %c0_i8
// CHECK: %[[BOTH:.*]] = arith.andi %[[FIRST]], %[[FAILS]]
// CHECK: scf.if %[[BOTH]] {
// CHECK: llvm.call @simt.print
// CHECK: llvm.call @simt.exit() : () -> ()
tt.func public @asserts(%x: i1) {
  tt.assert %x, "must hold" : i1
  tt.return
}
