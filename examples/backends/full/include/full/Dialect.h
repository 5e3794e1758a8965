//===- Dialect.h - The dialect full ---------------------------------------===//

#ifndef FULL_DIALECT_H
#define FULL_DIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "full/Dialect.h.inc"

#define GET_OP_CLASSES
#include "full/Ops.h.inc"

#endif // FULL_DIALECT_H
