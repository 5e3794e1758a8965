// RUN: triton-opt %s -split-input-file -cpu-lower-blocks="vector-bits=512" | FileCheck %s

// A row softmax: the maximum with four accumulators; the sum, which keeps the
// exponentials in scratch memory on the way and fetches the row of the next
// program; the quotients.
// CHECK-LABEL: func.func @softmax(
// CHECK-SAME: tt.cpu.scratch = 4160 : i64
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-NOT: llvm.intr.prefetch
// CHECK: arith.maxnumf
// CHECK: vector.shuffle
// CHECK: scf.for {{.*}} iter_args
// CHECK: math.exp
// CHECK: llvm.store
// CHECK: scf.for
// CHECK-NOT: math.exp
// CHECK: arith.divf
tt.func public @softmax(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %stride: i32) {
  %pid = tt.get_program_id x : i32
  %row = arith.muli %pid, %stride : i32
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %xr = tt.addptr %x, %row : !tt.ptr<f32>, i32
  %xs = tt.splat %xr : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %p : tensor<1024x!tt.ptr<f32>>
  %max = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    tt.reduce.return %m : f32
  }) : (tensor<1024xf32>) -> f32
  %maxs = tt.splat %max : f32 -> tensor<1024xf32>
  %d = arith.subf %v, %maxs : tensor<1024xf32>
  %e = math.exp %d : tensor<1024xf32>
  %sum = "tt.reduce"(%e) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<1024xf32>) -> f32
  %sums = tt.splat %sum : f32 -> tensor<1024xf32>
  %q = arith.divf %e, %sums : tensor<1024xf32>
  %yr = tt.addptr %y, %row : !tt.ptr<f32>, i32
  %ys = tt.splat %yr : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %o = tt.addptr %ys, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %o, %q : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// -----

// A combination without a known neutral element starts from the first vector.
// CHECK-LABEL: func.func @argmax(
// CHECK: scf.for %{{.*}} = %c16_i64 to %c64_i64 step %c16_i64 iter_args({{.*}}) -> (vector<16xf32>, vector<16xi32>)
// CHECK: arith.cmpf ogt
// CHECK: arith.select
tt.func public @argmax(%x: !tt.ptr<f32>, %y: !tt.ptr<i32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %xs, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  %max:2 = "tt.reduce"(%v, %r) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
    %gt = arith.cmpf ogt, %a, %b : f32
    %m = arith.select %gt, %a, %b : f32
    %k = arith.select %gt, %i, %j : i32
    tt.reduce.return %m, %k : f32, i32
  }) : (tensor<64xf32>, tensor<64xi32>) -> (f32, i32)
  tt.store %y, %max#1 : !tt.ptr<i32>
  tt.return
}

// -----

// Along the axis of a scan the vectors are in order (scan.mlir has the rest).
// CHECK-LABEL: func.func @cumsum(
// CHECK: scf.for %{{.*}} = %c16_i64 to %c64_i64 step %c16_i64 iter_args(%{{.*}} = %{{.*}}) -> (vector<16xf32>)
// CHECK: arith.addf %{{.*}} : vector<16xf32>
tt.func public @cumsum(%x: !tt.ptr<f32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %xs, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  %c = "tt.scan"(%v) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.scan.return %s : f32
  }) : (tensor<64xf32>) -> tensor<64xf32>
  tt.store %p, %c : tensor<64x!tt.ptr<f32>>
  tt.return
}

// -----

// A function with branches runs element by element.
// CHECK-LABEL: func.func @map(
// CHECK: scf.for %{{.*}} = %c0_i64 to %c64_i64 step %c2_i64
// CHECK: scf.if
// CHECK-COUNT-2: llvm.store
tt.func public @map(%x: !tt.ptr<i32>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %0 = "tt.map_elementwise"(%r) <{pack = 2 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.cmpi slt, %a, %b : i32
    %d = scf.if %c -> i32 {
      scf.yield %a : i32
    } else {
      %e = arith.muli %a, %b : i32
      scf.yield %e : i32
    }
    tt.map_elementwise.return %d, %b : i32, i32
  }) : (tensor<64xi32>) -> tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %p = tt.addptr %xs, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %p, %0 : tensor<64x!tt.ptr<i32>>
  tt.return
}
