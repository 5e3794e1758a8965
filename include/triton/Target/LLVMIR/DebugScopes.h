//===- DebugScopes.h - places in the source, for debuggers ------*- C++ -*-===//

#ifndef TRITON_TARGET_LLVMIR_DEBUGSCOPES_H
#define TRITON_TARGET_LLVMIR_DEBUGSCOPES_H

namespace mlir {
class OpPassManager;
namespace triton {

/// Adds the passes that keep the places of the operations in the source as
/// line tables of the object.
void addDebugScopes(OpPassManager &passes);

/// Makes these passes known to tools, by their names.
void registerDebugScopes();

} // namespace triton
} // namespace mlir

#endif // TRITON_TARGET_LLVMIR_DEBUGSCOPES_H
