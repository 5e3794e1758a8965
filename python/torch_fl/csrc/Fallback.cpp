//===- Fallback.cpp - operators without a kernel of their own -------------===//
//
// One boxed function: arguments of flagos become those of the backing device
// that share their memory, the operator runs there, its results become flagos'.
//
//===----------------------------------------------------------------------===//
#include "Fallback.h"
#include "Backing.h"
#include "Generator.h"
#include "Retag.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/jit_type.h>
#include <torch/library.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <unordered_set>

namespace torch_fl {
namespace {

/// Operators whose signature asks for some tensor of the CPU beside those of
/// the device, or that copy between devices.
const std::unordered_set<std::string> &mixedOnPurpose() {
  static const std::unordered_set<std::string> names{
      "aten::_pack_padded_sequence", "aten::copy_",
      "aten::copy_sparse_to_sparse_"};
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

bool isElsewhere(const at::Tensor &tensor) {
  return tensor.device().is_cpu() ||
         tensor.device().type() == backing().device().type();
}

/// The arguments and results of one call.
class Call {
public:
  explicit Call(const c10::OperatorHandle &op) : op(op) {}

  c10::IValue toBacking(const c10::IValue &value,
                        const c10::Argument &argument) {
    if (value.isTensor())
      return argumentTensor(value.toTensor());
    if (value.isTensorList())
      return map(value.toTensorList(), [&](const at::Tensor &tensor) {
        return argumentTensor(tensor);
      });
    if (value.isDevice() &&
        value.toDevice().type() == c10::DeviceType::PrivateUse1) {
      makesOwn = true;
      return backing().device();
    }
    if (value.isGenerator())
      return argumentGenerator(value.toGenerator());
    if (value.isNone() && isOptionalGenerator(*argument.type()))
      return backingGenerator(defaultGenerator());
    if (value.isOptionalTensorList())
      return map(value.toOptionalTensorList(),
                 [&](const std::optional<at::Tensor> &tensor) {
                   // Indices may be on the CPU.
                   return tensor ? std::optional<at::Tensor>(
                                       tensors.toBacking(*tensor))
                                 : std::nullopt;
                 });
    return value;
  }

  c10::IValue toFlagos(const c10::IValue &value) {
    if (value.isTensor())
      return tensors.toFlagos(value.toTensor());
    if (value.isTensorList())
      return map(value.toTensorList(), [&](const at::Tensor &tensor) {
        return tensors.toFlagos(tensor);
      });
    return value;
  }

  void checkDevices() const {
    TORCH_CHECK(!foreign || !own || mixedOnPurpose().count(op.schema().name()),
                op.schema().name(),
                ": expected all tensors on one device, got flagos:0 and ",
                foreign.value_or(c10::DeviceType::CPU),
                ". Move them with .to(\"flagos\")");
    bool onFlagos = own || makesOwn;
    TORCH_CHECK(!generator || generator->is_privateuseone() == onFlagos,
                op.schema().name(), ": expected a generator of ",
                onFlagos ? "flagos:0" : "the device of the tensors",
                ", got one of ", generator ? generator->str() : std::string(),
                ". Make it with torch.Generator(device=...)");
  }

  void writeBack() { tensors.writeBack(); }

private:
  at::Tensor argumentTensor(const at::Tensor &tensor) {
    if (tensor.defined() && tensor.is_privateuseone())
      own = true;
    else if (tensor.defined() && tensor.dim() > 0 && isElsewhere(tensor))
      foreign = tensor.device();
    return tensors.toBacking(tensor);
  }

  at::Generator argumentGenerator(const at::Generator &given) {
    generator = given.device();
    bool isOwn = generator->is_privateuseone();
    return isOwn ? backingGenerator(given) : given;
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
  bool own = false;      // an argument is a tensor of flagos
  bool makesOwn = false; // or the device of the results is
  std::optional<c10::Device> foreign;
  std::optional<c10::Device> generator;
};

/// Operators that torch composes of others for a device that has no kernel of
/// its own, less exactly or with warnings that the user cannot do anything
/// about. Backing devices have kernels for them.
constexpr const char *kNotComposed[] = {"addr",
                                        "addr.out",
                                        "mish_backward",
                                        "mse_loss",
                                        "native_group_norm",
                                        "native_layer_norm",
                                        "native_layer_norm_backward"};

/// Registers the fallback for each operator that has a kernel for one of
/// `keys`.
void runOnBackingWhereThereIs(torch::Library &library,
                              std::initializer_list<c10::DispatchKey> keys) {
  auto &dispatcher = c10::Dispatcher::singleton();
  for (const auto &name : dispatcher.getAllOpNames()) {
    auto op = dispatcher.findOp(name);
    if (!op || name.name.rfind("aten::", 0) != 0)
      continue;
    for (c10::DispatchKey key : keys)
      if (op->hasKernelForDispatchKey(key)) {
        library.impl(
            c10::toString(name).c_str(),
            torch::CppFunction::makeFromBoxedFunction<&runOnBacking>());
        break;
      }
  }
}

} // namespace

void runOnBacking(const c10::OperatorHandle &op, torch::jit::Stack *stack) {
  const auto &schema = op.schema();
  if (logsCalls())
    std::fprintf(stderr, "flagos: %s on %s\n",
                 c10::toString(op.operator_name()).c_str(),
                 backing().name().c_str());

  // What autograd and autocast have to do for this call, they have done for the
  // tensors of the device.
  at::AutoDispatchBelowADInplaceOrView belowAutograd;
  c10::impl::ExcludeDispatchKeyGuard withoutAutocast(
      c10::autocast_dispatch_keyset);

  Call call(op);
  size_t first = stack->size() - schema.arguments().size();
  for (size_t i = 0; i < schema.arguments().size(); ++i)
    (*stack)[first + i] =
        call.toBacking((*stack)[first + i], schema.arguments()[i]);
  call.checkDevices();

  op.callBoxed(stack);
  call.writeBack();
  for (size_t i = stack->size() - schema.returns().size(); i < stack->size();
       ++i)
    (*stack)[i] = call.toFlagos((*stack)[i]);
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&runOnBacking>());
}

TORCH_LIBRARY_IMPL(_, SparsePrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&runOnBacking>());
}

TORCH_LIBRARY_IMPL(_, SparseCsrPrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&runOnBacking>());
}

// What torch composes of others for dense tensors, it cannot compose for sparse
// ones.
TORCH_LIBRARY_IMPL(aten, SparsePrivateUse1, m) {
  runOnBackingWhereThereIs(
      m, {c10::DispatchKey::SparseCPU, c10::DispatchKey::SparseCUDA});
}

TORCH_LIBRARY_IMPL(aten, SparseCsrPrivateUse1, m) {
  runOnBackingWhereThereIs(
      m, {c10::DispatchKey::SparseCsrCPU, c10::DispatchKey::SparseCsrCUDA});
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  for (const char *name : kNotComposed)
    m.impl(name, torch::CppFunction::makeFromBoxedFunction<&runOnBacking>());
}

} // namespace torch_fl
