//===- overlay_DecomposeScaledDot.h - Products of bf16 --------------------===//
//
// Form: type alias. The matrix units multiply bf16.
//
//===----------------------------------------------------------------------===//

#ifndef OVERLAY_DECOMPOSESCALEDDOT_H
#define OVERLAY_DECOMPOSESCALEDDOT_H

#define FLAGTREE_SPEC_Dialect_Triton_Transforms_DecomposeScaledDot_OperandType \
  ::mlir::BFloat16Type

#endif // OVERLAY_DECOMPOSESCALEDDOT_H
