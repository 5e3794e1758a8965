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

tt.func public @unknown(%x: !tt.ptr<f32>) {
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  // expected-error @+1 {{CPU lowering: operation 'tt.elementwise_inline_asm' is not supported}}
  %0 = tt.elementwise_inline_asm "nop" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %r : tensor<16xi32> -> tensor<16xi32>
  tt.return
}
