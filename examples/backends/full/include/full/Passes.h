//===- Passes.h - Passes of the backend full ------------------------------===//

#ifndef FULL_PASSES_H
#define FULL_PASSES_H

#include "mlir/Pass/Pass.h"

namespace full {

#define GEN_PASS_DECL
#include "full/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "full/Passes.h.inc"

} // namespace full

#endif // FULL_PASSES_H
