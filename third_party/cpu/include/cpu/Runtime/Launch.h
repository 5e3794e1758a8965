//===- Launch.h - run the programs of a grid --------------------*- C++ -*-===//

#ifndef TRITON_CPU_RUNTIME_LAUNCH_H
#define TRITON_CPU_RUNTIME_LAUNCH_H

#include "triton/Runtime/DriverAbi.h"
#include <cstdint>

namespace mlir::triton::cpu {

/// A compiled kernel: runs the programs lo <= p < hi of the linearised grid,
/// x fastest. `args` holds 8 bytes per live argument. `scratch` is aligned to
/// 64 bytes and private to the calling thread.
using KernelFunction = void (*)(const uint64_t *args, const uint32_t *grid,
                                int64_t lo, int64_t hi, void *scratch);

/// The implementation of the native launcher's interface. Static lifetime.
const TritonDriverAbi *getDriverAbi();

/// Forgets what was measured about the speed of `function`.
void forgetLaunchCost(uint64_t function);

} // namespace mlir::triton::cpu

#endif // TRITON_CPU_RUNTIME_LAUNCH_H
