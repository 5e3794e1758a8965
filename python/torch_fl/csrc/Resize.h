//===- Resize.h - storages and tensors that change their size ---*- C++ -*-===//
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Storage.h>

namespace torch_fl {

/// Gives `storage` memory of `bytes` bytes, with as much of what was in it as
/// fits.
void resizeStorage(const c10::Storage &storage, size_t bytes);

/// `resize_` of a tensor of the device.
const at::Tensor &resize(const at::Tensor &self, at::IntArrayRef size,
                         std::optional<c10::MemoryFormat> format);

/// Makes `self` a view of `source`, which grows if the view does not fit.
at::Tensor &setView(at::Tensor &self, c10::Storage source, int64_t offset,
                    at::IntArrayRef size, at::IntArrayRef stride);

} // namespace torch_fl
