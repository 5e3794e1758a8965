// RUN: triton-opt %s -split-input-file -cpu-lower-blocks | FileCheck %s

// Four bytes are one register, the first in the low bits.
// CHECK-LABEL: func.func @bytes(
// CHECK: scf.for %{{.*}} = %c0_i64 to %c16_i64 step %c4_i64
// CHECK: arith.shli
// CHECK: arith.ori
// CHECK: %[[R:.*]] = llvm.inline_asm asm_dialect = att "notl $0", "=r,0{{.*}}" %{{.*}} : (i32) -> i32
// CHECK: arith.shrui %[[R]]
// CHECK: arith.trunci
tt.func public @bytes(%out: !tt.ptr<i8>) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %b = arith.trunci %r : tensor<16xi32> to tensor<16xi8>
  %n = tt.elementwise_inline_asm "notl $0" {constraints = "=r,0", packed_element = 4 : i32, pure = true} %b : tensor<16xi8> -> tensor<16xi8>
  %s = tt.splat %out : !tt.ptr<i8> -> tensor<16x!tt.ptr<i8>>
  %p = tt.addptr %s, %r : tensor<16x!tt.ptr<i8>>, tensor<16xi32>
  tt.store %p, %n : tensor<16x!tt.ptr<i8>>
  tt.return
}

// -----

// A vector register takes the whole group; effects are kept without a use.
// CHECK-LABEL: func.func @vector(
// CHECK: llvm.inline_asm has_side_effects asm_dialect = intel "addps $0, $0", "=x,0{{.*}}" %{{.*}} : (vector<4xf32>) -> vector<4xf32>
tt.func public @vector() {
  %c = arith.constant dense<1.0> : tensor<16xf32>
  %n = tt.elementwise_inline_asm ".intel_syntax noprefix\0Aaddps $0, $0" {constraints = "=x,0", packed_element = 4 : i32, pure = false} %c : tensor<16xf32> -> tensor<16xf32>
  tt.return
}
