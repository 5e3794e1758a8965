//===- overlay_LoopUnroll.h - A pass of our own ---------------------------===//
//
// Form: whole file. The trunk's file is compiled to nothing;
// overlay_LoopUnroll.cpp has the pass, and the replaced Passes.td its option.
//
//===----------------------------------------------------------------------===//

#ifndef OVERLAY_LOOPUNROLL_H
#define OVERLAY_LOOPUNROLL_H

#define FLAGTREE_SPEC_Dialect_Triton_Transforms_LoopUnroll_cpp

#endif // OVERLAY_LOOPUNROLL_H
