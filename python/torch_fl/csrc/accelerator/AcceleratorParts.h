//===- AcceleratorParts.h - flagos in memory of an accelerator --*- C++ -*-===//
//
// The accelerator is another device of torch. All that is asked of it goes
// through the interfaces that torch has for every accelerator, so nothing of
// its toolkit is needed to compile this.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "../Backing.h"

namespace torch_fl {

/// `flagos` over the memory that the allocator of `device` caches.
c10::DeviceAllocator *acceleratorAllocator(c10::Device device);

/// Memory of `storage`, which an operator of the accelerator made.
c10::DataPtr adoptAcceleratorMemory(const c10::Storage &storage);

/// Streams and events of flagos are those of `device` under another name.
const c10::impl::DeviceGuardImplInterface *acceleratorGuard(c10::Device device);

/// Has attention choose among the fused kernels of the accelerator.
void registerAttention();

/// Gives some results of the accelerator the strides that a compiled graph
/// expects of flagos.
void registerLayouts();

} // namespace torch_fl
