// RUN: triton-opt %s -cpu-expand-math="vector-bits=512 vector-library=false" | FileCheck %s

// Without a vector library each lane is a call.
// CHECK: llvm.func @sinhf(f32) -> f32
// CHECK-LABEL: func.func @lanes
// CHECK-SAME: %[[X:.*]]: vector<2xf32>
// CHECK: %[[A:.*]] = vector.extract %[[X]][0]
// CHECK: %[[B:.*]] = llvm.call @sinhf(%[[A]])
// CHECK: %[[C:.*]] = vector.insert %[[B]], %{{.*}} [0]
// CHECK: %[[D:.*]] = vector.extract %[[X]][1]
// CHECK: %[[E:.*]] = llvm.call @sinhf(%[[D]])
// CHECK: %[[F:.*]] = vector.insert %[[E]], %[[C]] [1]
// CHECK: return %[[F]]
func.func @lanes(%x: vector<2xf32>) -> vector<2xf32> {
  %0 = math.sinh %x : vector<2xf32>
  return %0 : vector<2xf32>
}
