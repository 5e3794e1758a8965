// RUN: triton-opt %s -split-input-file -cpu-expand-math="vector-bits=512 vector-library=false" | FileCheck %s --check-prefixes=CHECK,AVX512
// RUN: triton-opt %s -split-input-file -cpu-expand-math="vector-bits=256 vector-library=true" | FileCheck %s --check-prefixes=CHECK,AVX2

// The argument is replaced where the result is 0, before anything is computed
// from it, and so is the result.
// CHECK-LABEL: @exp
// CHECK-SAME: (%[[X:.*]]: vector<16xf32>)
// CHECK-DAG: %[[LOW:.*]] = arith.constant dense<-1.040000e+02> : vector<16xf32>
// CHECK: %[[OK:.*]] = arith.cmpf uge, %[[X]], %[[LOW]]
// CHECK: %[[ARG:.*]] = arith.select %[[OK]], %[[X]], %{{.*}}
// CHECK: arith.cmpf ogt, %[[ARG]]
// CHECK-NOT: %[[X]]
// CHECK: math.fma
// AVX512: %[[Y:.*]] = llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (vector<16xf32>, vector<16xf32>, vector<16xf32>, i16, i32) -> vector<16xf32>
// AVX2-NOT: call_intrinsic
// AVX2: arith.mulf
// AVX2: %[[Y:.*]] = arith.mulf
// CHECK: %[[R:.*]] = arith.select %[[OK]], %[[Y]], %{{.*}}
// CHECK: return %[[R]]
func.func @exp(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// -----

// Narrower vectors have intrinsics of their own; odd ones take the general form.
// CHECK-LABEL: @exp2_shapes
func.func @exp2_shapes(%a: vector<8xf32>, %b: vector<4xf32>, %c: vector<5xf32>, %d: f32, %e: vector<2x8xf32>)
    -> (vector<8xf32>, vector<4xf32>, vector<5xf32>, f32, vector<2x8xf32>) {
  // AVX512: "llvm.x86.avx512.mask.scalef.ps.256"
  // AVX512: "llvm.x86.avx512.mask.scalef.ps.128"
  // CHECK-NOT: call_intrinsic
  // CHECK-NOT: math.exp2
  // CHECK: arith.bitcast %{{.*}} : vector<5xf32> to vector<5xi32>
  // CHECK: arith.bitcast %{{.*}} : f32 to i32
  // CHECK: arith.bitcast %{{.*}} : vector<2x8xf32> to vector<2x8xi32>
  %0 = math.exp2 %a : vector<8xf32>
  %1 = math.exp2 %b : vector<4xf32>
  %2 = math.exp2 %c : vector<5xf32>
  %3 = math.exp2 %d : f32
  %4 = math.exp2 %e : vector<2x8xf32>
  return %0, %1, %2, %3, %4 : vector<8xf32>, vector<4xf32>, vector<5xf32>, f32, vector<2x8xf32>
}

// -----

// CHECK-LABEL: @logarithms
// CHECK-NOT: {{math.log|llvm.call}}
// CHECK: return
func.func @logarithms(%x: vector<16xf32>) -> (vector<16xf32>, vector<16xf32>) {
  %0 = math.log %x : vector<16xf32>
  %1 = math.log2 %x : vector<16xf32>
  return %0, %1 : vector<16xf32>, vector<16xf32>
}

// -----

// CHECK-LABEL: @erf
// CHECK-SAME: (%[[X:.*]]: vector<16xf32>)
// CHECK: %[[A:.*]] = math.absf %[[X]]
// CHECK-NOT: {{math.erf|llvm.call}}
// CHECK: %[[LARGE:.*]] = math.copysign %{{.*}}, %[[X]]
// CHECK: %[[C:.*]] = arith.cmpf oge, %[[A]]
// CHECK: arith.select %[[C]], %[[LARGE]]
func.func @erf(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.erf %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// -----

// CHECK-LABEL: @tanh
// CHECK-SAME: (%[[X:.*]]: vector<8xf32>)
// CHECK: %[[A:.*]] = math.absf %[[X]]
// CHECK-NOT: {{math.tanh|llvm.call}}
// CHECK: arith.divf
// CHECK: %[[C:.*]] = arith.cmpf oge, %[[A]]
// CHECK: %[[Y:.*]] = arith.select %[[C]]
// CHECK: %[[R:.*]] = math.copysign %[[Y]], %[[X]]
// CHECK: return %[[R]]
func.func @tanh(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.tanh %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// -----

// What has an instruction stays for the conversion to LLVM.
// CHECK-LABEL: @kept
func.func @kept(%x: vector<16xf32>, %y: vector<16xf32>) -> vector<16xf32> {
  // CHECK: math.sqrt
  // CHECK: math.rsqrt
  // CHECK: math.floor
  // CHECK: math.ceil
  // CHECK: math.roundeven
  // CHECK: math.absf
  // CHECK: math.copysign
  // CHECK: math.fma
  %0 = math.sqrt %x : vector<16xf32>
  %1 = math.rsqrt %0 : vector<16xf32>
  %2 = math.floor %1 : vector<16xf32>
  %3 = math.ceil %2 : vector<16xf32>
  %4 = math.roundeven %3 : vector<16xf32>
  %5 = math.absf %4 : vector<16xf32>
  %6 = math.copysign %5, %y : vector<16xf32>
  %7 = math.fma %6, %x, %y : vector<16xf32>
  return %7 : vector<16xf32>
}

// -----

// One instruction that passes over NaN, where the common one needs two more.
// CHECK-LABEL: @extremes
// CHECK-SAME: (%[[A:.*]]: vector<16xf32>, %[[B:.*]]: vector<16xf32>, %[[C:.*]]: vector<8xf32>
func.func @extremes(%a: vector<16xf32>, %b: vector<16xf32>, %c: vector<8xf32>, %d: vector<5xf32>, %e: vector<8xf64>)
    -> (vector<16xf32>, vector<8xf32>, vector<16xf32>, vector<5xf32>, vector<8xf64>) {
  // AVX512: %[[MAX:.*]] = llvm.mlir.constant(5 : i32)
  // AVX512: llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.512"(%[[A]], %[[B]], %[[MAX]], %[[A]], %{{.*}}, %{{.*}})
  // AVX512: %[[MIN:.*]] = llvm.mlir.constant(4 : i32)
  // AVX512: llvm.call_intrinsic "llvm.x86.avx512.mask.range.ps.256"(%[[C]], %[[C]], %[[MIN]], %[[C]], %{{.*}}) :
  // AVX2: arith.maxnumf
  // AVX2: arith.minnumf
  // A constant is no NaN.
  // CHECK: arith.maxnumf %[[A]], %{{.*}} : vector<16xf32>
  // CHECK: arith.maxnumf {{.*}} : vector<5xf32>
  // CHECK: arith.maxnumf {{.*}} : vector<8xf64>
  %zero = arith.constant dense<0.0> : vector<16xf32>
  %0 = arith.maxnumf %a, %b : vector<16xf32>
  %1 = arith.minnumf %c, %c : vector<8xf32>
  %2 = arith.maxnumf %a, %zero : vector<16xf32>
  %3 = arith.maxnumf %d, %d : vector<5xf32>
  %4 = arith.maxnumf %e, %e : vector<8xf64>
  return %0, %1, %2, %3, %4 : vector<16xf32>, vector<8xf32>, vector<16xf32>, vector<5xf32>, vector<8xf64>
}
