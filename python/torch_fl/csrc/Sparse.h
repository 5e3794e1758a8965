//===- Sparse.h - sparse tensors of the device ------------------*- C++ -*-===//
//
// A sparse tensor is some dense ones. It changes its device when they do.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

namespace torch_fl {

using TensorMap = std::function<at::Tensor(const at::Tensor &)>;

/// Whether `tensor` is defined and sparse, in whichever layout.
bool isSparse(const at::Tensor &tensor);

/// A sparse tensor like `model` on `device`, made of what `part` makes of the
/// tensors that `model` is made of.
at::Tensor sparseTensor(const at::Tensor &model, c10::Device device,
                        const TensorMap &part);

/// Gives the sparse tensor `target` the shape of `model`, and what `part` makes
/// of the tensors that `model` is made of.
void setSparseTensor(const at::Tensor &target, const at::Tensor &model,
                     const TensorMap &part);

} // namespace torch_fl
