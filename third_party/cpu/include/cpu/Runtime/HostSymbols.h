//===- HostSymbols.h - functions that kernels may call ----------*- C++ -*-===//

#ifndef TRITON_CPU_RUNTIME_HOSTSYMBOLS_H
#define TRITON_CPU_RUNTIME_HOSTSYMBOLS_H

#include "llvm/ADT/StringRef.h"

namespace mlir::triton::cpu {

/// Address of the function that compiled kernels know as `name`, or null:
/// `mem*`, libm, libmvec (`_ZGV...`), the conversions that LLVM leaves to a
/// run-time library, and the helpers of DeviceHelpers.h.
void *findHostSymbol(llvm::StringRef name);

/// Whether glibc's vector math library is there, with all of its functions.
bool hasVectorMathLibrary();

} // namespace mlir::triton::cpu

#endif // TRITON_CPU_RUNTIME_HOSTSYMBOLS_H
