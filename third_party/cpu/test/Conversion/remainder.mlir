// RUN: triton-opt %s -split-input-file -cpu-lower-blocks | FileCheck %s

// A vector that starts at a multiple of its width lies in one row of 768: its
// columns are neighbours in memory.
// CHECK-LABEL: func.func @one_row(
// CHECK: arith.remsi {{.*}} : i32
// CHECK-NOT: llvm.intr.masked.gather
// CHECK: llvm.load {{.*}} -> vector
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

// Rows of 100 end inside of vectors.
// CHECK-LABEL: func.func @several_rows(
// CHECK: llvm.intr.masked.gather
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

// The quotient rounds towards zero, so a start below zero may begin a row that
// is one lane long.
// CHECK-LABEL: func.func @below_zero(
// CHECK: arith.divsi {{.*}} : vector
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
