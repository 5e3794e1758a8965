//===- NestedTensors.cpp - padding stays padding --------------------------===//
//
// Torch has nested tensors of the layout `strided` for devices that it knows by
// name. Its encoder for inference makes them of padded input wherever a device
// answers that a mask allows it.
//
//===----------------------------------------------------------------------===//
#include <ATen/core/Tensor.h>
#include <torch/library.h>

namespace torch_fl {
namespace {

/// No mask does. The encoder then computes with the padding, as in training.
bool canBeNested(const at::Tensor &, const at::Tensor &) { return false; }

at::Tensor nestedFromMask(const at::Tensor &, const at::Tensor &, bool) {
  TORCH_CHECK_NOT_IMPLEMENTED(
      false, "flagos has no nested tensors of the layout strided. For "
             "nn.TransformerEncoder, leave mask_check=True or pass "
             "enable_nested_tensor=False; else use layout=torch.jagged");
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_nested_tensor_from_mask_left_aligned", TORCH_FN(canBeNested));
  m.impl("_nested_tensor_from_mask", TORCH_FN(nestedFromMask));
}

} // namespace
} // namespace torch_fl
