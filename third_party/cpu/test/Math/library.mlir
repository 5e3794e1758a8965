// RUN: triton-opt %s -split-input-file -cpu-expand-math="vector-bits=512 vector-library=true" | FileCheck %s --check-prefixes=CHECK,AVX512
// RUN: triton-opt %s -split-input-file -cpu-expand-math="vector-bits=256 vector-library=true" | FileCheck %s --check-prefixes=CHECK,AVX2

// Declared once, as a function without side effects.
// AVX512-DAG: llvm.func @_ZGVeN16v_sinhf(vector<16xf32>) -> vector<16xf32> attributes {memory_effects = #llvm.memory_effects<other = none, argMem = none, inaccessibleMem = none, errnoMem = none, targetMem0 = none, targetMem1 = none>, no_unwind, will_return}
// AVX512-NOT: llvm.func @_ZGVeN16v_sinhf
// CHECK-LABEL: func.func @native_width
// AVX512-COUNT-2: llvm.call @_ZGVeN16v_sinhf(%{{.*}}) : (vector<16xf32>) -> vector<16xf32>
// AVX2-COUNT-4: llvm.call @_ZGVdN8v_sinhf(%{{.*}}) : (vector<8xf32>) -> vector<8xf32>
func.func @native_width(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.sinh %x : vector<16xf32>
  %1 = math.sinh %0 : vector<16xf32>
  return %1 : vector<16xf32>
}

// -----

// f64 has no inline functions, and half as many lanes.
// CHECK-LABEL: func.func @doubles
// CHECK-SAME: %[[X:.*]]: vector<8xf64>, %[[Y:.*]]: vector<4xf64>
// AVX512: llvm.call @_ZGVeN8v_exp(%[[X]]) : (vector<8xf64>) -> vector<8xf64>
// AVX2: vector.shuffle %[[X]], %[[X]] [0, 1, 2, 3]
// AVX2: llvm.call @_ZGVdN4v_exp
// AVX2: vector.shuffle %[[X]], %[[X]] [4, 5, 6, 7]
// AVX2: llvm.call @_ZGVdN4v_exp
// CHECK: llvm.call @_ZGVdN4vv_pow(%[[Y]], %[[Y]]) : (vector<4xf64>, vector<4xf64>) -> vector<4xf64>
func.func @doubles(%x: vector<8xf64>, %y: vector<4xf64>) -> (vector<8xf64>, vector<4xf64>) {
  %0 = math.exp %x : vector<8xf64>
  %1 = math.powf %y, %y : vector<4xf64>
  return %0, %1 : vector<8xf64>, vector<4xf64>
}

// -----

// Missing lanes repeat the first of their chunk, and are dropped again.
// CHECK-LABEL: func.func @odd
// CHECK-SAME: %[[X:.*]]: vector<3xf32>, %[[Y:.*]]: vector<18xf32>
// CHECK: %[[A:.*]] = vector.shuffle %[[X]], %[[X]] [0, 1, 2, 0] : vector<3xf32>, vector<3xf32>
// CHECK: %[[B:.*]] = llvm.call @_ZGVbN4v_sinf(%[[A]])
// CHECK: vector.shuffle %[[B]], %[[B]] [0, 1, 2] : vector<4xf32>, vector<4xf32>
// AVX512: llvm.call @_ZGVeN16v_cosf
// AVX512: vector.shuffle %[[Y]], %[[Y]] [16, 17, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16] : vector<18xf32>, vector<18xf32>
// AVX512: llvm.call @_ZGVeN16v_cosf
// AVX512: vector.insert_strided_slice %{{.*}} {offsets = [0], strides = [1]} : vector<16xf32> into vector<18xf32>
// AVX512: vector.insert_strided_slice %{{.*}} {offsets = [16], strides = [1]} : vector<2xf32> into vector<18xf32>
func.func @odd(%x: vector<3xf32>, %y: vector<18xf32>) -> (vector<3xf32>, vector<18xf32>) {
  %0 = math.sin %x : vector<3xf32>
  %1 = math.cos %y : vector<18xf32>
  return %0, %1 : vector<3xf32>, vector<18xf32>
}

// -----

// CHECK-LABEL: func.func @one_lane
// CHECK-SAME: %[[X:.*]]: vector<1xf32>, %[[Y:.*]]: f32, %[[Z:.*]]: f64
// CHECK: %[[L:.*]] = vector.extract %[[X]][0]
// CHECK: %[[T:.*]] = llvm.call @tanf(%[[L]]) : (f32) -> f32
// CHECK: vector.insert %[[T]], %{{.*}} [0]
// CHECK: llvm.call @atan2f(%[[Y]], %[[Y]]) : (f32, f32) -> f32
// CHECK: llvm.call @log1p(%[[Z]]) : (f64) -> f64
func.func @one_lane(%x: vector<1xf32>, %y: f32, %z: f64) -> (vector<1xf32>, f32, f64) {
  %0 = math.tan %x : vector<1xf32>
  %1 = math.atan2 %y, %y : f32
  %2 = math.log1p %z : f64
  return %0, %1, %2 : vector<1xf32>, f32, f64
}

// -----

// CHECK-LABEL: func.func @two_dimensions
// CHECK: vector.shape_cast %{{.*}} : vector<2x4xf32> to vector<8xf32>
// CHECK: llvm.call @_ZGVdN8v_cbrtf
// CHECK: vector.shape_cast %{{.*}} : vector<8xf32> to vector<2x4xf32>
func.func @two_dimensions(%x: vector<2x4xf32>) -> vector<2x4xf32> {
  %0 = math.cbrt %x : vector<2x4xf32>
  return %0 : vector<2x4xf32>
}

// -----

// CHECK-LABEL: func.func @sine_and_cosine
// CHECK: %[[S:.*]] = llvm.call @_ZGVdN8v_sinf
// CHECK: %[[C:.*]] = llvm.call @_ZGVdN8v_cosf
// CHECK: return %[[S]], %[[C]]
func.func @sine_and_cosine(%x: vector<8xf32>) -> (vector<8xf32>, vector<8xf32>) {
  %s, %c = math.sincos %x : vector<8xf32>
  return %s, %c : vector<8xf32>, vector<8xf32>
}
