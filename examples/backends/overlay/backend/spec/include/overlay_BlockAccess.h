//===- overlay_BlockAccess.h - One comparison per dimension ---------------===//
//
// Form: added parameter. Masks of blocks compare once, as unsigned numbers,
// unless a caller in this backend asks for the trunk's two comparisons.
//
//===----------------------------------------------------------------------===//

#ifndef OVERLAY_BLOCKACCESS_H
#define OVERLAY_BLOCKACCESS_H

namespace overlay {

struct MaskStyle {
  bool unsignedCompare = true;
};

} // namespace overlay

#define FLAGTREE_SPEC_Dialect_Triton_Transforms_BlockAccess_buildMask_ARG      \
  ::overlay::MaskStyle

#endif // OVERLAY_BLOCKACCESS_H
