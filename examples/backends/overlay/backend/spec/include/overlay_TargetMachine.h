//===- overlay_TargetMachine.h - Narrow vectors ---------------------------===//
//
// Form: inserted logic. LLVM does not know how wide the vectors of this device
// are.
//
//===----------------------------------------------------------------------===//

#ifndef OVERLAY_TARGETMACHINE_H
#define OVERLAY_TARGETMACHINE_H

namespace mlir::triton {
struct HostTarget;
} // namespace mlir::triton

namespace overlay {

/// Vectors have 128 bits, whatever the processor could do.
void correctHost(mlir::triton::HostTarget &host);

} // namespace overlay

#define FLAGTREE_SPEC_Target_LLVMIR_TargetMachine_describeHost                 \
  ::overlay::correctHost

#endif // OVERLAY_TARGETMACHINE_H
