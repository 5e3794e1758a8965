//===- flagtree_spec.h - What this backend changes by macros --------------===//
//
// Found by the trunk's triton/Specialization.h. One header for each trunk file,
// so that a reader finds what becomes of it.
//
//===----------------------------------------------------------------------===//

#ifndef FLAGTREE_SPEC_H
#define FLAGTREE_SPEC_H

#include "overlay_BlockAccess.h"
#include "overlay_Combine.h"
#include "overlay_DecomposeScaledDot.h"
#include "overlay_DotOp.h"
#include "overlay_LoopUnroll.h"
#include "overlay_Optimization.h"
#include "overlay_TargetMachine.h"

#endif // FLAGTREE_SPEC_H
