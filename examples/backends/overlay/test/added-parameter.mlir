// RUN: triton-opt %s -triton-rewrite-tensor-pointer -canonicalize | FileCheck %s --check-prefix=%which

// SPEC-LABEL: @checked
// SPEC: arith.cmpi ult
// SPEC-NOT: arith.cmpi
// TRUNK-LABEL: @checked
// TRUNK: arith.cmpi sge
// TRUNK: arith.cmpi slt
tt.func @checked(%p: !tt.ptr<f32>, %n: i64, %i: i32) -> tensor<16xf32> {
  %c1 = arith.constant 1 : i64
  %ptr = tt.make_tensor_ptr %p, [%n], [%c1], [%i] {order = array<i32: 0>} : <tensor<16xf32>>
  %x = tt.load %ptr {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<16xf32>>
  tt.return %x : tensor<16xf32>
}
