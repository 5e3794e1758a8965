//===- InductorFunctions.h - for code that Inductor generates ---*- C++ -*-===//
//
// Generated code calls these for each kernel, so they have neither a dispatcher
// nor a parser of arguments, which take longer than the work.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <torch/csrc/python_headers.h>

namespace torch_fl {

/// Adds to a Python module: `empty_strided(size, stride, dtype)`, which is
/// `torch.empty_strided` for the device, and `host_raw_stream(device)`.
void addInductorFunctions(PyObject *module);

} // namespace torch_fl
