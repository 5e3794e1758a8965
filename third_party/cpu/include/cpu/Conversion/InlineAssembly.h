//===- InlineAssembly.h - whose inline assembly it is -----------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#ifndef CPU_CONVERSION_INLINEASSEMBLY_H
#define CPU_CONVERSION_INLINEASSEMBLY_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::triton::cpu {

/// Why the CPU cannot run the inline assembly `text`, and what to do, if it is
/// that of a GPU; else empty.
std::string checkGpuAssembly(llvm::StringRef text);

} // namespace mlir::triton::cpu

#endif // CPU_CONVERSION_INLINEASSEMBLY_H
