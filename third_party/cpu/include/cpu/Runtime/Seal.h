//===- Seal.h - detect damaged objects --------------------------*- C++ -*-===//
//
// Objects come back from a cache on disk, and LLVM's object reader trusts what
// it reads: damage would end in a crash, or in different code being run. A
// checksum behind the object tells. Linkers and other tools ignore what
// follows the last section.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_CPU_RUNTIME_SEAL_H
#define TRITON_CPU_RUNTIME_SEAL_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir::triton::cpu {

/// `object` with its checksum.
std::string sealObject(llvm::StringRef object);

/// The object without its checksum, or an error when they do not fit. Objects
/// that were never sealed pass as they are.
llvm::Expected<llvm::StringRef> unsealObject(llvm::StringRef sealed);

} // namespace mlir::triton::cpu

#endif // TRITON_CPU_RUNTIME_SEAL_H
