//===- Generator.h - random numbers of the flagos device --------*- C++ -*-===//
#pragma once

#include <ATen/core/Generator.h>

namespace torch_fl {

/// The generator that operators without an explicit one use.
const at::Generator &defaultGenerator();

/// A new generator of the device, with the default seed.
at::Generator newGenerator();

/// The generator of the backing device that `generator`, one of flagos, draws
/// its numbers from.
at::Generator backingGenerator(const at::Generator &generator);

} // namespace torch_fl
