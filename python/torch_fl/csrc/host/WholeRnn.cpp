//===- WholeRnn.cpp - recurrent networks in one call ----------------------===//
//
// Torch composes these of small operators for each step, and each of them would
// pass the fallback. Where nobody needs to see the parts, because no gradient
// is wanted and nothing traces, the CPU runs the whole.
//
//===----------------------------------------------------------------------===//
#include "../Retag.h"
#include "HostParts.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/impl/TorchDispatchModeTLS.h>
#include <torch/library.h>

#include <algorithm>

namespace torch_fl {
namespace {

using at::Tensor;
using c10::IValue;

constexpr const char *kNetworks[] = {
    "lstm.data",     "gru.input",      "gru.data",     "rnn_tanh.input",
    "rnn_tanh.data", "rnn_relu.input", "rnn_relu.data"};

/// The keys of a tensor that no transformation or tracer has wrapped.
bool isPlain(const Tensor &tensor) {
  constexpr c10::DispatchKeySet wrappers{
      c10::DispatchKey::Python, c10::DispatchKey::FuncTorchBatched,
      c10::DispatchKey::FuncTorchGradWrapper, c10::DispatchKey::Functionalize};
  return tensor.defined() && !tensor.key_set().has_any(wrappers) &&
         tensor.layout() == at::kStrided && tensor.has_storage();
}

bool isWithoutGradient(const Tensor &tensor) {
  return !(at::GradMode::is_enabled() && tensor.requires_grad()) &&
         !tensor._fw_grad(/*level=*/0).defined();
}

/// On the device, or what torch wants on the CPU: the lengths of packed
/// sequences.
bool isInMemory(const Tensor &tensor) {
  return isFlagos(tensor) ||
         (tensor.is_cpu() && tensor.scalar_type() == at::kLong);
}

bool isReady(const Tensor &tensor) {
  return isPlain(tensor) && isInMemory(tensor) && isWithoutGradient(tensor);
}

bool areReady(const IValue &value) {
  if (value.isTensor())
    return isReady(value.toTensor());
  if (!value.isTensorList())
    return true;
  auto list = value.toTensorVector();
  return std::all_of(list.begin(), list.end(), isReady);
}

IValue argument(const c10::OperatorHandle &op, c10::ArrayRef<IValue> arguments,
                const char *name) {
  return arguments[*op.schema().argumentIndexWithName(name)];
}

/// Dropout draws numbers of the device's generator, which the CPU's operator
/// does not know.
bool draws(const c10::OperatorHandle &op, c10::ArrayRef<IValue> arguments) {
  return argument(op, arguments, "train").toBool() &&
         argument(op, arguments, "dropout").toDouble() != 0;
}

bool runsWhole(const c10::OperatorHandle &op, c10::ArrayRef<IValue> arguments) {
  return !at::autocast::is_autocast_enabled(c10::DeviceType::PrivateUse1) &&
         !c10::impl::TorchDispatchModeTLS::any_modes_set() &&
         !draws(op, arguments) &&
         std::all_of(arguments.begin(), arguments.end(), areReady);
}

IValue toBacking(Retagger &call, const IValue &value) {
  if (value.isTensor())
    return call.toBacking(value.toTensor());
  if (!value.isTensorList())
    return value;
  auto list = value.toTensorVector();
  for (auto &tensor : list)
    tensor = call.toBacking(tensor);
  return list;
}

void run(const c10::OperatorHandle &op, torch::jit::Stack *stack) {
  auto arguments = torch::jit::last(*stack, op.schema().arguments().size());
  constexpr c10::DispatchKeySet cpu(c10::DispatchKey::CPU);
  if (!runsWhole(op, arguments)) {
    // The CPU has the kernel that composes; the parts go where tensors are.
    op.redispatchBoxed(cpu, stack);
    return;
  }
  at::AutoDispatchBelowADInplaceOrView belowAutograd;
  Retagger call;
  for (size_t i = stack->size() - arguments.size(); i < stack->size(); ++i)
    (*stack)[i] = toBacking(call, (*stack)[i]);
  op.redispatchBoxed(cpu, stack);
  auto results = torch::jit::pop(*stack, op.schema().returns().size());
  for (const auto &result : results)
    stack->emplace_back(call.toFlagos(result.toTensor()));
}

} // namespace

void registerHostNetworks() {
  static std::vector<torch::Library> libraries;
  for (auto key :
       {c10::DispatchKey::AutogradPrivateUse1, c10::DispatchKey::PrivateUse1}) {
    auto &library = libraries.emplace_back(torch::Library::IMPL, "aten", key,
                                           __FILE__, __LINE__);
    for (const char *name : kNetworks)
      library.impl(name, torch::CppFunction::makeFromBoxedFunction<&run>());
  }
}

} // namespace torch_fl
