// RUN: triton-opt %s -test-print-axis-info -split-input-file -verify-diagnostics -o /dev/null

tt.func @creation(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32>) {
  // expected-remark @below {{contiguity = [128], divisibility = [4611686018427387904], constancy = [1], constant = none, non-negative}}
  %0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [32], constancy = [1], constant = none, non-negative}}
  %1 = tt.make_range {end = 160 : i32, start = 96 : i32} : tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [4], constancy = [128], constant = 12, non-negative}}
  %2 = arith.constant dense<12> : tensor<128xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [4], constancy = [1], constant = -4}}
  %3 = arith.constant -4 : i32
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1], constant = none, non-negative}}
  %4 = tt.get_program_id x : i32
  // expected-remark @below {{contiguity = [1], divisibility = [16], constancy = [128], constant = none}}
  %5 = tt.splat %n : i32 -> tensor<128xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [16], constancy = [128], constant = none}}
  %6 = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  // The pointers of a block: 128 floats behind one another, the first one aligned to 16 bytes.
  // expected-remark @below {{contiguity = [128], divisibility = [16], constancy = [1], constant = none}}
  %7 = tt.addptr %6, %0 : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  // Constant floats are constant too.
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [128], constant = none}}
  %8 = arith.constant dense<2.0> : tensor<128xf32>
  tt.return
}

// -----

tt.func @arithmetic(%n: i32, %m: i32 {tt.divisibility = 16 : i32}) {
  // expected-remark @below {{contiguity = [128], divisibility = [4611686018427387904], constancy = [1]}}
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  // expected-remark @below {{constant = 4}}
  %c4 = arith.constant dense<4> : tensor<128xi32>
  // expected-remark @below {{constant = 1}}
  %c1 = arith.constant dense<1> : tensor<128xi32>
  // expected-remark @below {{divisibility = [16], constancy = [128]}}
  %ms = tt.splat %m : i32 -> tensor<128xi32>
  // expected-remark @below {{divisibility = [1], constancy = [128]}}
  %ns = tt.splat %n : i32 -> tensor<128xi32>
  // expected-remark @below {{contiguity = [128], divisibility = [16], constancy = [1], constant = none}}
  %add = arith.addi %ms, %range : tensor<128xi32>
  // expected-remark @below {{contiguity = [128], divisibility = [1], constancy = [1], constant = none}}
  %add1 = arith.addi %ns, %range : tensor<128xi32>
  // expected-remark @below {{contiguity = [128], divisibility = [4], constancy = [1], constant = none}}
  %sub = arith.subi %range, %c4 : tensor<128xi32>
  // What is subtracted runs backwards.
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1], constant = none}}
  %back = arith.subi %c4, %range : tensor<128xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [2], constancy = [1], constant = none, non-negative}}
  %twice = arith.addi %range, %range {tt.divisibility = dense<2> : tensor<1xi32>} : tensor<128xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [4], constancy = [1], constant = none, non-negative}}
  %mul = arith.muli %range, %c4 : tensor<128xi32>
  // expected-remark @below {{contiguity = [128], divisibility = [4611686018427387904], constancy = [1], constant = none, non-negative}}
  %mul1 = arith.muli %c1, %range : tensor<128xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [256], constancy = [128], constant = none}}
  %square = arith.muli %ms, %ms : tensor<128xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [16], constancy = [128], constant = 16, non-negative}}
  %c16 = arith.muli %c4, %c4 : tensor<128xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [16], constancy = [1], constant = none, non-negative}}
  %shl = arith.shli %range, %c4 : tensor<128xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [16], constant = none, non-negative}}
  %shr = arith.shrsi %range, %c4 : tensor<128xi32>
  // A constant in the type's range: 2^30 * 4 wraps to 0.
  // expected-remark @below {{constant = 1073741824}}
  %big = arith.constant dense<1073741824> : tensor<128xi32>
  // expected-remark @below {{constant = 0, non-negative}}
  %wrapped = arith.muli %big, %c4 : tensor<128xi32>
  tt.return
}

// -----

tt.func @division(%n: i32 {tt.divisibility = 16 : i32}, %k: i32) {
  // expected-remark @below {{contiguity = [128]}}
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  // expected-remark @below {{constant = 8}}
  %c8 = arith.constant dense<8> : tensor<128xi32>
  // expected-remark @below {{divisibility = [16]}}
  %ns = tt.splat %n : i32 -> tensor<128xi32>
  // expected-remark @below {{divisibility = [1]}}
  %ks = tt.splat %k : i32 -> tensor<128xi32>
  // Groups of 8 have the same quotient, and the remainders 0, 1, ... 7.
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [8], constant = none, non-negative}}
  %div = arith.divsi %range, %c8 : tensor<128xi32>
  // expected-remark @below {{contiguity = [8], divisibility = [8], constancy = [1], constant = none, non-negative}}
  %rem = arith.remsi %range, %c8 : tensor<128xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [16], constant = none, non-negative}}
  %divn = arith.divsi %range, %ns : tensor<128xi32>
  // expected-remark @below {{contiguity = [16], divisibility = [16], constancy = [1], constant = none, non-negative}}
  %remn = arith.remsi %range, %ns : tensor<128xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1], constant = none, non-negative}}
  %remk = arith.remsi %range, %ks : tensor<128xi32>
  // Below zero, truncation does not keep the groups: -8 ... -1 divided by 8 gives -1 and seven times 0.
  // expected-remark @below {{contiguity = [128], divisibility = [16], constancy = [1], constant = none}}
  %signed = arith.addi %ns, %range : tensor<128xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1], constant = none}}
  %divs = arith.divsi %signed, %c8 : tensor<128xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1], constant = none}}
  %rems = arith.remsi %signed, %c8 : tensor<128xi32>
  // Rounding down, unsigned numbers and masks do.
  // expected-remark @below {{constancy = [8]}}
  %floor = arith.floordivsi %signed, %c8 : tensor<128xi32>
  // expected-remark @below {{constancy = [8]}}
  %divu = arith.divui %signed, %c8 : tensor<128xi32>
  // expected-remark @below {{contiguity = [8], divisibility = [8], constancy = [1]}}
  %remu = arith.remui %signed, %c8 : tensor<128xi32>
  // expected-remark @below {{constant = 7}}
  %c7 = arith.constant dense<7> : tensor<128xi32>
  // expected-remark @below {{contiguity = [8], divisibility = [8], constancy = [1], constant = none, non-negative}}
  %and = arith.andi %signed, %c7 : tensor<128xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [2], constancy = [128], constant = none}}
  %half = arith.divsi %ns, %c8 : tensor<128xi32>
  tt.return
}

// -----

tt.func @masks(%n: i32 {tt.divisibility = 16 : i32}, %k: i32) {
  // expected-remark @below {{contiguity = [128]}}
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  // expected-remark @below {{divisibility = [16]}}
  %ns = tt.splat %n : i32 -> tensor<128xi32>
  // expected-remark @below {{divisibility = [1]}}
  %ks = tt.splat %k : i32 -> tensor<128xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [16], constant = none}}
  %slt = arith.cmpi slt, %range, %ns : tensor<128xi32>
  // expected-remark @below {{constancy = [16]}}
  %sge = arith.cmpi sge, %range, %ns : tensor<128xi32>
  // expected-remark @below {{constancy = [16]}}
  %sgt = arith.cmpi sgt, %ns, %range : tensor<128xi32>
  // The first of a group may differ: 16 <= 16, but not 17 <= 16.
  // expected-remark @below {{constancy = [1]}}
  %sle = arith.cmpi sle, %range, %ns : tensor<128xi32>
  // expected-remark @below {{constancy = [1]}}
  %eq = arith.cmpi eq, %range, %ns : tensor<128xi32>
  // expected-remark @below {{constancy = [1]}}
  %sltk = arith.cmpi slt, %range, %ks : tensor<128xi32>
  // expected-remark @below {{constancy = [128]}}
  %uniform = arith.cmpi eq, %ks, %ns : tensor<128xi32>
  // expected-remark @below {{constancy = [16]}}
  %and = arith.andi %slt, %uniform : tensor<128xi1>
  // expected-remark @below {{constant = 0}}
  %zero = arith.constant dense<0> : tensor<128xi32>
  // True is -1 as a signed number.
  // expected-remark @below {{constancy = [128], constant = -1}}
  %above = arith.cmpi sge, %range, %zero : tensor<128xi32>
  // expected-remark @below {{constancy = [128], constant = 0}}
  %below = arith.cmpi slt, %range, %zero : tensor<128xi32>
  // A choice between two values keeps groups where the condition is the same.
  // expected-remark @below {{contiguity = [128], divisibility = [16], constancy = [1], constant = none}}
  %shifted = arith.addi %range, %ns : tensor<128xi32>
  // expected-remark @below {{contiguity = [16], divisibility = [16], constancy = [1], constant = none}}
  %select = arith.select %slt, %range, %shifted : tensor<128xi1>, tensor<128xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1], constant = none}}
  %min = arith.minsi %range, %ns : tensor<128xi32>
  tt.return
}

// -----

tt.func @shapes(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %s: i32 {tt.divisibility = 16 : i32}) {
  // expected-remark @below {{contiguity = [64], divisibility = [4611686018427387904], constancy = [1]}}
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  // expected-remark @below {{contiguity = [64, 1], divisibility = [4611686018427387904, 1], constancy = [1, 1]}}
  %column = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  // expected-remark @below {{contiguity = [1, 64], divisibility = [1, 4611686018427387904], constancy = [1, 1]}}
  %row = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  // expected-remark @below {{contiguity = [1, 1], divisibility = [16, 16], constancy = [64, 1]}}
  %strides = tt.splat %s : i32 -> tensor<64x1xi32>
  // expected-remark @below {{contiguity = [1, 1], divisibility = [16, 16], constancy = [1, 1]}}
  %offsets = arith.muli %column, %strides : tensor<64x1xi32>
  // expected-remark @below {{contiguity = [1, 1], divisibility = [16, 16], constancy = [1, 64]}}
  %wide = tt.broadcast %offsets : tensor<64x1xi32> -> tensor<64x64xi32>
  // expected-remark @below {{contiguity = [1, 64], divisibility = [1, 4611686018427387904], constancy = [64, 1]}}
  %rows = tt.broadcast %row : tensor<1x64xi32> -> tensor<64x64xi32>
  // The offsets of a row-major matrix.
  // expected-remark @below {{contiguity = [1, 64], divisibility = [1, 16], constancy = [1, 1]}}
  %matrix = arith.addi %wide, %rows : tensor<64x64xi32>
  // expected-remark @below {{contiguity = [1, 1], divisibility = [16, 16], constancy = [64, 64]}}
  %base = tt.splat %p : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  // expected-remark @below {{contiguity = [1, 64], divisibility = [2, 16], constancy = [1, 1]}}
  %ptrs = tt.addptr %base, %matrix : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  // expected-remark @below {{contiguity = [64, 1], divisibility = [16, 2], constancy = [1, 1]}}
  %trans = tt.trans %ptrs {order = array<i32: 1, 0>} : tensor<64x64x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
  // expected-remark @below {{contiguity = [1, 16], divisibility = [1, 16], constancy = [1, 1]}}
  %split = tt.reshape %range : tensor<64xi32> -> tensor<4x16xi32>
  // expected-remark @below {{contiguity = [16], divisibility = [16], constancy = [1]}}
  %merged = tt.reshape %split : tensor<4x16xi32> -> tensor<64xi32>
  // expected-remark @below {{contiguity = [1, 64, 1], divisibility = [1, 4611686018427387904, 1], constancy = [1, 1, 1]}}
  %ones = tt.reshape %range : tensor<64xi32> -> tensor<1x64x1xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [4611686018427387904], constancy = [1]}}
  %noones = tt.reshape %ones : tensor<1x64x1xi32> -> tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %any = tt.reshape %split allow_reorder : tensor<4x16xi32> -> tensor<64xi32>
  // Rows of equal elements stay equal next to each other.
  // expected-remark @below {{contiguity = [1], divisibility = [16], constancy = [64]}}
  %flat = tt.reshape %wide : tensor<64x64xi32> -> tensor<4096xi32>
  tt.return
}

// -----

tt.func @casts(%i: i32 {tt.divisibility = 16 : i32}, %p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  // expected-remark @below {{contiguity = [512]}}
  %range = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32>
  // expected-remark @below {{contiguity = [512], divisibility = [4611686018427387904], constancy = [1]}}
  %wide = arith.extsi %range : tensor<512xi32> to tensor<512xi64>
  // Numbers of 8 bits start again at 256.
  // expected-remark @below {{contiguity = [256], divisibility = [256], constancy = [1]}}
  %narrow = arith.trunci %range : tensor<512xi32> to tensor<512xi8>
  // expected-remark @below {{contiguity = [1], divisibility = [16], constancy = [1], constant = none, non-negative}}
  %unsigned = arith.extui %i : i32 to i64
  // expected-remark @below {{divisibility = [16], constancy = [512]}}
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  // expected-remark @below {{contiguity = [512], divisibility = [16]}}
  %ptrs = tt.addptr %base, %range : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  // expected-remark @below {{contiguity = [512], divisibility = [16]}}
  %same = tt.bitcast %ptrs : tensor<512x!tt.ptr<f32>> -> tensor<512x!tt.ptr<i32>>
  // Every fourth byte.
  // expected-remark @below {{contiguity = [1], divisibility = [4]}}
  %bytes = tt.bitcast %ptrs : tensor<512x!tt.ptr<f32>> -> tensor<512x!tt.ptr<i8>>
  // expected-remark @below {{contiguity = [1], divisibility = [4]}}
  %numbers = tt.ptr_to_int %ptrs : tensor<512x!tt.ptr<f32>> -> tensor<512xi64>
  tt.return
}

// -----

tt.func @values(%p: !tt.ptr<i32>, %m: i1, %f: f32) {
  // expected-remark @below {{constancy = [128]}}
  %ptrs = tt.splat %p : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [128], constant = none}}
  %x = tt.load %ptrs : tensor<128x!tt.ptr<i32>>
  // Another thread may write between the elements of a volatile load.
  // expected-remark @below {{constancy = [1]}}
  %v = tt.load %ptrs {isVolatile = true} : tensor<128x!tt.ptr<i32>>
  // expected-remark @below {{constancy = [128]}}
  %fs = tt.splat %f : f32 -> tensor<128xf32>
  // expected-remark @below {{constancy = [128]}}
  %e = math.exp %fs : tensor<128xf32>
  // Equal operands in the first and last place do not hide the one between.
  // expected-remark @below {{contiguity = [128]}}
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  // expected-remark @below {{constancy = [1]}}
  %rf = arith.sitofp %range : tensor<128xi32> to tensor<128xf32>
  // expected-remark @below {{constancy = [1]}}
  %fma = math.fma %fs, %rf, %fs : tensor<128xf32>
  tt.return
}

// -----

tt.func @hints(%n: i32) {
  // expected-remark @below {{contiguity = [64], divisibility = [16], constancy = [1], constant = none}}
  %0 = tt.call @unknown(%n) {tt.contiguity = dense<64> : tensor<1xi32>, tt.divisibility = dense<16> : tensor<1xi32>} : (i32) -> tensor<128xi32>
  // A hint beyond the size of the tensor, one that is no power of two, one of another rank.
  // expected-remark @below {{contiguity = [128], divisibility = [8], constancy = [1], constant = none}}
  %1 = tt.call @unknown(%n) {tt.contiguity = dense<256> : tensor<1xi32>, tt.divisibility = dense<24> : tensor<1xi32>, tt.constancy = dense<16> : tensor<2xi32>} : (i32) -> tensor<128xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [32], constant = none}}
  %2 = tt.call @unknown(%n) {tt.constancy = array<i32: 32>} : (i32) -> tensor<128xi32>
  tt.return
}

tt.func private @unknown(i32) -> tensor<128xi32>

// -----

tt.func @loops(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32, %step: i32 {tt.divisibility = 8 : i32}) {
  // expected-remark @below {{constant = 0}}
  %c0 = arith.constant 0 : i32
  // expected-remark @below {{constant = 32}}
  %c32 = arith.constant 32 : i32
  // expected-remark @below {{contiguity = [128]}}
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  // expected-remark @below {{divisibility = [16], constancy = [128]}}
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  // expected-remark @below {{contiguity = [128], divisibility = [16]}}
  %ptrs = tt.addptr %base, %range : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  // The pointers stay contiguous; each step is a multiple of 8 floats, so that alignment stays too.
  // expected-remark @below {{contiguity = [128], divisibility = [16], constancy = [1], constant = none}}
  %0 = scf.for %i = %c0 to %n step %c32 iter_args(%q = %ptrs) -> tensor<128x!tt.ptr<f32>> : i32 {
    // expected-remark @below {{contiguity = [1], divisibility = [32], constancy = [128], constant = none, non-negative}}
    %is = tt.splat %i : i32 -> tensor<128xi32>
    // expected-remark @below {{contiguity = [128], divisibility = [32]}}
    %index = arith.addi %is, %range : tensor<128xi32>
    // expected-remark @below {{divisibility = [8], constancy = [128]}}
    %steps = tt.splat %step : i32 -> tensor<128xi32>
    // expected-remark @below {{contiguity = [128], divisibility = [16]}}
    %next = tt.addptr %q, %steps : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    scf.yield %next : tensor<128x!tt.ptr<f32>>
  }
  // Steps that nothing is known of leave multiples of 4 bytes; a second round finds that out.
  // expected-remark @below {{contiguity = [128], divisibility = [4], constancy = [1], constant = none}}
  %1 = scf.for %i = %c0 to %n step %c32 iter_args(%q = %ptrs) -> tensor<128x!tt.ptr<f32>> : i32 {
    // expected-remark @below {{divisibility = [1], constancy = [128]}}
    %steps = tt.splat %n : i32 -> tensor<128xi32>
    // expected-remark @below {{contiguity = [128], divisibility = [4]}}
    %next = tt.addptr %q, %steps : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    scf.yield %next : tensor<128x!tt.ptr<f32>>
  }
  // Swapped in each round: what holds for both.
  // expected-remark @+2 {{result #0: contiguity = [1], divisibility = [4], constancy = [1], constant = none}}
  // expected-remark @+1 {{result #1: contiguity = [1], divisibility = [4], constancy = [1], constant = none}}
  %2:2 = scf.for %i = %c0 to %n step %c32 iter_args(%a = %ptrs, %b = %base) -> (tensor<128x!tt.ptr<f32>>, tensor<128x!tt.ptr<f32>>) : i32 {
    scf.yield %b, %a : tensor<128x!tt.ptr<f32>>, tensor<128x!tt.ptr<f32>>
  }
  tt.return
}

// -----

tt.func @branches(%c: i1, %n: i32 {tt.divisibility = 16 : i32}, %p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  // expected-remark @below {{constant = 8}}
  %c8 = arith.constant 8 : i32
  // expected-remark @below {{contiguity = [1], divisibility = [8], constancy = [1], constant = none}}
  %0 = scf.if %c -> i32 {
    scf.yield %n : i32
  } else {
    scf.yield %c8 : i32
  }
  // expected-remark @below {{constant = 8, non-negative}}
  %1 = scf.if %c -> i32 {
    scf.yield %c8 : i32
  } else {
    scf.yield %c8 : i32
  }
  // expected-remark @+2 {{contiguity = [1], divisibility = [8], constancy = [1], constant = none}}
  // expected-remark @+1 {{contiguity = [1], divisibility = [16], constancy = [1], constant = none}}
  %2:2 = scf.while (%a = %n, %q = %p) : (i32, !tt.ptr<f32>) -> (i32, !tt.ptr<f32>) {
    // expected-remark @below {{constancy = [1]}}
    %more = arith.cmpi slt, %a, %c8 : i32
    scf.condition(%more) %a, %q : i32, !tt.ptr<f32>
  } do {
  ^bb0(%a: i32, %q: !tt.ptr<f32>):
    // expected-remark @below {{divisibility = [8]}}
    %next = arith.addi %a, %c8 : i32
    // expected-remark @below {{divisibility = [16]}}
    %r = tt.addptr %q, %c8 : !tt.ptr<f32>, i32
    scf.yield %next, %r : i32, !tt.ptr<f32>
  }
  tt.return
}

// -----

// The order of programs of a matrix product: columns of a block stay contiguous after the remainder.
tt.func @grouped_matmul(%m: i32 {tt.divisibility = 16 : i32}, %n: i32) {
  // expected-remark @below {{non-negative}}
  %pid = tt.get_program_id x : i32
  // expected-remark @below {{constant = 64}}
  %c64 = arith.constant 64 : i32
  // expected-remark @below {{constant = 8}}
  %c8 = arith.constant 8 : i32
  // expected-remark @below {{divisibility = [8]}}
  %width = arith.muli %n, %c8 : i32
  // expected-remark @below {{non-negative}}
  %group = arith.divsi %pid, %width : i32
  // expected-remark @below {{divisibility = [8], constancy = [1], constant = none, non-negative}}
  %first = arith.muli %group, %c8 : i32
  // expected-remark @below {{non-negative}}
  %inner = arith.remsi %pid, %width : i32
  // expected-remark @below {{non-negative}}
  %row = arith.addi %first, %inner : i32
  // expected-remark @below {{divisibility = [64], constancy = [1], constant = none, non-negative}}
  %start = arith.muli %row, %c64 : i32
  // expected-remark @below {{constancy = [64]}}
  %starts = tt.splat %start : i32 -> tensor<64xi32>
  // expected-remark @below {{contiguity = [64]}}
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [64], constancy = [1], constant = none, non-negative}}
  %rows = arith.addi %starts, %range : tensor<64xi32>
  // expected-remark @below {{constancy = [64]}}
  %ms = tt.splat %m : i32 -> tensor<64xi32>
  // expected-remark @below {{contiguity = [16], divisibility = [16], constancy = [1], constant = none, non-negative}}
  %wrapped = arith.remsi %rows, %ms : tensor<64xi32>
  tt.return
}
