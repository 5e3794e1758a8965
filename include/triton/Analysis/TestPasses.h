//===- TestPasses.h - Passes that print analyses --------------------------===//

#ifndef TRITON_ANALYSIS_TESTPASSES_H
#define TRITON_ANALYSIS_TESTPASSES_H

namespace mlir::triton {

/// Registers `test-print-axis-info`. For triton-opt only.
void registerTestPasses();

} // namespace mlir::triton

#endif // TRITON_ANALYSIS_TESTPASSES_H
