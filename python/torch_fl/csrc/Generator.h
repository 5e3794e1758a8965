//===- Generator.h - random numbers of the flagos device --------*- C++ -*-===//
#pragma once

#include <ATen/core/Generator.h>

namespace torch_fl {

/// The generator that operators without an explicit one use.
const at::Generator &defaultGenerator();

/// A new generator of the device, with the default seed.
at::Generator newGenerator();

/// The CPU generator that `generator`, one of the device, draws its numbers
/// from.
at::Generator hostGenerator(const at::Generator &generator);

} // namespace torch_fl
