// RUN: triton-opt %s -mthreads-lower-to-threads=threads=32 -split-input-file -verify-diagnostics

tt.func public @prints(%x: i32) {
  // expected-error @below {{thread lowering: operation 'tt.print' is not supported}}
  tt.print "x: " {hex = false, isSigned = array<i32: 1>} : %x : i32
  tt.return
}

// -----

tt.func public @asserts(%x: i1) {
  // expected-error @below {{thread lowering: operation 'tt.assert' is not supported}}
  tt.assert %x, "must hold" : i1
  tt.return
}

// -----

tt.func public @half_atomics(%x: !tt.ptr<f16>, %v: f16) {
  // expected-error @below {{thread lowering: the target has no atomic operations on 16-bit values}}
  %old = tt.atomic_rmw fadd, relaxed, gpu, %x, %v : (!tt.ptr<f16>, f16) -> f16
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
