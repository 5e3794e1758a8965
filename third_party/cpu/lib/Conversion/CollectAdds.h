//===- CollectAdds.h - atomic additions nobody waits for --------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#ifndef CPU_LIB_CONVERSION_COLLECTADDS_H
#define CPU_LIB_CONVERSION_COLLECTADDS_H

#include "triton/Dialect/Triton/IR/Dialect.h"

namespace mlir::triton::cpu {

/// Is this an addition to a block whose old values nobody asks for, of a type
/// that the runtime collects (cpu/Runtime/AddBuffer.h)?
bool isCollectable(AtomicRMWOp op);

/// May the kernel do its collectable additions when it is through? Not if it
/// could notice: by another atomic operation, by a load or store of the same
/// argument, or because it waits for another program.
bool mayCollectAdds(FuncOp func);

} // namespace mlir::triton::cpu

#endif // CPU_LIB_CONVERSION_COLLECTADDS_H
