//===- Products.h - matrix products on the host -----------------*- C++ -*-===//
#pragma once

#include <torch/csrc/utils/pybind.h>

namespace torch_fl {

/// Registers products of two matrices for flagos in host memory.
void registerHostProducts();

/// Has large products in f32 computed by `function(a, b, bias, out)`, which
/// returns whether it did.
void setProduct(py::object function);

} // namespace torch_fl
