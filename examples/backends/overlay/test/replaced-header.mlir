// The replaced IntegerBounds.h has the trunk's IntegerBounds.cpp look less far.
// RUN: triton-opt %s -triton-combine | FileCheck %s --check-prefix=%which

// SPEC-LABEL: @bounded
// SPEC: arith.cmpi slt
// TRUNK-LABEL: @bounded
// TRUNK: arith.constant dense<true>
// TRUNK-NOT: arith.cmpi
tt.func @bounded() -> tensor<16xi1> {
  %one = arith.constant dense<1> : tensor<16xi32>
  %limit = arith.constant dense<64> : tensor<16xi32>
  %range = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %next = arith.addi %range, %one : tensor<16xi32>
  %less = arith.cmpi slt, %next, %limit : tensor<16xi32>
  tt.return %less : tensor<16xi1>
}
