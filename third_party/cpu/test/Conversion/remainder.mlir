// RUN: triton-opt %s -split-input-file -cpu-lower-blocks | FileCheck %s

// Rows of 768 consist of whole vectors. The loop goes from the start of one to
// the next; inside, columns are neighbours in memory.
// CHECK-LABEL: func.func @one_row(
// CHECK: scf.while
// CHECK: arith.remsi {{.*}} : i32
// CHECK: scf.for
// CHECK-NOT: rem
// CHECK: llvm.load {{.*}} -> vector
// CHECK: llvm.store {{.*}} vector
// CHECK: scf.yield
// CHECK-NOT: masked
tt.func public @one_row(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %c256 = arith.constant 256 : i32
  %length = arith.constant dense<768> : tensor<256xi32>
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %c256 : i32
  %starts = tt.splat %start : i32 -> tensor<256xi32>
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %i = arith.addi %starts, %r : tensor<256xi32>
  %column = arith.remsi %i, %length : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %column : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %v = tt.load %xp : tensor<256x!tt.ptr<f32>>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %op = tt.addptr %os, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %op, %v : tensor<256x!tt.ptr<f32>>
  tt.return
}

// -----

// Rows of 100 end inside of vectors: the last one of each is masked.
// CHECK-LABEL: func.func @several_rows(
// CHECK: scf.while
// CHECK: scf.for
// CHECK: llvm.load {{.*}} -> vector
// CHECK: llvm.store {{.*}} vector
// CHECK: scf.for
// CHECK: llvm.intr.masked.load
// CHECK: llvm.intr.masked.store
// CHECK-NOT: gather
tt.func public @several_rows(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %c256 = arith.constant 256 : i32
  %length = arith.constant dense<100> : tensor<256xi32>
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %c256 : i32
  %starts = tt.splat %start : i32 -> tensor<256xi32>
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %i = arith.addi %starts, %r : tensor<256xi32>
  %column = arith.remsi %i, %length : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %column : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %v = tt.load %xp : tensor<256x!tt.ptr<f32>>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %op = tt.addptr %os, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %op, %v : tensor<256x!tt.ptr<f32>>
  tt.return
}

// -----

// The quotient rounds towards zero: rows below it end with a multiple of their
// length.
// CHECK-LABEL: func.func @below_zero(
// CHECK: scf.while
// CHECK: arith.divsi {{.*}} : i32
// CHECK: arith.select
// CHECK: scf.for
// CHECK-NOT: div
// CHECK: llvm.store {{.*}} vector
tt.func public @below_zero(%out: !tt.ptr<i32>) {
  %start = arith.constant dense<-64> : tensor<64xi32>
  %length = arith.constant dense<32> : tensor<64xi32>
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %i = arith.addi %start, %r : tensor<64xi32>
  %row = arith.divsi %i, %length : tensor<64xi32>
  %os = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %op = tt.addptr %os, %r : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %op, %row : tensor<64x!tt.ptr<i32>>
  tt.return
}

// -----

// One of two tensors is read: which one is a matter of the piece. Both
// comparisons and the row of 96 end pieces at multiples of 32, and nothing is
// read where the mask does not hold.
// CHECK-LABEL: func.func @concatenation(
// CHECK: scf.while
// CHECK: scf.for
// CHECK: scf.if {{.*}} -> (vector<16xf32>)
// CHECK-NEXT: llvm.load
// CHECK: scf.if {{.*}} -> (vector<16xf32>)
// CHECK-NEXT: llvm.load
// CHECK-NOT: gather
tt.func public @concatenation(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %out: !tt.ptr<f32>) {
  %c256 = arith.constant 256 : i32
  %length = arith.constant dense<96> : tensor<256xi32>
  %part = arith.constant dense<32> : tensor<256xi32>
  %rest = arith.constant dense<64> : tensor<256xi32>
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %c256 : i32
  %starts = tt.splat %start : i32 -> tensor<256xi32>
  %r = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %i = arith.addi %starts, %r : tensor<256xi32>
  %column = arith.remsi %i, %length : tensor<256xi32>
  %row = arith.divsi %i, %length : tensor<256xi32>
  %first = arith.cmpi slt, %column, %part : tensor<256xi32>
  %second = arith.cmpi sge, %column, %part : tensor<256xi32>
  %xrow = arith.muli %row, %part : tensor<256xi32>
  %xo = arith.addi %xrow, %column : tensor<256xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %xo : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %xv = tt.load %xp, %first : tensor<256x!tt.ptr<f32>>
  %yrow = arith.muli %row, %rest : tensor<256xi32>
  %ycolumn = arith.subi %column, %part : tensor<256xi32>
  %yo = arith.addi %yrow, %ycolumn : tensor<256xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %yo : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %yv = tt.load %yp, %second : tensor<256x!tt.ptr<f32>>
  %v = arith.select %first, %xv, %yv : tensor<256xi1>, tensor<256xf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %op = tt.addptr %os, %i : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  tt.store %op, %v : tensor<256x!tt.ptr<f32>>
  tt.return
}
