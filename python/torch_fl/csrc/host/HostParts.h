//===- HostParts.h - flagos in host memory ----------------------*- C++ -*-===//
#pragma once

#include "../Backing.h"

namespace torch_fl {

/// Hands out host memory and counts it, so that `torch.flagos.memory_stats` and
/// `torch.accelerator.memory_*` answer.
c10::DeviceAllocator *hostAllocator();

/// Memory of `host`, a storage that a CPU operator made, as memory of the
/// device. Shares it, and counts it as allocated until it is released.
c10::DataPtr adoptHostMemory(const c10::Storage &host);

/// Hands out host memory that `isPinnedOnHost` knows. The device reads all
/// memory of the host, so nothing has to be locked.
c10::Allocator *hostPinnedAllocator();
bool isPinnedOnHost(const void *data);

const c10::impl::DeviceGuardImplInterface *hostGuard();

/// Fused cells of recurrent networks, which the CPU lacks.
void registerHostCells();

/// Histograms of integers, which the CPU lacks.
void registerHostHistogram();

/// Recurrent networks whose steps the CPU composes, as one call where nobody
/// needs to see the steps.
void registerHostNetworks();

/// Has attention choose among the fused kernels of the CPU.
void registerHostAttention();

} // namespace torch_fl
