//===- DriverAbi.h - what the native launcher needs of a driver -*- C++ -*-===//
//
// A driver hands the launcher one `TritonDriverAbi` in a PyCapsule named
// `TRITON_DRIVER_ABI_CAPSULE`. The launcher then starts kernels without going
// through Python. Plain C types only, so that a backend outside of this tree
// may be compiled with another compiler or runtime library.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_RUNTIME_DRIVERABI_H
#define TRITON_RUNTIME_DRIVERABI_H

#include <stdint.h>

/// The value of `TritonDriverAbi::version` that this header describes. The
/// launcher refuses a capsule of any other version.
#define TRITON_DRIVER_ABI_VERSION 1

/// Name of the PyCapsule that carries a `TritonDriverAbi *`.
#define TRITON_DRIVER_ABI_CAPSULE "triton.driver_abi"

/// `TritonLaunchInfo::flags`: the kernel may wait for another thread (atomics,
/// volatile loads, prints, asserts), so it must not run with the Python
/// interpreter locked.
#define TRITON_LAUNCH_BLOCKING 1u

extern "C" {

/// What the driver has to know about a compiled kernel besides its function.
struct TritonLaunchInfo {
  /// Bytes of shared memory (scratch on a CPU) that one program needs.
  uint32_t shared;
  uint32_t num_warps;
  /// A set of `TRITON_LAUNCH_*` bits.
  uint32_t flags;
};

struct TritonDriverAbi {
  uint32_t version;
  /// The device that launches of the calling thread go to.
  int (*device)(void);
  /// The stream that launches on `device` go to; 0 when there are no streams.
  uint64_t (*stream)(int device);
  /// Starts `function` over `grid`. `slots` holds the `nslots` live arguments,
  /// 8 bytes each; they are read before the call returns. Returns null, or a
  /// text with static lifetime that says why the launch failed.
  const char *(*launch)(uint64_t function, const uint32_t grid[3],
                        uint64_t stream, const uint64_t *slots, uint32_t nslots,
                        const TritonLaunchInfo *info);
};

} // extern "C"

#endif // TRITON_RUNTIME_DRIVERABI_H
