// RUN: triton-opt %s -triton-reorder-broadcast | FileCheck %s

// CHECK-LABEL: @before_splat(
// CHECK-SAME: %[[A:.*]]: f32, %[[B:.*]]: f32
tt.func @before_splat(%a: f32, %b: f32) -> tensor<128xf32> {
  // CHECK: %[[SUM:.*]] = arith.addf %[[A]], %[[B]] fastmath<contract> : f32
  // CHECK: %[[EXP:.*]] = math.exp2 %[[SUM]] : f32
  // CHECK: %[[SPLAT:.*]] = tt.splat %[[EXP]] : f32 -> tensor<128xf32>
  // CHECK: tt.return %[[SPLAT]]
  %as = tt.splat %a : f32 -> tensor<128xf32>
  %bs = tt.splat %b : f32 -> tensor<128xf32>
  %0 = arith.addf %as, %bs fastmath<contract> : tensor<128xf32>
  %1 = math.exp2 %0 : tensor<128xf32>
  tt.return %1 : tensor<128xf32>
}

// CHECK-LABEL: @constant_and_splat(
tt.func @constant_and_splat(%n: i32, %c: i1) -> (tensor<128xi1>, tensor<128xi64>, tensor<128xi32>) {
  // CHECK-DAG: %[[C:.*]] = arith.constant 7 : i32
  // CHECK-DAG: arith.cmpi slt, %{{.*}}, %{{.*}} : i32
  // CHECK-DAG: arith.extsi %{{.*}} : i32 to i64
  // CHECK-DAG: arith.select %{{.*}}, %{{.*}}, %{{.*}} : i32
  // CHECK-NOT: arith.{{cmpi|extsi|select}} {{.*}}tensor
  %sevens = arith.constant dense<7> : tensor<128xi32>
  %ns = tt.splat %n : i32 -> tensor<128xi32>
  %0 = arith.cmpi slt, %ns, %sevens : tensor<128xi32>
  %1 = arith.extsi %ns : tensor<128xi32> to tensor<128xi64>
  %2 = arith.select %c, %ns, %sevens : tensor<128xi32>
  tt.return %0, %1, %2 : tensor<128xi1>, tensor<128xi64>, tensor<128xi32>
}

// CHECK-LABEL: @pointers(
tt.func @pointers(%p: !tt.ptr<f32>, %n: i32) -> tensor<128x!tt.ptr<f32>> {
  // CHECK: %[[Q:.*]] = tt.addptr %{{.*}}, %{{.*}} : !tt.ptr<f32>, i32
  // CHECK: tt.splat %[[Q]] : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %ns = tt.splat %n : i32 -> tensor<128xi32>
  %0 = tt.addptr %ps, %ns : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.return %0 : tensor<128x!tt.ptr<f32>>
}

// CHECK-LABEL: @before_broadcast(
// CHECK-SAME: %[[X:.*]]: tensor<8x1xf32>, %[[Y:.*]]: tensor<8x1xf32>, %[[S:.*]]: f32
tt.func @before_broadcast(%x: tensor<8x1xf32>, %y: tensor<8x1xf32>, %s: f32) -> tensor<8x64xf32> {
  // CHECK: %[[SUM:.*]] = arith.addf %[[X]], %[[Y]] : tensor<8x1xf32>
  // CHECK: %[[NARROW:.*]] = tt.splat %[[S]] : f32 -> tensor<8x1xf32>
  // CHECK: %[[MUL:.*]] = arith.mulf %[[SUM]], %[[NARROW]] : tensor<8x1xf32>
  // CHECK: %[[WIDE:.*]] = tt.broadcast %[[MUL]] : tensor<8x1xf32> -> tensor<8x64xf32>
  // CHECK: tt.return %[[WIDE]]
  %xs = tt.broadcast %x : tensor<8x1xf32> -> tensor<8x64xf32>
  %ys = tt.broadcast %y : tensor<8x1xf32> -> tensor<8x64xf32>
  %ss = tt.splat %s : f32 -> tensor<8x64xf32>
  %0 = arith.addf %xs, %ys : tensor<8x64xf32>
  %1 = arith.mulf %0, %ss : tensor<8x64xf32>
  tt.return %1 : tensor<8x64xf32>
}

// CHECK-LABEL: @stays
tt.func @stays(%x: tensor<8x1xf32>, %y: tensor<1x64xf32>, %z: tensor<8x64xf32>, %n: i32) -> (tensor<8x64xf32>, tensor<8x64xf32>, tensor<8xi32>) {
  // Broadcasts of different shapes, an operand that is neither, and an operation with a hint.
  // CHECK: arith.addf %{{.*}}, %{{.*}} : tensor<8x64xf32>
  // CHECK: arith.addf %{{.*}}, %{{.*}} : tensor<8x64xf32>
  // CHECK: arith.addi %{{.*}}, %{{.*}} {tt.divisibility = dense<16> : tensor<1xi32>} : tensor<8xi32>
  %xs = tt.broadcast %x : tensor<8x1xf32> -> tensor<8x64xf32>
  %ys = tt.broadcast %y : tensor<1x64xf32> -> tensor<8x64xf32>
  %0 = arith.addf %xs, %ys : tensor<8x64xf32>
  %1 = arith.addf %xs, %z : tensor<8x64xf32>
  %ns = tt.splat %n : i32 -> tensor<8xi32>
  %2 = arith.addi %ns, %ns {tt.divisibility = dense<16> : tensor<1xi32>} : tensor<8xi32>
  tt.return %0, %1, %2 : tensor<8x64xf32>, tensor<8x64xf32>, tensor<8xi32>
}
