//===- overlay_DotOp.h - Limits of the matrix units -----------------------===//
//
// Form: inserted logic. The verifier of tt.dot asks this backend, too.
//
//===----------------------------------------------------------------------===//

#ifndef OVERLAY_DOTOP_H
#define OVERLAY_DOTOP_H

namespace llvm {
struct LogicalResult;
} // namespace llvm

namespace mlir::triton {
class DotOp;
} // namespace mlir::triton

namespace overlay {

/// The matrix units hold this many columns of the left operand.
constexpr int kMaxDepth = 256;

/// Refuses products that are deeper.
llvm::LogicalResult verifyDot(mlir::triton::DotOp op);

} // namespace overlay

#define FLAGTREE_SPEC_Dialect_Triton_IR_DotOp_verify ::overlay::verifyDot

#endif // OVERLAY_DOTOP_H
