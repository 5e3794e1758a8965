//===- Overrideable.cpp - convolutions, which torch leaves to the device --===//
//
// For these torch chooses a kernel by the type of the device, before the
// fallback is asked. The backing device chooses its own, and results have the
// layout that it gives them; inductor/convolutions.py tells the compiler.
//
//===----------------------------------------------------------------------===//
#include "Fallback.h"
#include "Retag.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <torch/library.h>

namespace torch_fl {
namespace {

using at::SymIntArrayRef;
using at::Tensor;

Tensor convolution(const Tensor &input, const Tensor &weight,
                   const std::optional<Tensor> &bias, SymIntArrayRef stride,
                   SymIntArrayRef padding, SymIntArrayRef dilation,
                   bool transposed, SymIntArrayRef outputPadding,
                   c10::SymInt groups) {
  at::AutoDispatchBelowADInplaceOrView belowAutograd;
  Retagger call;
  auto theirBias =
      bias ? std::optional<Tensor>(call.toBacking(*bias)) : std::nullopt;
  return call.toFlagos(at::convolution_symint(
      call.toBacking(input), call.toBacking(weight), theirBias, stride, padding,
      dilation, transposed, outputPadding, std::move(groups)));
}

std::tuple<Tensor, Tensor, Tensor>
convolutionBackward(const Tensor &gradient, const Tensor &input,
                    const Tensor &weight, SymIntArrayRef stride,
                    SymIntArrayRef padding, SymIntArrayRef dilation,
                    bool transposed, SymIntArrayRef outputPadding,
                    c10::SymInt groups, std::array<bool, 3> wanted) {
  at::AutoDispatchBelowADInplaceOrView belowAutograd;
  Retagger call;
  auto channels = transposed ? gradient.sym_size(1) : weight.sym_size(0);
  auto biasSize = wanted[2]
                      ? at::OptionalSymIntArrayRef(SymIntArrayRef(channels))
                      : std::nullopt;
  auto [forInput, forWeight, forBias] = at::convolution_backward_symint(
      call.toBacking(gradient), call.toBacking(input), call.toBacking(weight),
      biasSize, stride, padding, dilation, transposed, outputPadding,
      std::move(groups), wanted);
  return {call.toFlagos(forInput), call.toFlagos(forWeight),
          call.toFlagos(forBias)};
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  // Before torch looks for the device's kernel it makes inputs of some shapes
  // contiguous. The backing device may not need that.
  for (const char *name : {"convolution", "convolution_backward"})
    m.impl(name, torch::CppFunction::makeFromBoxedFunction<&runOnBacking>());
  m.impl("convolution_overrideable", TORCH_FN(convolution));
  m.impl("convolution_backward_overrideable", TORCH_FN(convolutionBackward));
}

} // namespace
} // namespace torch_fl
