//===- TensorSplit.cpp - positions of a split on the device ---------------===//
//
// Torch wants the positions at which `tensor_split` divides a tensor on the
// CPU, because they become sizes. Those of the device are brought there.
//
//===----------------------------------------------------------------------===//
#include <ATen/core/Tensor.h>
#include <torch/library.h>

namespace torch_fl {
namespace {

std::vector<at::Tensor> tensorSplit(const at::Tensor &self,
                                    const at::Tensor &positions, int64_t dim) {
  TORCH_CHECK(positions.scalar_type() == at::kLong && positions.dim() <= 1,
              "tensor_split: expected a number of sections or a row of "
              "positions, of type int64, got ",
              positions.scalar_type(), " of ", positions.dim(), " dimensions");
  // Read one by one: that is what a tracer knows how to stop at.
  at::Tensor read = positions.cpu();
  if (read.dim() == 0)
    return self.tensor_split(read.item<int64_t>(), dim);
  std::vector<int64_t> indices;
  int64_t count = read.sym_numel().guard_int(__FILE__, __LINE__);
  for (int64_t i = 0; i < count; ++i)
    indices.push_back(read[i].item<int64_t>());
  return self.tensor_split(indices, dim);
}

// It is made of views, which autograd knows, so it stands above autograd.
TORCH_LIBRARY_IMPL(aten, AutogradPrivateUse1, m) {
  m.impl("tensor_split.tensor_indices_or_sections", TORCH_FN(tensorSplit));
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("tensor_split.tensor_indices_or_sections", TORCH_FN(tensorSplit));
}

} // namespace
} // namespace torch_fl
