//===- Hooks.h - what torch asks about the flagos device --------*- C++ -*-===//
#pragma once

namespace torch_fl {

/// Torch keeps the hooks for good: to be called once.
void registerHooks();

} // namespace torch_fl
