//===- DeviceNames.h - neutral names of what a device provides --*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// Lowered kernels refer to the device by these names. The target's own names
// replace them in the last step (mthreads/Target/DeviceIR.h), so that they are
// written in one table only.
//
//   simt.thread_id              () -> i32, position in the block
//   simt.block_id.{x,y,z}       () -> i32
//   simt.num_blocks.{x,y,z}     () -> i32
//   simt.barrier                () waits for all threads of the block and makes
//                               their memory accesses visible to each other
//   simt.print                  (format, ...) -> i32, C's printf
//   simt.exit                   () ends the thread
//   simt.shared                 shared memory of the block
//   simt.math.<function>.<type> a function of mathFunctions(), f32 or f64;
//                               simt.math.umulhi.i64
//
//===----------------------------------------------------------------------===//

#ifndef MTHREADS_CONVERSION_DEVICENAMES_H
#define MTHREADS_CONVERSION_DEVICENAMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::triton::mthreads {

constexpr llvm::StringLiteral kThreadId = "simt.thread_id";
constexpr llvm::StringLiteral kBlockId = "simt.block_id.";
constexpr llvm::StringLiteral kNumBlocks = "simt.num_blocks.";
constexpr llvm::StringLiteral kBarrier = "simt.barrier";
constexpr llvm::StringLiteral kPrint = "simt.print";
constexpr llvm::StringLiteral kExit = "simt.exit";
constexpr llvm::StringLiteral kShared = "simt.shared";
constexpr llvm::StringLiteral kMath = "simt.math.";

/// Functions of floats that lowered kernels may call, without prefix and type.
llvm::ArrayRef<llvm::StringLiteral> mathFunctions();

/// Address spaces, as in TTIR.
constexpr unsigned kGlobalSpace = 1;
constexpr unsigned kSharedSpace = 3;

} // namespace mlir::triton::mthreads

#endif // MTHREADS_CONVERSION_DEVICENAMES_H
