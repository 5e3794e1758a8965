// RUN: triton-opt %s -mthreads-lower-to-threads=threads=32 -split-input-file -verify-diagnostics

tt.func public @assembly(%x: i32) {
  // expected-error @below {{thread lowering: operation 'tt.elementwise_inline_asm' is not supported}}
  %r = tt.elementwise_inline_asm "nop" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : i32 -> i32
  tt.return
}

// -----

tt.func public @too_large(%x: !tt.ptr<i8>) {
  // expected-error @below {{puts 4096 elements into each of 32 threads, at most 2048 are possible; use smaller blocks or more warps}}
  %xs = tt.splat %x : !tt.ptr<i8> -> tensor<131072x!tt.ptr<i8>>
  tt.return
}

// -----

// expected-error @below {{argument 0 has unsupported type}}
tt.func public @block_argument(%x: tensor<32xi32>) {
  tt.return
}
