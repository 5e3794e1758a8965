//===- AllDialects.h - The dialects that the trunk works with -------------===//
//
// Programs name this function instead of the dialects: their headers take most
// of the time of compiling a small file.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_DIALECT_ALLDIALECTS_H
#define TRITON_DIALECT_ALLDIALECTS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::triton {

/// Registers every dialect that may occur in a module of the trunk, and that
/// calls of `func` functions can be inlined.
void registerAllDialects(DialectRegistry &registry);

} // namespace mlir::triton

#endif // TRITON_DIALECT_ALLDIALECTS_H
