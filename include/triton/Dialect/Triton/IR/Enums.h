//===- Enums.h - Enumerations of the Triton dialect -----------------------===//
//
// Separate from the operations: code that only passes options around does not
// need to compile the rest of the dialect.

#ifndef TRITON_DIALECT_TRITON_IR_ENUMS_H
#define TRITON_DIALECT_TRITON_IR_ENUMS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

#include "triton/Dialect/Triton/IR/OpsEnums.h.inc"

#endif // TRITON_DIALECT_TRITON_IR_ENUMS_H
