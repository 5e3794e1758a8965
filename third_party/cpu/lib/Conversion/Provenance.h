//===- Provenance.h - which argument a pointer comes from -------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#ifndef CPU_LIB_CONVERSION_PROVENANCE_H
#define CPU_LIB_CONVERSION_PROVENANCE_H

#include "mlir/IR/Value.h"

namespace mlir::triton::cpu {

/// The kernel arguments that `pointer`, a scalar or a tensor, may be derived
/// from, as a set of bits. 0 if that cannot be known: the pointer was loaded
/// from memory, made from an integer, or comes from an argument past the 64th.
uint64_t baseArguments(Value pointer);

} // namespace mlir::triton::cpu

#endif // CPU_LIB_CONVERSION_PROVENANCE_H
