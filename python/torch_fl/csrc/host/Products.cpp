//===- Products.cpp - matrix products on the host -------------------------===//
//
// Large ones in f32 are the work of a Triton kernel, which is faster than the
// library of torch's CPU on processors that the library was not made for. All
// others run on the CPU like any operator.
//
//===----------------------------------------------------------------------===//
#include "Products.h"
#include "../Fallback.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/library.h>

#include <initializer_list>

namespace torch_fl {
namespace {

using at::Scalar;
using at::Tensor;

/// Multiplications from which the call of a function in Python does not matter.
constexpr int64_t kLarge = int64_t(1) << 23;
/// Rows, columns and what is summed fill at least one block of the kernel.
constexpr int64_t kNarrow = 64;

/// Never destroyed: tensors outlive the interpreter's modules.
py::object &product() {
  static auto *function = new py::object;
  return *function;
}

bool isPlain(const Tensor &tensor) {
  return tensor.is_privateuseone() && tensor.layout() == c10::kStrided &&
         tensor.scalar_type() == c10::kFloat && !tensor.is_neg() &&
         !tensor._is_zerotensor();
}

bool isLarge(const Tensor &a, const Tensor &b) {
  return isPlain(a) && isPlain(b) && a.dim() == 2 && b.dim() == 2 &&
         a.size(1) == b.size(0) && a.size(0) >= kNarrow &&
         a.size(1) >= kNarrow && b.size(1) >= kNarrow &&
         a.size(0) * a.size(1) >= kLarge / b.size(1);
}

/// Whether writing `out` leaves what is read as it is.
bool isApart(const Tensor &out, std::initializer_list<const Tensor *> read) {
  for (const Tensor *tensor : read)
    if (out.is_alias_of(*tensor))
      return false;
  return true;
}

bool hasShape(const Tensor &out, const Tensor &a, const Tensor &b) {
  return isPlain(out) && out.dim() == 2 && out.size(0) == a.size(0) &&
         out.size(1) == b.size(1) && out.is_non_overlapping_and_dense();
}

bool multiply(const Tensor &a, const Tensor &b, const Tensor &bias,
              const Tensor &out) {
  py::gil_scoped_acquire locked;
  if (!product())
    return false;
  at::AutoDispatchBelowADInplaceOrView belowAutograd;
  py::object added = bias.defined() ? py::cast(bias) : py::none();
  return product()(a, b, added, out).cast<bool>();
}

/// `bias` as a matrix of the result's shape; undefined if it is none.
Tensor spread(const Tensor &bias, const Tensor &a, const Tensor &b) {
  int64_t rows = a.size(0), columns = b.size(1);
  if (!isPlain(bias) || bias.dim() > 2 || bias.dim() < 1)
    return {};
  bool fits = (bias.size(-1) == columns || bias.size(-1) == 1) &&
              (bias.dim() == 1 || bias.size(0) == rows || bias.size(0) == 1);
  return fits ? bias.expand({rows, columns}) : Tensor();
}

bool isOne(const Scalar &number) {
  return !number.isComplex() && number.toDouble() == 1;
}

/// The operator `name.overload` on the CPU.
template <typename... Arguments>
Tensor onCpu(const char *name, const char *overload, Arguments... arguments) {
  auto op = c10::Dispatcher::singleton().findSchemaOrThrow(name, overload);
  torch::jit::Stack stack{c10::IValue(arguments)...};
  runOnBacking(op, &stack);
  return stack.back().toTensor();
}

Tensor &mmOut(const Tensor &a, const Tensor &b, Tensor &out) {
  if (!isLarge(a, b) || !hasShape(out, a, b) || !isApart(out, {&a, &b}) ||
      !multiply(a, b, {}, out))
    onCpu("aten::mm", "out", a, b, out);
  return out;
}

Tensor mm(const Tensor &a, const Tensor &b) {
  if (!isLarge(a, b))
    return onCpu("aten::mm", "", a, b);
  Tensor out = at::empty({a.size(0), b.size(1)}, a.options());
  return mmOut(a, b, out);
}

bool addAndMultiply(const Tensor &bias, const Tensor &a, const Tensor &b,
                    const Scalar &beta, const Scalar &alpha,
                    const Tensor &out) {
  if (!hasShape(out, a, b) || !isApart(out, {&a, &b, &bias}) || !isOne(beta) ||
      !isOne(alpha))
    return false;
  Tensor added = spread(bias, a, b);
  return added.defined() && multiply(a, b, added, out);
}

Tensor &addmmOut(const Tensor &bias, const Tensor &a, const Tensor &b,
                 const Scalar &beta, const Scalar &alpha, Tensor &out) {
  if (!isLarge(a, b) || !addAndMultiply(bias, a, b, beta, alpha, out))
    onCpu("aten::addmm", "out", bias, a, b, beta, alpha, out);
  return out;
}

Tensor addmm(const Tensor &bias, const Tensor &a, const Tensor &b,
             const Scalar &beta, const Scalar &alpha) {
  if (isLarge(a, b)) {
    Tensor out = at::empty({a.size(0), b.size(1)}, a.options());
    if (addAndMultiply(bias, a, b, beta, alpha, out))
      return out;
  }
  return onCpu("aten::addmm", "", bias, a, b, beta, alpha);
}

} // namespace

void setProduct(py::object function) { product() = std::move(function); }

void registerHostProducts() {
  static auto *library =
      new torch::Library(torch::Library::IMPL, "aten",
                         c10::DispatchKey::PrivateUse1, __FILE__, __LINE__);
  library->impl("mm", TORCH_FN(mm));
  library->impl("mm.out", TORCH_FN(mmOut));
  library->impl("addmm", TORCH_FN(addmm));
  library->impl("addmm.out", TORCH_FN(addmmOut));
}

} // namespace torch_fl
