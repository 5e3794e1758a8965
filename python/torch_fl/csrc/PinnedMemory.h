//===- PinnedMemory.h - host memory marked as pinned ------------*- C++ -*-===//
#pragma once

#include <c10/core/Allocator.h>

namespace torch_fl {

/// Hands out host memory that `isPinned` knows. The device reads all memory of
/// the host, so nothing has to be locked.
c10::Allocator *pinnedAllocator();

/// Whether `data` points into memory of `pinnedAllocator`.
bool isPinned(const void *data);

} // namespace torch_fl
