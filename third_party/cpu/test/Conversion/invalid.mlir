// RUN: triton-opt %s -split-input-file -cpu-lower-blocks -verify-diagnostics

// expected-error @+1 {{CPU lowering: control flow is not structured}}
tt.func public @branches(%c: i1) {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  tt.return
^bb2:
  tt.return
}

// -----

// expected-error @+1 {{CPU lowering: argument 0 has unsupported type '!tt.tensordesc<tensor<8x8xf32>>'}}
tt.func public @descriptor(%d: !tt.tensordesc<tensor<8x8xf32>>) {
  tt.return
}

// -----

tt.func public @ptx() {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  // expected-error @+1 {{CPU lowering: this inline assembly is PTX, which only NVIDIA's GPUs have}}
  %0 = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %r : tensor<16xi32> -> tensor<16xi32>
  tt.return
}

// -----

tt.func public @constraints() {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  // expected-error @+1 {{CPU lowering: inline assembly: the constraints name 1 output and 1 input, but the values fill 4 registers and 4 registers}}
  %0 = tt.elementwise_inline_asm "nop" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %r : tensor<16xi32> -> tensor<16xi32>
  tt.return
}

// -----

tt.func public @unknown(%x: !tt.ptr<f8E4M3FN>, %s: !tt.ptr<i8>) {
  %a = arith.constant dense<1.0> : tensor<16x64xf8E4M3FN>
  %b = arith.constant dense<1.0> : tensor<64x16xf8E4M3FN>
  %c = arith.constant dense<0.0> : tensor<16x16xf32>
  // expected-error @+1 {{CPU lowering: operation 'tt.dot_scaled' is not supported}}
  %0 = tt.dot_scaled %a, %b, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<16x64xf8E4M3FN> * tensor<64x16xf8E4M3FN> -> tensor<16x16xf32>
  tt.return
}
