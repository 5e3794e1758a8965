//===- Fallback.cpp - operators without a kernel of their own -------------===//
//
// One boxed function: arguments of the device become CPU ones that share their
// memory, the operator runs on the CPU, its results become the device's.
//
//===----------------------------------------------------------------------===//
#include "Generator.h"
#include "Retag.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/jit_type.h>
#include <ATen/core/stack.h>
#include <torch/library.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <unordered_set>

namespace torch_fl {
namespace {

/// Operators whose signature asks for some tensor of the CPU beside those of
/// the device.
const std::unordered_set<std::string> &mixedOnPurpose() {
  static const std::unordered_set<std::string> names{
      "aten::_pack_padded_sequence"};
  return names;
}

bool logsCalls() {
  static const bool logs = [] {
    const char *text = std::getenv("FLAGOS_LOG_FALLBACK");
    return text && *text && std::string(text) != "0";
  }();
  return logs;
}

bool isOptionalGenerator(const c10::Type &type) {
  return type.kind() == c10::TypeKind::OptionalType &&
         type.expectRef<c10::OptionalType>().getElementType()->kind() ==
             c10::TypeKind::GeneratorType;
}

/// The arguments and results of one call.
class Call {
public:
  explicit Call(const c10::OperatorHandle &op) : op(op) {}

  c10::IValue toHost(const c10::IValue &value, const c10::Argument &argument) {
    if (value.isTensor())
      return argumentTensor(value.toTensor());
    if (value.isTensorList())
      return map(value.toTensorList(), [&](const at::Tensor &tensor) {
        return argumentTensor(tensor);
      });
    if (value.isDevice() &&
        value.toDevice().type() == c10::DeviceType::PrivateUse1)
      return c10::Device(c10::DeviceType::CPU);
    if (value.isGenerator() &&
        value.toGenerator().device().type() == c10::DeviceType::PrivateUse1)
      return hostGenerator(value.toGenerator());
    if (value.isNone() && isOptionalGenerator(*argument.type()))
      return hostGenerator(defaultGenerator());
    if (value.isOptionalTensorList())
      return map(value.toOptionalTensorList(),
                 [&](const std::optional<at::Tensor> &tensor) {
                   // Indices may be on the CPU.
                   return tensor ? std::optional<at::Tensor>(
                                       tensors.toHost(*tensor))
                                 : std::nullopt;
                 });
    return value;
  }

  c10::IValue toDevice(const c10::IValue &value) {
    if (value.isTensor())
      return tensors.toDevice(value.toTensor());
    if (value.isTensorList())
      return map(value.toTensorList(), [&](const at::Tensor &tensor) {
        return tensors.toDevice(tensor);
      });
    return value;
  }

  void checkDevices() const {
    TORCH_CHECK(!foreign || !own || mixedOnPurpose().count(op.schema().name()),
                op.schema().name(),
                ": expected all tensors on one device, got flagos:0 and cpu. "
                "Move them with .to(\"flagos\")");
  }

  void writeBack() { tensors.writeBack(); }

private:
  at::Tensor argumentTensor(const at::Tensor &tensor) {
    if (isOnDevice(tensor))
      own = true;
    else if (tensor.defined() && tensor.device().is_cpu() && tensor.dim() > 0)
      foreign = true;
    return tensors.toHost(tensor);
  }

  template <typename Element, typename Function>
  static c10::List<Element> map(const c10::List<Element> &list,
                                Function function) {
    c10::List<Element> result;
    result.reserve(list.size());
    for (size_t i = 0; i < list.size(); ++i)
      result.push_back(function(list.get(i)));
    return result;
  }

  const c10::OperatorHandle &op;
  Retagger tensors;
  bool own = false, foreign = false;
};

void runOnHost(const c10::OperatorHandle &op, torch::jit::Stack *stack) {
  const auto &schema = op.schema();
  if (logsCalls())
    std::fprintf(stderr, "flagos: %s on the CPU\n",
                 c10::toString(op.operator_name()).c_str());

  // What autograd and autocast have to do for this call, they have done for the
  // tensors of the device.
  at::AutoDispatchBelowADInplaceOrView belowAutograd;
  c10::impl::ExcludeDispatchKeyGuard withoutAutocast(
      c10::autocast_dispatch_keyset);

  Call call(op);
  size_t first = stack->size() - schema.arguments().size();
  for (size_t i = 0; i < schema.arguments().size(); ++i)
    (*stack)[first + i] =
        call.toHost((*stack)[first + i], schema.arguments()[i]);
  call.checkDevices();

  op.callBoxed(stack);
  call.writeBack();
  for (size_t i = stack->size() - schema.returns().size(); i < stack->size();
       ++i)
    (*stack)[i] = call.toDevice((*stack)[i]);
}

/// Operators that torch composes of others for a device that has no kernel of
/// its own, less exactly or with warnings that the user cannot do anything
/// about. The CPU has kernels for them.
constexpr const char *kNotComposed[] = {"mse_loss", "native_layer_norm",
                                        "native_layer_norm_backward"};

} // namespace

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&runOnHost>());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  for (const char *name : kNotComposed)
    m.impl(name, torch::CppFunction::makeFromBoxedFunction<&runOnHost>());
}

} // namespace torch_fl
