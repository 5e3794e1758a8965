// RUN: triton-opt %s -verify-diagnostics -split-input-file

// One case for each check of the dialect's verifiers and parsers.

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

// expected-error @below {{pointee must be a number, a pointer or a ranked tensor of these, got 'index'}}
tt.func private @pointee(!tt.ptr<index>)

// -----

// expected-error @below {{unknown address space "local", expected a number, "global" or "constant"}}
tt.func private @space_name(!tt.ptr<f32, "local">)

// -----

// expected-error @below {{address space must not be negative, got -1}}
tt.func private @space_number(!tt.ptr<f32, -1>)

// -----

// expected-error @below {{block of a tensor descriptor must be a ranked tensor, got 'f32'}}
tt.func private @block(!tt.tensordesc<f32>)

// -----

// expected-error @below {{block of a tensor descriptor must have 1 to 5 static dimensions, got 'tensor<?x8xf32>'}}
tt.func private @dynamic_block(!tt.tensordesc<tensor<?x8xf32>>)

// -----

// expected-error @below {{elements of a tensor descriptor must be numbers, got '!tt.ptr<f32>'}}
tt.func private @block_of_pointers(!tt.tensordesc<tensor<8x!tt.ptr<f32>>>)

// -----

tt.func @size_not_power_of_two(%x: tensor<1xf32>) {
  // expected-error @below {{result #0 has type 'tensor<3xf32>', but dimension size 3 is not a power of two}}
  %0 = tt.broadcast %x : tensor<1xf32> -> tensor<3xf32>
  tt.return
}

// -----

tt.func @too_many_elements(%x: f32) {
  // expected-error @below {{result #0 has type 'tensor<2048x1024xf32>' of 2097152 elements, more than the limit of 1048576}}
  %0 = tt.splat %x : f32 -> tensor<2048x1024xf32>
  tt.return
}

// -----

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

tt.func @unknown_callee() {
  // expected-error @below {{'missing' does not name a tt.func of this module}}
  tt.call @missing() : () -> ()
  tt.return
}

// -----

tt.func private @callee(i32) -> f32
tt.func @call_count(%x: i32) {
  // expected-error @below {{has 0 operands, but function 'callee' has 1}}
  %0 = tt.call @callee() : () -> f32
  tt.return
}

// -----

tt.func private @callee(i32) -> f32
tt.func @call_operand(%x: i64) {
  // expected-error @below {{operand #0 has type 'i64', but function 'callee' has 'i32'}}
  %0 = tt.call @callee(%x) : (i64) -> f32
  tt.return
}

// -----

tt.func private @callee(i32) -> f32
tt.func @call_result(%x: i32) {
  // expected-error @below {{result #0 has type 'f64', but function 'callee' has 'f32'}}
  %0 = tt.call @callee(%x) : (i32) -> f64
  tt.return
}

// -----

tt.func @return_count(%x: i32) -> i32 {
  // expected-error @below {{has 0 operands, but the result list of function 'return_count' has 1}}
  tt.return
}

// -----

tt.func @return_type(%x: i32) -> i64 {
  // expected-error @below {{operand #0 has type 'i32', but the result list of function 'return_type' has 'i64'}}
  tt.return %x : i32
}

// -----

tt.func @axis_of_grid() {
  // expected-error @below {{expected string or keyword containing one of the following enum values for attribute 'axis' [x, y, z]}}
  %0 = tt.get_program_id w : i32
  tt.return
}

// -----

tt.func @print_signs(%x: i32) {
  // expected-error @below {{has 1 values, but isSigned has 2 entries}}
  tt.print "x" {hex = false, isSigned = array<i32: 1, 0>} : %x : i32
  tt.return
}

// -----

tt.func @assert_type(%x: i32) {
  // expected-error @below {{operand #0 must be i1 or tensor of i1, but got 'i32'}}
  tt.assert %x, "text" : i32
  tt.return
}

// -----

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

tt.func @range_type() {
  // expected-error @below {{result must be a tensor of i32 with one dimension, got 'tensor<8xi64>'}}
  %0 = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi64>
  tt.return
}

// -----

tt.func @range_empty() {
  // expected-error @below {{end 0 must be greater than start 8}}
  %0 = tt.make_range {start = 8 : i32, end = 0 : i32} : tensor<8xi32>
  tt.return
}

// -----

tt.func @range_size() {
  // expected-error @below {{from 0 to 8 are 8 numbers, but the result is 'tensor<16xi32>'}}
  %0 = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<16xi32>
  tt.return
}

// -----

tt.func @splat_element(%x: f32) {
  // expected-error @below {{requires the same element type for all operands and results}}
  %0 = tt.splat %x : f32 -> tensor<8xi32>
  tt.return
}

// -----

tt.func @unsplat_size(%x: tensor<2xf32>) {
  // expected-error @below {{operand must have exactly one element, got 'tensor<2xf32>'}}
  %0 = tt.unsplat %x : tensor<2xf32>
  tt.return
}

// -----

tt.func @expand_axis(%x: tensor<8xf32>) {
  // expected-error @+2 {{'tt.expand_dims' axis must be in 0..1 for 'tensor<8xf32>', got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = tt.expand_dims %x {axis = 2 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  tt.return
}

// -----

tt.func @expand_result(%x: tensor<8xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<1x8xf32>' are incompatible with return type(s) of operation 'tensor<8x1xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = tt.expand_dims %x {axis = 0 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  tt.return
}

// -----

tt.func @broadcast_rank(%x: tensor<8xf32>) {
  // expected-error @below {{cannot change the rank: 'tensor<8xf32>' to 'tensor<8x8xf32>'}}
  %0 = tt.broadcast %x : tensor<8xf32> -> tensor<8x8xf32>
  tt.return
}

// -----

tt.func @broadcast_size(%x: tensor<8x2xf32>) {
  // expected-error @below {{dimension 1 of 'tensor<8x2xf32>' has size 2, only size 1 can be repeated to 4}}
  %0 = tt.broadcast %x : tensor<8x2xf32> -> tensor<8x4xf32>
  tt.return
}

// -----

tt.func @reshape_size(%x: tensor<8x2xf32>) {
  // expected-error @below {{cannot turn 'tensor<8x2xf32>' of 16 elements into 'tensor<8xf32>' of 8}}
  %0 = tt.reshape %x : tensor<8x2xf32> -> tensor<8xf32>
  tt.return
}

// -----

tt.func @trans_order(%x: tensor<8x2xf32>) {
  // expected-error @+2 {{'tt.trans' order must be a permutation of the 2 dimensions of 'tensor<8x2xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = tt.trans %x {order = array<i32: 1, 1>} : tensor<8x2xf32> -> tensor<2x8xf32>
  tt.return
}

// -----

tt.func @cat_size(%x: tensor<8xf32>) {
  // expected-error @below {{result must be 'tensor<16xf32>', got 'tensor<8xf32>'}}
  %0 = tt.cat %x, %x : tensor<8xf32> -> tensor<8xf32>
  tt.return
}

// -----

tt.func @join_result(%x: tensor<8xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<8x2xf32>' are incompatible with return type(s) of operation 'tensor<2x8xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = tt.join %x, %x : tensor<8xf32> -> tensor<2x8xf32>
  tt.return
}

// -----

tt.func @split_size(%x: tensor<2x4xf32>) {
  // expected-error @+2 {{'tt.split' last dimension of the operand must have size 2, got 'tensor<2x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0, %1 = tt.split %x : tensor<2x4xf32> -> tensor<2xf32>
  tt.return
}

// -----

tt.func @gather_rank(%x: tensor<8x4xf32>, %i: tensor<8xi32>) {
  // expected-error @below {{source and indices must have the same rank, got 'tensor<8x4xf32>' and 'tensor<8xi32>'}}
  %0 = tt.gather %x[%i] {axis = 0 : i32} : (tensor<8x4xf32>, tensor<8xi32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @gather_axis(%x: tensor<8xf32>, %i: tensor<8xi32>) {
  // expected-error @below {{axis must be in 0..0 for 'tensor<8xf32>', got 1}}
  %0 = tt.gather %x[%i] {axis = 1 : i32} : (tensor<8xf32>, tensor<8xi32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @gather_shape(%x: tensor<8x4xf32>, %i: tensor<8x2xi32>) {
  // expected-error @below {{dimension 1 differs, only the axis may: 'tensor<8x4xf32>' and 'tensor<8x2xi32>'}}
  %0 = tt.gather %x[%i] {axis = 0 : i32} : (tensor<8x4xf32>, tensor<8x2xi32>) -> tensor<8x2xf32>
  tt.return
}

// -----

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

tt.func @addptr_shape(%p: !tt.ptr<f32>, %i: tensor<8xi32>) {
  // expected-error @below {{failed to verify that ptr and offset have the same shape}}
  %0 = tt.addptr %p, %i : !tt.ptr<f32>, tensor<8xi32>
  tt.return
}

// -----

tt.func @addptr_type(%p: i64, %i: i32) {
  // expected-error @below {{must be pointer to a scalar or tensor of such pointers, but got 'i64'}}
  %0 = tt.addptr %p, %i : i64, i32
  tt.return
}

// -----

tt.func @int_to_ptr_width(%i: i32) {
  // expected-error @below {{operand #0 must be i64 or tensor of i64, but got 'i32'}}
  %0 = tt.int_to_ptr %i : i32 -> !tt.ptr<f32>
  tt.return
}

// -----

tt.func @ptr_to_int_shape(%p: tensor<8x!tt.ptr<f32>>) {
  // expected-error @below {{failed to verify that src and result have the same shape}}
  %0 = tt.ptr_to_int %p : tensor<8x!tt.ptr<f32>> -> tensor<4xi64>
  tt.return
}

// -----

tt.func @bitcast_kind(%p: !tt.ptr<f32>) {
  // expected-error @below {{cannot turn '!tt.ptr<f32>' into 'i64', use tt.ptr_to_int or tt.int_to_ptr}}
  %0 = tt.bitcast %p : !tt.ptr<f32> -> i64
  tt.return
}

// -----

tt.func @bitcast_width(%x: f32) {
  // expected-error @below {{widths differ: 'f32' has 32 bits, 'i16' has 16}}
  %0 = tt.bitcast %x : f32 -> i16
  tt.return
}

// -----

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

tt.func @load_type(%p: f32) {
  // expected-error @below {{'ptr' must be pointer to a scalar, tensor of such pointers, or pointer to a block, but got 'f32'}}
  %0 = tt.load %p : f32
  tt.return
}

// -----

// expected-note @below {{prior use here}}
tt.func @load_mask(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<4xi1>) {
  // expected-error @below {{use of value '%m' expects different type than prior uses: 'tensor<8xi1>' vs 'tensor<4xi1>'}}
  %0 = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  tt.return
}

// -----

tt.func @load_mask_generic(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<4xi1>) {
  // expected-error @below {{failed to verify that mask is an i1 for each element ptr points to}}
  %0 = "tt.load"(%p, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<8x!tt.ptr<f32>>, tensor<4xi1>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @load_result(%p: tensor<8x!tt.ptr<f32>>) {
  // expected-error @below {{failed to verify that result is what ptr points to}}
  %0 = "tt.load"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<8x!tt.ptr<f32>>) -> tensor<8xi32>
  tt.return
}

// -----

tt.func @load_other(%p: tensor<8x!tt.ptr<f32>>, %v: tensor<8xf32>) {
  // expected-error @below {{a value for masked-off elements needs a mask}}
  %0 = "tt.load"(%p, %v) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (tensor<8x!tt.ptr<f32>>, tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// -----

tt.func @load_bounds(%p: tensor<8x!tt.ptr<f32>>) {
  // expected-error @below {{boundaryCheck needs a block pointer, got 'tensor<8x!tt.ptr<f32>>'; use a mask}}
  %0 = tt.load %p {boundaryCheck = array<i32: 0>} : tensor<8x!tt.ptr<f32>>
  tt.return
}

// -----

tt.func @load_padding(%p: tensor<8x!tt.ptr<f32>>) {
  // expected-error @below {{padding needs a block pointer, got 'tensor<8x!tt.ptr<f32>>'; give a mask and another value}}
  %0 = tt.load %p {padding = 1 : i32} : tensor<8x!tt.ptr<f32>>
  tt.return
}

// -----

tt.func @load_block_mask(%p: !tt.ptr<tensor<8xf32>>, %m: tensor<8xi1>) {
  // expected-error @below {{block pointers take no mask; use boundaryCheck}}
  %0 = tt.load %p, %m : !tt.ptr<tensor<8xf32>>
  tt.return
}

// -----

tt.func @load_block_bounds(%p: !tt.ptr<tensor<8xf32>>) {
  // expected-error @below {{boundaryCheck names dimension 1, but '!tt.ptr<tensor<8xf32>>' has rank 1}}
  %0 = tt.load %p {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<8xf32>>
  tt.return
}

// -----

tt.func @load_block_bounds_twice(%p: !tt.ptr<tensor<8xf32>>) {
  // expected-error @below {{boundaryCheck names dimension 0 twice}}
  %0 = tt.load %p {boundaryCheck = array<i32: 0, 0>} : !tt.ptr<tensor<8xf32>>
  tt.return
}

// -----

tt.func @load_block_nan(%p: !tt.ptr<tensor<8xi32>>) {
  // expected-error @below {{cannot pad 'tensor<8xi32>' with NaN}}
  %0 = tt.load %p {boundaryCheck = array<i32: 0>, padding = 2 : i32} : !tt.ptr<tensor<8xi32>>
  tt.return
}

// -----

tt.func @store_value(%p: tensor<8x!tt.ptr<f32>>, %v: tensor<8xi32>) {
  // expected-error @below {{failed to verify that value is what ptr points to}}
  "tt.store"(%p, %v) : (tensor<8x!tt.ptr<f32>>, tensor<8xi32>) -> ()
  tt.return
}

// -----

tt.func @store_block_mask(%p: !tt.ptr<tensor<8xf32>>, %v: tensor<8xf32>, %m: tensor<8xi1>) {
  // expected-error @below {{block pointers take no mask; use boundaryCheck}}
  tt.store %p, %v, %m : !tt.ptr<tensor<8xf32>>
  tt.return
}

// -----

tt.func @atomic_fadd(%p: !tt.ptr<i32>, %v: i32) {
  // expected-error @below {{'fadd' needs floats, got 'i32'}}
  %0 = tt.atomic_rmw fadd, relaxed, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  tt.return
}

// -----

tt.func @atomic_max(%p: !tt.ptr<f32>, %v: f32) {
  // expected-error @below {{'max' needs integers, got 'f32'}}
  %0 = tt.atomic_rmw max, relaxed, gpu, %p, %v : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// -----

tt.func @atomic_pointer(%p: !tt.ptr<!tt.ptr<f32>>, %v: !tt.ptr<f32>) {
  // expected-error @below {{pointers can only be exchanged, not combined with 'add'}}
  %0 = tt.atomic_rmw add, relaxed, gpu, %p, %v : (!tt.ptr<!tt.ptr<f32>>, !tt.ptr<f32>) -> !tt.ptr<f32>
  tt.return
}

// -----

tt.func @atomic_value(%p: !tt.ptr<i32>, %v: i64) {
  // expected-error @below {{failed to verify that val is what ptr points to}}
  %0 = tt.atomic_rmw add, relaxed, gpu, %p, %v : (!tt.ptr<i32>, i64) -> i64
  tt.return
}

// -----

tt.func @cas_width(%p: !tt.ptr<i8>, %v: i8) {
  // expected-error @below {{values must have 16, 32 or 64 bits, got 'i8'}}
  %0 = tt.atomic_cas relaxed, gpu, %p, %v, %v : (!tt.ptr<i8>, i8, i8) -> i8
  tt.return
}

// -----

tt.func @tensor_ptr_rank(%p: !tt.ptr<f32>, %n: i64, %i: i32) {
  // expected-error @below {{has 1 sizes, strides and offsets, but the block 'tensor<8x8xf32>' has rank 2}}
  %0 = tt.make_tensor_ptr %p, [%n], [%n], [%i] {order = array<i32: 1, 0>} : <tensor<8x8xf32>>
  tt.return
}

// -----

tt.func @tensor_ptr_order(%p: !tt.ptr<f32>, %n: i64, %i: i32) {
  // expected-error @below {{order must be a permutation of the 2 dimensions of the block}}
  %0 = tt.make_tensor_ptr %p, [%n, %n], [%n, %n], [%i, %i] {order = array<i32: 0, 0>} : <tensor<8x8xf32>>
  tt.return
}

// -----

// expected-note @below {{prior use here}}
tt.func @tensor_ptr_base(%p: !tt.ptr<f16>, %n: i64, %i: i32) {
  // expected-error @below {{use of value '%p' expects different type than prior uses: '!tt.ptr<f32>' vs '!tt.ptr<f16>'}}
  %0 = tt.make_tensor_ptr %p, [%n], [%n], [%i] {order = array<i32: 0>} : <tensor<8xf32>>
  tt.return
}

// -----

tt.func @advance_rank(%p: !tt.ptr<tensor<8x8xf32>>, %i: i32) {
  // expected-error @below {{has 1 offsets, but '!tt.ptr<tensor<8x8xf32>>' has rank 2}}
  %0 = tt.advance %p, [%i] : <tensor<8x8xf32>>
  tt.return
}
