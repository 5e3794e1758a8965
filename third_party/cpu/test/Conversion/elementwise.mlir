// RUN: triton-opt %s -split-input-file -cpu-lower-blocks="vector-bits=512" | FileCheck %s
// RUN: triton-opt %s -split-input-file -cpu-lower-blocks="vector-bits=256" | FileCheck %s --check-prefix=AVX2

// A mask that holds for the first n indices costs nothing but the last vector:
// the loop over whole vectors is not masked, the rest is, and indices that the
// store's mask excludes are not visited at all.
// CHECK-LABEL: func.func @masked(
// CHECK-SAME: %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[LO:.*]]: i64, %[[HI:.*]]: i64, %{{.*}}: !llvm.ptr)
// CHECK-SAME: tt.cpu.scratch = 64 : i64
// CHECK: scf.for %{{.*}} = %[[LO]] to %[[HI]] step
// CHECK: %[[BOUND:.*]] = arith.maxsi
// CHECK: %[[MAIN:.*]] = arith.andi %[[BOUND]], %c-16_i64
// CHECK: scf.for %{{.*}} = %c0_i64 to %[[MAIN]] step %c16_i64
// CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
// CHECK: math.exp %{{.*}} : vector<16xf32>
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
// CHECK: scf.for %{{.*}} = %[[MAIN]] to %[[BOUND]] step %c16_i64
// CHECK: llvm.intr.masked.load
// CHECK: llvm.intr.masked.store
// AVX2-LABEL: func.func @masked(
// AVX2: math.exp %{{.*}} : vector<8xf32>
tt.func public @masked(%x: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
  %nn = tt.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %r, %nn : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %p = tt.addptr %xs, %r : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %p, %m : tensor<1024x!tt.ptr<f32>>
  %e = math.exp %v : tensor<1024xf32>
  tt.store %p, %e, %m : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// -----

// Half precision is computed in f32; bf16 is converted with integer code.
// CHECK-LABEL: func.func @bf16(
// CHECK-NOT: arith.truncf
// CHECK: arith.addf %{{.*}} : vector<16xf32>
// CHECK: arith.shrui %{{.*}} : vector<16xi32>
// CHECK: arith.trunci %{{.*}} : vector<16xi32> to vector<16xi16>
// CHECK-NOT: arith.truncf
tt.func public @bf16(%x: !tt.ptr<bf16>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<bf16> -> tensor<64x!tt.ptr<bf16>>
  %p = tt.addptr %xs, %r : tensor<64x!tt.ptr<bf16>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<bf16>>
  %e = arith.addf %v, %v : tensor<64xbf16>
  tt.store %p, %e : tensor<64x!tt.ptr<bf16>>
  tt.return
}

// -----

// Neighbours that are not neighbours in memory are gathered.
// CHECK-LABEL: func.func @strided(
// CHECK: llvm.intr.masked.gather
// CHECK: llvm.store %{{.*}} : vector<16xf32>, !llvm.ptr
tt.func public @strided(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %s: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %ss = tt.splat %s : i32 -> tensor<64xi32>
  %o = arith.muli %r, %ss : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %xs, %o : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %ys, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}

// -----

// Neighbours modulo `n` are neighbours up to the end of a row of `n`.
// CHECK-LABEL: func.func @remainder(
// CHECK: scf.while
// CHECK: scf.for
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<16xf32>
// CHECK: scf.for
// CHECK: llvm.intr.masked.load
// CHECK-NOT: gather
tt.func public @remainder(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %nn = tt.splat %n : i32 -> tensor<64xi32>
  %o = arith.remsi %r, %nn : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %p = tt.addptr %xs, %o : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %ys, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q, %v : tensor<64x!tt.ptr<f32>>
  tt.return
}

// -----

// Division is made safe: by zero it gives 0 and never traps.
// CHECK-LABEL: func.func @divide(
// CHECK: %[[ZERO:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32
// CHECK: arith.divsi
// CHECK: arith.select %[[ZERO]], %c0_i32
tt.func public @divide(%x: !tt.ptr<i32>, %a: i32, %b: i32) {
  %q = arith.divsi %a, %b : i32
  tt.store %x, %q : !tt.ptr<i32>
  tt.return
}

// -----

// Choosing between half floats needs no wider ones. They are integers to LLVM,
// which takes other vectors of them apart.
// CHECK-LABEL: func.func @choose_halves(
// CHECK: arith.select {{.*}} vector<16xi1>, vector<16xi16>
// CHECK-NOT: vector<16xf32>
// CHECK: return
tt.func public @choose_halves(%x: !tt.ptr<bf16>, %y: !tt.ptr<bf16>) {
  %c9 = arith.constant dense<9> : tensor<64xi32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<bf16> -> tensor<64x!tt.ptr<bf16>>
  %p = tt.addptr %xs, %i : tensor<64x!tt.ptr<bf16>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<bf16>>
  %wide = arith.extf %v : tensor<64xbf16> to tensor<64xf32>
  %few = arith.cmpi slt, %i, %c9 : tensor<64xi32>
  %chosen = arith.select %few, %wide, %one : tensor<64xi1>, tensor<64xf32>
  %half = arith.truncf %chosen : tensor<64xf32> to tensor<64xbf16>
  %ys = tt.splat %y : !tt.ptr<bf16> -> tensor<64x!tt.ptr<bf16>>
  %q = tt.addptr %ys, %i : tensor<64x!tt.ptr<bf16>>, tensor<64xi32>
  tt.store %q, %half : tensor<64x!tt.ptr<bf16>>
  tt.return
}

// -----

// 0.1 is none of them: it is rounded where the kernel says so.
// CHECK-LABEL: func.func @choose_and_round(
// CHECK: arith.select {{.*}} vector<16xi1>, vector<16xf32>
tt.func public @choose_and_round(%x: !tt.ptr<bf16>, %y: !tt.ptr<bf16>) {
  %c9 = arith.constant dense<9> : tensor<64xi32>
  %tenth = arith.constant dense<0.1> : tensor<64xf32>
  %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<bf16> -> tensor<64x!tt.ptr<bf16>>
  %p = tt.addptr %xs, %i : tensor<64x!tt.ptr<bf16>>, tensor<64xi32>
  %v = tt.load %p : tensor<64x!tt.ptr<bf16>>
  %wide = arith.extf %v : tensor<64xbf16> to tensor<64xf32>
  %few = arith.cmpi slt, %i, %c9 : tensor<64xi32>
  %chosen = arith.select %few, %wide, %tenth : tensor<64xi1>, tensor<64xf32>
  %half = arith.truncf %chosen : tensor<64xf32> to tensor<64xbf16>
  %ys = tt.splat %y : !tt.ptr<bf16> -> tensor<64x!tt.ptr<bf16>>
  %q = tt.addptr %ys, %i : tensor<64x!tt.ptr<bf16>>, tensor<64xi32>
  tt.store %q, %half : tensor<64x!tt.ptr<bf16>>
  tt.return
}
