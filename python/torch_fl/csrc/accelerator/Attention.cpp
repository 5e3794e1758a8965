//===- Attention.cpp - which fused attention an accelerator uses ----------===//
//
// Torch asks each device for its choice, often with tensors that have no memory
// because a graph is traced. The accelerator decides by shapes and types, so it
// gets tensors that have nothing else.
//
//===----------------------------------------------------------------------===//
#include "AcceleratorParts.h"

#include <ATen/native/transformers/attention.h>
#include <ATen/native/transformers/sdp_utils_cpp.h>
#include <ATen/ops/_fused_sdp_choice_ops.h>
#include <c10/core/TensorOptions.h>

namespace torch_fl {
namespace {

using at::Tensor;
using sdp::SDPBackend;

c10::DispatchKeySet theirKeys() {
  return c10::DispatchKeySet(
      c10::computeDispatchKey(std::nullopt, std::nullopt, backing().device()));
}

/// `model` without memory, as a tensor of the accelerator.
Tensor description(const Tensor &model) {
  auto tensor = at::detail::make_tensor<c10::TensorImpl>(
      theirKeys(), model.dtype(), backing().device());
  tensor.unsafeGetTensorImpl()->set_sizes_and_strides(
      model.sym_sizes(), model.sym_strides(), c10::SymInt(0));
  if (model.requires_grad())
    tensor.set_requires_grad(true);
  return tensor;
}

int64_t choose(const Tensor &query, const Tensor &key, const Tensor &value,
               const std::optional<Tensor> &mask, double dropout, bool isCausal,
               std::optional<double> scale, bool sharesHeads) {
  auto described = mask && mask->defined()
                       ? std::optional<Tensor>(description(*mask))
                       : std::nullopt;
  // Straight to the accelerator's kernel: whatever traces this call has nothing
  // to do with the descriptions.
  auto choice = static_cast<SDPBackend>(at::_ops::_fused_sdp_choice::redispatch(
      theirKeys(), description(query), description(key), description(value),
      described, dropout, isCausal, scale, sharesHeads));
  // Torch's way from this choice to a kernel leads to the CPU's for all devices
  // but those that it knows.
  if (choice == SDPBackend::flash_attention)
    choice = SDPBackend::efficient_attention;
  return static_cast<int64_t>(choice);
}

} // namespace

void registerAttention() {
  at::native::_fused_sdp_choice_stub.set_privateuse1_dispatch_ptr(&choose);
}

} // namespace torch_fl
