//===- overlay_Optimization.h - More than one round -----------------------===//
//
// Form: changed signature. The macro expands to declarations in namespace
// mlir::triton; the trunk's calls have to fit one of them.
//
//===----------------------------------------------------------------------===//

#ifndef OVERLAY_OPTIMIZATION_H
#define OVERLAY_OPTIMIZATION_H

#define FLAGTREE_SPEC_Target_LLVMIR_Optimization_optimizeModule                \
  /* Runs the trunk's passes `rounds` times and notes the number on each       \
     function. */                                                              \
  void optimizeModule(llvm::Module &module, llvm::TargetMachine &machine,      \
                      unsigned rounds = 2);

#endif // OVERLAY_OPTIMIZATION_H
