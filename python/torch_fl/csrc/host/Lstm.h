//===- Lstm.h - LSTM by the CPU's library -----------------------*- C++ -*-===//
#pragma once

#include <ATen/core/Tensor.h>

namespace torch_fl {

/// Whether the CPU would have its library compute the layers of this network
/// whole. `hidden` are the hidden and the cell state, of shape (layers and
/// directions, batch, size) each.
bool lstmIsInLibrary(const at::Tensor &input, at::TensorList hidden,
                     at::TensorList parameters);

/// Has `aten::lstm` do so for tensors of the device.
void registerHostLstm();

} // namespace torch_fl
