// RUN: triton-opt %s -triton-combine | FileCheck %s

// CHECK-LABEL: @dot_accumulates(
// CHECK-SAME: %[[A:.*]]: tensor<16x16xf16>, %[[B:.*]]: tensor<16x16xf16>, %[[C:.*]]: tensor<16x16xf32>
tt.func @dot_accumulates(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  // CHECK: %[[X:.*]] = tt.dot %[[A]], %[[B]], %[[C]], inputPrecision = tf32 : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  // CHECK: %[[Y:.*]] = tt.dot %[[B]], %[[A]], %[[X]] : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  // CHECK: tt.return %[[X]], %[[Y]]
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %0 = tt.dot %a, %b, %zero, inputPrecision = tf32 : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %1 = arith.addf %0, %c : tensor<16x16xf32>
  %2 = tt.dot %b, %a, %zero : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %3 = arith.addf %1, %2 : tensor<16x16xf32>
  tt.return %1, %3 : tensor<16x16xf32>, tensor<16x16xf32>
}

// CHECK-LABEL: @int_dot_accumulates
tt.func @int_dot_accumulates(%a: tensor<16x16xi8>, %c: tensor<16x16xi32>) -> tensor<16x16xi32> {
  // CHECK-NOT: arith.addi
  %zero = arith.constant dense<0> : tensor<16x16xi32>
  %0 = tt.dot %a, %a, %zero : tensor<16x16xi8> * tensor<16x16xi8> -> tensor<16x16xi32>
  %1 = arith.addi %c, %0 : tensor<16x16xi32>
  tt.return %1 : tensor<16x16xi32>
}

// CHECK-LABEL: @dot_stays
tt.func @dot_stays(%a: tensor<16x16xf16>, %c: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) {
  // Used twice, another start, limited imprecision.
  // CHECK-COUNT-3: arith.addf
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %0 = tt.dot %a, %a, %zero : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %1 = arith.addf %0, %c : tensor<16x16xf32>
  %2 = tt.dot %a, %a, %c : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %3 = arith.addf %2, %c : tensor<16x16xf32>
  %4 = tt.dot %a, %a, %zero {maxNumImpreciseAcc = 8 : i32} : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %5 = arith.addf %4, %c : tensor<16x16xf32>
  tt.return %0, %1, %3, %5 : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
}

// CHECK-LABEL: @addptr(
// CHECK-SAME: %[[P:.*]]: !tt.ptr<f32>, %[[PS:.*]]: tensor<8x!tt.ptr<f32>>
tt.func @addptr(%p: !tt.ptr<f32>, %ps: tensor<8x!tt.ptr<f32>>, %i: i32) -> (!tt.ptr<f32>, tensor<8x!tt.ptr<f32>>, !tt.ptr<f32>, !tt.ptr<f32>) {
  // CHECK-DAG: %[[C30:.*]] = arith.constant 30 : i32
  // CHECK-DAG: %[[C3:.*]] = arith.constant dense<3> : tensor<8xi64>
  // CHECK: tt.addptr %[[P]], %[[C30]] : !tt.ptr<f32>, i32
  // CHECK: tt.addptr %[[PS]], %[[C3]] : tensor<8x!tt.ptr<f32>>, tensor<8xi64>
  // An offset that is no constant, and a sum that does not fit.
  // CHECK-COUNT-4: tt.addptr
  %c10 = arith.constant 10 : i32
  %c20 = arith.constant 20 : i32
  %big = arith.constant 2147483647 : i32
  %ones = arith.constant dense<1> : tensor<8xi64>
  %twos = arith.constant dense<2> : tensor<8xi64>
  %0 = tt.addptr %p, %c10 : !tt.ptr<f32>, i32
  %1 = tt.addptr %0, %c20 : !tt.ptr<f32>, i32
  %2 = tt.addptr %ps, %ones : tensor<8x!tt.ptr<f32>>, tensor<8xi64>
  %3 = tt.addptr %2, %twos : tensor<8x!tt.ptr<f32>>, tensor<8xi64>
  %4 = tt.addptr %p, %i : !tt.ptr<f32>, i32
  %5 = tt.addptr %4, %c10 : !tt.ptr<f32>, i32
  %6 = tt.addptr %p, %big : !tt.ptr<f32>, i32
  %7 = tt.addptr %6, %c10 : !tt.ptr<f32>, i32
  tt.return %1, %3, %5, %7 : !tt.ptr<f32>, tensor<8x!tt.ptr<f32>>, !tt.ptr<f32>, !tt.ptr<f32>
}

// CHECK-LABEL: @select_load(
// CHECK-SAME: %[[PS:.*]]: tensor<8x!tt.ptr<f32>>, %[[M:.*]]: tensor<8xi1>, %[[V:.*]]: tensor<8xf32>, %[[C:.*]]: i1
tt.func @select_load(%ps: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>, %v: tensor<8xf32>, %c: i1) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: %[[X:.*]] = tt.load %[[PS]], %[[M]], %[[V]] evictionPolicy = evict_last : tensor<8x!tt.ptr<f32>>
  // CHECK: %[[CS:.*]] = tt.splat %[[C]]
  // CHECK: %[[Y:.*]] = tt.load %[[PS]], %[[CS]], %[[V]] : tensor<8x!tt.ptr<f32>>
  // CHECK: tt.return %[[X]], %[[Y]]
  %0 = tt.load %ps, %m evictionPolicy = evict_last : tensor<8x!tt.ptr<f32>>
  %1 = arith.select %m, %0, %v : tensor<8xi1>, tensor<8xf32>
  %cs = tt.splat %c : i1 -> tensor<8xi1>
  %2 = tt.load %ps, %cs, %v : tensor<8x!tt.ptr<f32>>
  %3 = arith.select %c, %2, %v : tensor<8xf32>
  tt.return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: @select_stays
tt.func @select_stays(%ps: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>, %m2: tensor<8xi1>, %v: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  // Another mask; a value that does not exist yet where the load is; a volatile load.
  // CHECK-COUNT-3: arith.select
  %0 = tt.load %ps, %m : tensor<8x!tt.ptr<f32>>
  %1 = arith.select %m2, %0, %v : tensor<8xi1>, tensor<8xf32>
  %2 = tt.load %ps, %m : tensor<8x!tt.ptr<f32>>
  %late = math.exp %v : tensor<8xf32>
  %3 = arith.select %m, %2, %late : tensor<8xi1>, tensor<8xf32>
  %4 = tt.load %ps, %m {isVolatile = true} : tensor<8x!tt.ptr<f32>>
  %5 = arith.select %m, %4, %v : tensor<8xi1>, tensor<8xf32>
  tt.return %1, %3, %5 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: @compare_decided(
// CHECK-SAME: %[[PS:.*]]: tensor<64x!tt.ptr<f32>>
tt.func @compare_decided(%ps: tensor<64x!tt.ptr<f32>>) -> (tensor<8x64xi1>, tensor<64xi1>) {
  // CHECK-DAG: arith.constant dense<true> : tensor<8x64xi1>
  // CHECK-DAG: arith.constant dense<false> : tensor<64xi1>
  // CHECK: %[[X:.*]] = tt.load %[[PS]] : tensor<64x!tt.ptr<f32>>
  // CHECK: tt.store %[[PS]], %[[X]] : tensor<64x!tt.ptr<f32>>
  // CHECK-NOT: tt.store
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %c64 = arith.constant dense<64> : tensor<64xi32>
  %mask = arith.cmpi slt, %range, %c64 : tensor<64xi32>
  %x = tt.load %ps, %mask : tensor<64x!tt.ptr<f32>>
  tt.store %ps, %x, %mask : tensor<64x!tt.ptr<f32>>
  %never = arith.cmpi uge, %range, %c64 : tensor<64xi32>
  tt.store %ps, %x, %never : tensor<64x!tt.ptr<f32>>
  // Through shapes and arithmetic: 3 * i + 8 is at most 197.
  %three = arith.constant dense<3> : tensor<64xi32>
  %eight = arith.constant dense<8> : tensor<64xi32>
  %product = arith.muli %range, %three : tensor<64xi32>
  %sum = arith.addi %product, %eight : tensor<64xi32>
  %wide = arith.extsi %sum : tensor<64xi32> to tensor<64xi64>
  %row = tt.expand_dims %wide {axis = 0 : i32} : tensor<64xi64> -> tensor<1x64xi64>
  %rows = tt.broadcast %row : tensor<1x64xi64> -> tensor<8x64xi64>
  %c197 = arith.constant dense<197> : tensor<8x64xi64>
  %all = arith.cmpi sle, %rows, %c197 : tensor<8x64xi64>
  tt.return %all, %never : tensor<8x64xi1>, tensor<64xi1>
}

// CHECK-LABEL: @compare_undecided
tt.func @compare_undecided(%n: i32) -> (tensor<64xi1>, tensor<64xi1>, tensor<64xi1>, i1, tensor<64xi1>) {
  // Some elements, an unknown size, a sum that may overflow, an unsigned comparison with negative numbers.
  // CHECK-COUNT-5: arith.cmpi
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %c63 = arith.constant dense<63> : tensor<64xi32>
  %0 = arith.cmpi slt, %range, %c63 : tensor<64xi32>
  %ns = tt.splat %n : i32 -> tensor<64xi32>
  %1 = arith.cmpi slt, %range, %ns : tensor<64xi32>
  %zero = arith.constant dense<0> : tensor<64xi32>
  %pid = tt.get_program_id x : i32
  %pids = tt.splat %pid : i32 -> tensor<64xi32>
  %sum = arith.addi %pids, %range : tensor<64xi32>
  %2 = arith.cmpi sge, %sum, %zero : tensor<64xi32>
  %c100 = arith.constant 100 : i32
  %3 = arith.cmpi slt, %pid, %c100 : i32
  %minus = arith.constant dense<-1> : tensor<64xi32>
  %4 = arith.cmpi ult, %range, %minus : tensor<64xi32>
  tt.return %0, %1, %2, %3, %4 : tensor<64xi1>, tensor<64xi1>, tensor<64xi1>, i1, tensor<64xi1>
}
