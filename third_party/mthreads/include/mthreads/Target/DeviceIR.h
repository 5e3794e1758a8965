//===- DeviceIR.h - LLVM IR as the device's tools read it -------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#ifndef MTHREADS_TARGET_DEVICEIR_H
#define MTHREADS_TARGET_DEVICEIR_H

#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mlir {
class ModuleOp;

namespace triton::mthreads {

/// What the target calls things.
struct DeviceTarget {
  std::string triple, dataLayout;
  /// Spelling of the calling convention of kernels, which LLVM's own printer
  /// does not know.
  std::string kernelConvention;
  /// Named metadata with (function, key, i32) entries.
  std::string annotations;
  /// Neutral names (mthreads/Conversion/DeviceNames.h) and the target's.
  std::vector<std::pair<std::string, std::string>> names;
};

/// Text of `module`, which holds operations of the LLVM dialect only, in LLVM
/// IR that tools of LLVM 14 with opaque pointers read. `kernel` gets the
/// target's calling convention and the annotations `kernel` = 1 and `maxntidx`
/// = `threads`. The error names a function that the target has no name for.
llvm::Expected<std::string> writeDeviceIR(ModuleOp module,
                                          const DeviceTarget &target,
                                          const std::string &kernel,
                                          int32_t threads);

} // namespace triton::mthreads
} // namespace mlir

#endif // MTHREADS_TARGET_DEVICEIR_H
