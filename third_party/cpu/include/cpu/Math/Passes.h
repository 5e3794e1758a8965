//===- Passes.h - math functions on the CPU ---------------------*- C++ -*-===//

#ifndef TRITON_CPU_MATH_PASSES_H
#define TRITON_CPU_MATH_PASSES_H

#include <memory>

namespace mlir {
class Pass;
namespace triton::cpu {

/// What the processor and its libraries offer to math functions.
struct MathTarget {
  /// Widest vector register in bits: 512 stands for AVX-512 F, BW, DQ and VL,
  /// 256 for AVX2 with FMA.
  unsigned vectorBits = 128;
  /// Whether glibc's vector math library will be there when the code runs.
  bool vectorLibrary = false;

  /// The processor this process runs on.
  static MathTarget host();
};

/// `cpu-expand-math`: replaces operations of the math dialect that have no
/// instruction by code or by calls, for f32 and f64 scalars and vectors.
std::unique_ptr<Pass> createExpandMathPass(const MathTarget &target);

/// Registers `cpu-expand-math` with options `vector-bits` and
/// `vector-library`, both the host's by default.
void registerMathPasses();

} // namespace triton::cpu
} // namespace mlir

#endif // TRITON_CPU_MATH_PASSES_H
