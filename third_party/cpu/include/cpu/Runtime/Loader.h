//===- Loader.h - object code into this process -----------------*- C++ -*-===//

#ifndef TRITON_CPU_RUNTIME_LOADER_H
#define TRITON_CPU_RUNTIME_LOADER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace mlir::triton::cpu {

struct LoadedKernel {
  /// For `unloadKernel`. Never reused.
  uint64_t handle;
  /// Entry point, of type `KernelFunction` (Launch.h).
  uint64_t function;
};

/// Links a relocatable object, sealed (Seal.h) or not, and finds its symbol
/// `name`. Calls are serialised; the error says what in the object was wrong.
llvm::Expected<LoadedKernel> loadKernel(llvm::StringRef name,
                                        llvm::StringRef object);

/// Releases the code. It must not be running any more.
llvm::Error unloadKernel(uint64_t handle);

} // namespace mlir::triton::cpu

#endif // TRITON_CPU_RUNTIME_LOADER_H
