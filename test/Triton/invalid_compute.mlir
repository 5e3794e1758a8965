// RUN: triton-opt %s -verify-diagnostics -split-input-file

// As invalid.mlir, for arithmetic, dots, operations with regions and tensor descriptors.

tt.func @rounding(%x: tensor<8xf16>) {
  // expected-error @below {{rounding applies to narrowing conversions only, got 'tensor<8xf16>' to 'tensor<8xf32>'}}
  %0 = tt.fp_to_fp %x, rounding = rtz : tensor<8xf16> -> tensor<8xf32>
  tt.return
}

// -----

tt.func @fp_to_fp_shape(%x: tensor<8xf16>) {
  // expected-error @below {{failed to verify that src and result have the same shape}}
  %0 = tt.fp_to_fp %x : tensor<8xf16> -> tensor<4xf32>
  tt.return
}

// -----

tt.func @mulhi_type(%x: f32) {
  // expected-error @below {{operand #0 must be integer or tensor of integers, but got 'f32'}}
  %0 = tt.mulhiui %x, %x : f32
  tt.return
}

// -----

tt.func @dot_rank(%a: tensor<16xf32>, %c: tensor<16x16xf32>) {
  // expected-error @below {{operands must all have rank 2 or all have rank 3, got 'tensor<16xf32>', 'tensor<16xf32>' and 'tensor<16x16xf32>'}}
  %0 = tt.dot %a, %a, %c : tensor<16xf32> * tensor<16xf32> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @dot_batch(%a: tensor<2x16x16xf32>, %b: tensor<4x16x16xf32>) {
  // expected-error @below {{batch sizes differ: 2, 4 and 2}}
  %0 = tt.dot %a, %b, %a : tensor<2x16x16xf32> * tensor<4x16x16xf32> -> tensor<2x16x16xf32>
  tt.return
}

// -----

tt.func @dot_depth(%a: tensor<16x32xf32>, %c: tensor<16x16xf32>) {
  // expected-error @below {{inner sizes differ: 'tensor<16x32xf32>' has 32 columns, 'tensor<16x16xf32>' has 16 rows}}
  %0 = tt.dot %a, %c, %c : tensor<16x32xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @dot_result(%a: tensor<16x32xf32>, %b: tensor<32x16xf32>, %c: tensor<16x32xf32>) {
  // expected-error @below {{product of the operands is 16x16, but the accumulator is 'tensor<16x32xf32>'}}
  %0 = tt.dot %a, %b, %c : tensor<16x32xf32> * tensor<32x16xf32> -> tensor<16x32xf32>
  tt.return
}

// -----

tt.func @dot_elements(%a: tensor<16x16xf16>, %b: tensor<16x16xbf16>, %c: tensor<16x16xf32>) {
  // expected-error @below {{operands must have the same element type, got 'f16' and 'bf16'}}
  %0 = tt.dot %a, %b, %c : tensor<16x16xf16> * tensor<16x16xbf16> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @dot_accumulator(%a: tensor<16x16xi8>, %c: tensor<16x16xf32>) {
  // expected-error @below {{cannot accumulate products of 'i8' in 'f32'}}
  %0 = tt.dot %a, %a, %c : tensor<16x16xi8> * tensor<16x16xi8> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @dot_scaled_depth(%a: tensor<16x32xi8>, %b: tensor<32x16xi8>, %c: tensor<16x16xf32>) {
  // expected-error @below {{inner sizes differ: lhs has 64 unpacked columns, rhs 32 unpacked rows}}
  %0 = tt.dot_scaled %a, %b, %c lhs = e2m1 rhs = e5m2 {fastMath = false} : tensor<16x32xi8> * tensor<32x16xi8> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @dot_scaled_scale(%a: tensor<16x32xi8>, %s: tensor<8x1xi8>, %b: tensor<32x16xi8>, %c: tensor<16x16xf32>) {
  // expected-error @below {{lhs scale must have rank 2 and 16 rows, got 'tensor<8x1xi8>'}}
  %0 = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = e5m2 {fastMath = false} : tensor<16x32xi8>, tensor<8x1xi8> * tensor<32x16xi8> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @dot_scaled_groups(%a: tensor<16x32xi8>, %s: tensor<16x64xi8>, %b: tensor<32x16xi8>, %c: tensor<16x16xf32>) {
  // expected-error @below {{rhs scale has 64 columns, which do not divide the depth 32}}
  %0 = tt.dot_scaled %a, %b scale %s, %c lhs = e4m3 rhs = e5m2 {fastMath = false} : tensor<16x32xi8> * tensor<32x16xi8>, tensor<16x64xi8> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @asm_pack(%x: tensor<8xi8>) {
  // expected-error @below {{cannot pack 16 elements at a time of 'tensor<8xi8>'}}
  %0 = tt.elementwise_inline_asm "" {constraints = "=r,r", packed_element = 16 : i32, pure = true} %x : tensor<8xi8> -> tensor<8xi8>
  tt.return
}

// -----

tt.func @asm_pack_zero(%x: tensor<8xi8>) {
  // expected-error @below {{packed_element must be at least 1, got 0}}
  %0 = tt.elementwise_inline_asm "" {constraints = "=r,r", packed_element = 0 : i32, pure = true} %x : tensor<8xi8> -> tensor<8xi8>
  tt.return
}

// -----

tt.func @asm_shapes(%x: tensor<8xi8>) {
  // expected-error @below {{all non-scalar operands/results must have the same shape and base type}}
  %0 = tt.elementwise_inline_asm "" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<8xi8> -> tensor<16xi8>
  tt.return
}

// -----

tt.func @asm_tensor_of_nothing() {
  // expected-error @below {{if a result is non-scalar, then at least one operand must be non-scalar}}
  %0 = tt.elementwise_inline_asm "" {constraints = "=r", packed_element = 1 : i32, pure = true} -> tensor<8xi8>
  tt.return
}

// -----

tt.func @asm_no_result(%x: i32) {
  // expected-error @below {{needs at least one result}}
  "tt.elementwise_inline_asm"(%x) <{asm_string = "", constraints = "r", packed_element = 1 : i32, pure = true}> : (i32) -> ()
  tt.return
}

// -----

tt.func @reduce_axis(%x: tensor<8xf32>) {
  // expected-error @below {{'tt.reduce' axis must be in 0..0 for 'tensor<8xf32>', got 1}}
  %0 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a : f32
  }) : (tensor<8xf32>) -> f32
  tt.return
}

// -----

tt.func @reduce_result(%x: tensor<8x4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<8xf32>' are incompatible with return type(s) of operation 'tensor<4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a : f32
  }) : (tensor<8x4xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @reduce_arguments(%x: tensor<8xf32>) {
  // expected-error @below {{region must take arguments of types ('f32', 'f32'), got ('f32')}}
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32):
    tt.reduce.return %a : f32
  }) : (tensor<8xf32>) -> f32
  tt.return
}

// -----

tt.func @reduce_return(%x: tensor<8xf32>) {
  // expected-error @below {{region must return values of types ('f32'), got ('f32', 'f32')}}
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a, %b : f32, f32
  }) : (tensor<8xf32>) -> f32
  tt.return
}

// -----

tt.func @reduce_terminator(%x: tensor<8xf32>) {
  // expected-error @below {{region must end in tt.reduce.return}}
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    "llvm.return"(%a) : (f32) -> ()
  }) : (tensor<8xf32>) -> f32
  tt.return
}

// -----

tt.func @scan_axis(%x: tensor<8xf32>) {
  // expected-error @below {{'tt.scan' axis must be in 0..0 for 'tensor<8xf32>', got -1}}
  %0 = "tt.scan"(%x) <{axis = -1 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    tt.scan.return %a : f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @map_pack(%x: tensor<8xf32>) {
  // expected-error @below {{cannot pack 16 elements at a time of 'tensor<8xf32>'}}
  %0 = "tt.map_elementwise"(%x) <{pack = 16 : i32}> ({
  ^bb0(%a: f32):
    tt.map_elementwise.return %a : f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @map_arguments(%x: tensor<8xf32>) {
  // expected-error @below {{region must take arguments of types ('f32', 'f32'), got ('f32')}}
  %0 = "tt.map_elementwise"(%x) <{pack = 2 : i32}> ({
  ^bb0(%a: f32):
    tt.map_elementwise.return %a, %a : f32, f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @map_return(%x: tensor<8xf32>) {
  // expected-error @below {{region must return values of types ('f32', 'f32'), got ('f32')}}
  %0 = "tt.map_elementwise"(%x) <{pack = 2 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.map_elementwise.return %a : f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @histogram_rank(%x: tensor<8x8xi32>) {
  // expected-error @below {{operand and result must have one dimension, got 'tensor<8x8xi32>' and 'tensor<8xi32>'}}
  %0 = tt.histogram %x : tensor<8x8xi32> -> tensor<8xi32>
  tt.return
}

// -----

tt.func @descriptor_rank(%p: !tt.ptr<f32>, %n: i32, %s: i64) {
  // expected-error @below {{has 1 sizes and strides, but the block 'tensor<8x8xf32>' has rank 2}}
  %0 = tt.make_tensor_descriptor %p, [%n], [%s] : <f32>, <tensor<8x8xf32>>
  tt.return
}

// -----

tt.func @descriptor_base(%p: !tt.ptr<f16>, %n: i32, %s: i64) {
  // expected-error @below {{failed to verify that base points to the element type of the block}}
  %0 = tt.make_tensor_descriptor %p, [%n], [%s] : <f16>, <tensor<8xf32>>
  tt.return
}

// -----

tt.func @descriptor_indices(%d: !tt.tensordesc<tensor<8x8xf32>>, %i: i32) {
  // expected-error @below {{has 1 indices, but the block 'tensor<8x8xf32>' has rank 2}}
  %0 = tt.descriptor_load %d[%i] : !tt.tensordesc<tensor<8x8xf32>> -> tensor<8x8xf32>
  tt.return
}

// -----

tt.func @descriptor_element(%d: !tt.tensordesc<tensor<8x8xf32>>, %i: i32) {
  // expected-error @below {{value has element type 'f16', but the descriptor has 'f32'}}
  %0 = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<8x8xf32>> -> tensor<8x8xf16>
  tt.return
}

// -----

tt.func @descriptor_shape(%d: !tt.tensordesc<tensor<8x8xf32>>, %i: i32, %v: tensor<8xf32>) {
  // expected-error @below {{value of type 'tensor<8xf32>' does not fit the block 'tensor<8x8xf32>'}}
  tt.descriptor_store %d[%i, %i], %v : !tt.tensordesc<tensor<8x8xf32>>, tensor<8xf32>
  tt.return
}

// -----

tt.func @descriptor_reduce(%d: !tt.tensordesc<tensor<8xf32>>, %i: i32, %v: tensor<8xf32>) {
  // expected-error @below {{'xor' needs integers, got 'tensor<8xf32>'}}
  tt.descriptor_reduce xor, %d[%i], %v : !tt.tensordesc<tensor<8xf32>>, tensor<8xf32>
  tt.return
}

// -----

tt.func @descriptor_gather_block(%d: !tt.tensordesc<tensor<8x8xf32>>, %r: tensor<8xi32>, %i: i32) {
  // expected-error @below {{descriptor must have a block of one row, got 'tensor<8x8xf32>'}}
  %0 = tt.descriptor_gather %d[%r, %i] : (!tt.tensordesc<tensor<8x8xf32>>, tensor<8xi32>, i32) -> tensor<8x8xf32>
  tt.return
}

// -----

tt.func @descriptor_gather_rows(%d: !tt.tensordesc<tensor<1x8xf32>>, %r: tensor<8x1xi32>, %i: i32) {
  // expected-error @below {{row indices must have rank 1, got 'tensor<8x1xi32>'}}
  %0 = tt.descriptor_gather %d[%r, %i] : (!tt.tensordesc<tensor<1x8xf32>>, tensor<8x1xi32>, i32) -> tensor<8x8xf32>
  tt.return
}

// -----

tt.func @descriptor_scatter(%d: !tt.tensordesc<tensor<1x8xf32>>, %r: tensor<8xi32>, %i: i32, %v: tensor<8x4xf32>) {
  // expected-error @below {{value must have type 'tensor<8x8xf32>', got 'tensor<8x4xf32>'}}
  tt.descriptor_scatter %d[%r, %i], %v : !tt.tensordesc<tensor<1x8xf32>>, tensor<8xi32>, i32, tensor<8x4xf32>
  tt.return
}
