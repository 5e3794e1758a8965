//===- overlay_Combine.h - Subtractions from products ---------------------===//
//
// Forms: inserted logic and exposed static. triton-combine gets a pattern of
// this backend, which uses a helper of the trunk's own pattern.
//
//===----------------------------------------------------------------------===//

#ifndef OVERLAY_COMBINE_H
#define OVERLAY_COMBINE_H

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace overlay {

/// dot(a, b, 0) - c  ->  dot(a, b, -c)
void addCombinePatterns(mlir::RewritePatternSet &patterns);

} // namespace overlay

#define FLAGTREE_SPEC_Dialect_Triton_Transforms_Combine_runOnOperation         \
  ::overlay::addCombinePatterns
#define FLAGTREE_SPEC_Dialect_Triton_Transforms_Combine_dotToAccumulateInto

#endif // OVERLAY_COMBINE_H
