//===- Attention.cpp - which fused attention the host uses ----------------===//
//
// Torch asks each device for its choice. Without an answer it composes
// attention of two products and a softmax, which write and read a matrix of
// scores that the fused kernel never has in memory.
//
//===----------------------------------------------------------------------===//
#include "HostParts.h"

#include <ATen/native/transformers/attention.h>
#include <ATen/ops/_fused_sdp_choice_ops.h>

namespace torch_fl {
namespace {

using at::Tensor;

/// The CPU's choice. It looks at shapes, types and flags only, so tensors of
/// flagos will do, those without memory of a graph that is traced included.
int64_t choose(const Tensor &query, const Tensor &key, const Tensor &value,
               const std::optional<Tensor> &mask, double dropout, bool isCausal,
               std::optional<double> scale, bool sharesHeads) {
  return at::_ops::_fused_sdp_choice::redispatch(
      c10::DispatchKeySet(c10::DispatchKey::CPU), query, key, value, mask,
      dropout, isCausal, scale, sharesHeads);
}

} // namespace

void registerHostAttention() {
  at::native::_fused_sdp_choice_stub.set_privateuse1_dispatch_ptr(&choose);
}

} // namespace torch_fl
