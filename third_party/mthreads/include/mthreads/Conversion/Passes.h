//===- Passes.h - TTIR to code for one thread of a block --------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#ifndef MTHREADS_CONVERSION_PASSES_H
#define MTHREADS_CONVERSION_PASSES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <string>

namespace mlir {
class ModuleOp;
class Pass;

namespace triton::mthreads {

/// Lowers every `tt.func` kernel to a `func.func` that one of `threads` threads
/// of a block runs. The result names what the device provides neutrally, see
/// DeviceNames.h.
std::unique_ptr<Pass> createLowerToThreadsPass(int64_t threads);

/// What the launcher needs to know about a lowered kernel.
struct KernelInfo {
  std::string name;
  int64_t shared = 0; ///< bytes of shared memory of a block
};

/// Reads what createLowerToThreadsPass left on the kernel. Returns an empty
/// name if the module holds no lowered kernel.
KernelInfo kernelInfo(ModuleOp module);

void registerConversionPasses();

} // namespace triton::mthreads
} // namespace mlir

#endif // MTHREADS_CONVERSION_PASSES_H
