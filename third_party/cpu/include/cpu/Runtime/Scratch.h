//===- Scratch.h - working memory of kernels --------------------*- C++ -*-===//

#ifndef TRITON_CPU_RUNTIME_SCRATCH_H
#define TRITON_CPU_RUNTIME_SCRATCH_H

#include <cstddef>

namespace mlir::triton::cpu {

/// At least `size` bytes, aligned to 64, that belong to the calling thread and
/// keep no content from one call to the next. Null when memory is short; for
/// size 0 any pointer.
void *getScratch(size_t size);

} // namespace mlir::triton::cpu

#endif // TRITON_CPU_RUNTIME_SCRATCH_H
