// RUN: triton-opt %s -split-input-file -cpu-expand-math -verify-diagnostics

func.func @half(%x: vector<16xf16>) -> vector<16xf16> {
  // expected-error @+1 {{cannot be computed on 'vector<16xf16>': only f32 and f64 scalars and fixed vectors have math functions; extend narrower types first}}
  %0 = math.exp %x : vector<16xf16>
  return %0 : vector<16xf16>
}

// -----

func.func @scalable(%x: vector<[4]xf32>) -> vector<[4]xf32> {
  // expected-error @+1 {{cannot be computed on}}
  %0 = math.tanh %x : vector<[4]xf32>
  return %0 : vector<[4]xf32>
}
