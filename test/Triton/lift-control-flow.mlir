// RUN: triton-opt %s -triton-lift-control-flow -canonicalize -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: @early_return
tt.func public @early_return(%p: !tt.ptr<i32>, %n: i32) {
  // CHECK: %[[OUT:.*]] = arith.cmpi sge
  // CHECK: scf.if %[[OUT]] {
  // CHECK-NEXT: } else {
  // CHECK-NEXT: tt.store
  // CHECK: }
  // CHECK-NEXT: tt.return
  // CHECK-NOT: {{ cf[.]}}
  %pid = tt.get_program_id x : i32
  %out = arith.cmpi sge, %pid, %n : i32
  cf.cond_br %out, ^done, ^work
^done:
  tt.return
^work:
  tt.store %p, %n : !tt.ptr<i32>
  tt.return
}

// -----

// CHECK-LABEL: @results
tt.func private @results(%x: tensor<8xf32>, %c: i1) -> tensor<8xf32> {
  // CHECK: %[[R:.*]] = scf.if %{{.*}} -> (tensor<8xf32>) {
  // CHECK: } else {
  // CHECK: arith.addf
  // CHECK: }
  // CHECK: tt.return %[[R]] : tensor<8xf32>
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  tt.return %x : tensor<8xf32>
^bb2:
  %y = arith.addf %x, %x : tensor<8xf32>
  tt.return %y : tensor<8xf32>
}

// -----

// A loop with two exits: what it ends for selects what comes after.
// CHECK-LABEL: @two_exits
tt.func @two_exits(%p: !tt.ptr<i32>, %n: i32) -> i32 {
  // CHECK: scf.while
  // CHECK: scf.if
  // CHECK: scf.condition
  // CHECK-NOT: scf.index_switch
  // CHECK-NOT: {{ cf[.]}}
  // CHECK: tt.return
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cf.br ^head(%c0 : i32)
^head(%i: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^none
^body:
  %at = tt.addptr %p, %i : !tt.ptr<i32>, i32
  %v = tt.load %at : !tt.ptr<i32>
  %found = arith.cmpi eq, %v, %c0 : i32
  %next = arith.addi %i, %c1 : i32
  cf.cond_br %found, ^some, ^head(%next : i32)
^some:
  tt.return %i : i32
^none:
  %minus = arith.constant -1 : i32
  tt.return %minus : i32
}

// -----

// CHECK-LABEL: @switch
// CHECK-SAME: (%[[X:.*]]: i32)
tt.func @switch(%x: i32) -> i32 {
  // CHECK: %[[IS3:.*]] = arith.cmpi eq, %[[X]], %c3{{.*}} : i32
  // CHECK: scf.if %[[IS3]] -> (i32) {
  // CHECK: } else {
  // CHECK: %[[IS5:.*]] = arith.cmpi eq, %[[X]], %c5{{.*}} : i32
  // CHECK: arith.select %[[IS5]]
  %c10 = arith.constant 10 : i32
  %c20 = arith.constant 20 : i32
  %c30 = arith.constant 30 : i32
  cf.switch %x : i32, [default: ^bb1(%c10 : i32), 3: ^bb2, 5: ^bb1(%c30 : i32)]
^bb1(%r: i32):
  tt.return %r : i32
^bb2:
  %p = tt.get_program_id x : i32
  tt.print " p: " {hex = false, isSigned = array<i32: 1>} : %p : i32
  tt.return %c20 : i32
}

// -----

// CHECK-LABEL: @endless
tt.func @endless(%p: !tt.ptr<i32>, %x: i32) -> i32 {
  // CHECK: %[[NOTHING:.*]] = ub.poison : i32
  // CHECK: scf.while
  // CHECK: tt.store
  // CHECK: tt.return %[[NOTHING]]
  cf.br ^loop
^loop:
  tt.store %p, %x : !tt.ptr<i32>
  cf.br ^loop
}

// -----

// CHECK-LABEL: @map
tt.func @map(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: tt.map_elementwise
  // CHECK: scf.if
  // CHECK-NOT: {{ cf[.]}}
  %0 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: f32):
    %zero = arith.constant 0.0 : f32
    %negative = arith.cmpf olt, %a, %zero : f32
    cf.cond_br %negative, ^bb1, ^bb2
  ^bb1:
    %b = math.exp %a : f32
    tt.map_elementwise.return %b : f32
  ^bb2:
    tt.map_elementwise.return %a : f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.return %0 : tensor<8xf32>
}

// -----

// Nobody comes here, so that it need not be understood.
// CHECK-LABEL: @unreached
// CHECK-NEXT: tt.return
tt.func @unreached() {
  tt.return
^bb1:
  llvm.unreachable
}

// -----

// expected-error @below {{has control flow that cannot be made structured}}
tt.func @two_kinds(%c: i1) {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  llvm.unreachable
^bb2:
  tt.return
}
