//===- Optimization.h - the short LLVM pipeline -----------------*- C++ -*-===//

#ifndef TRITON_TARGET_LLVMIR_OPTIMIZATION_H
#define TRITON_TARGET_LLVMIR_OPTIMIZATION_H

#include "triton/Specialization.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir::triton {

/// Cleans up what a lowering to loops over vectors leaves behind: common
/// subexpressions, loop invariants, algebraic simplifications. Unrolling and
/// vectorization are not part of it: lowerings emit the loops they want, and
/// the standard pipelines take twice the time to find nothing.
/// `attachTarget` comes first.
///
/// Changed signature: the macro expands to a backend's declarations, one of
/// which must accept these arguments; its library defines them.
#ifdef FLAGTREE_SPEC_Target_LLVMIR_Optimization_optimizeModule
FLAGTREE_SPEC_Target_LLVMIR_Optimization_optimizeModule
#else
void optimizeModule(llvm::Module &module, llvm::TargetMachine &machine);
#endif

} // namespace mlir::triton

#endif // TRITON_TARGET_LLVMIR_OPTIMIZATION_H
