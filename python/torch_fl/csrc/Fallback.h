//===- Fallback.h - operators without a kernel of their own -----*- C++ -*-===//
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace torch_fl {

/// Runs `op` on the backing device, over the memory of its arguments.
void runOnBacking(const c10::OperatorHandle &op, torch::jit::Stack *stack);

} // namespace torch_fl
