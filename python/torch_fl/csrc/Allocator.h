//===- Allocator.h - memory of the flagos device ----------------*- C++ -*-===//
//
// The device lives in host memory. Its allocator counts what it hands out, so
// that `torch.flagos.memory_stats` and `torch.accelerator.memory_*` answer.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <c10/core/Allocator.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/Storage.h>

namespace torch_fl {

/// The one allocator of the device; also registered with torch for the device
/// type.
c10::DeviceAllocator *deviceAllocator();

/// Memory of `host`, a storage that a CPU operator made, as memory of the
/// device. Shares it, and counts it as allocated until it is released.
c10::DataPtr adoptHostMemory(const c10::Storage &host);

} // namespace torch_fl
