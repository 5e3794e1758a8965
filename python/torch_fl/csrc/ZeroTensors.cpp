//===- ZeroTensors.cpp - tensors of zeros without memory ------------------===//
//
// Derivatives that are zero everywhere. Torch reads such a tensor's dispatch
// key, never its memory, so it has to be made with that key.
//
//===----------------------------------------------------------------------===//
#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/TensorFactories.h>
#include <torch/library.h>

namespace torch_fl {
namespace {

at::Tensor efficientZeroTensor(c10::SymIntArrayRef size,
                               std::optional<c10::ScalarType> dtype,
                               std::optional<c10::Layout> layout,
                               std::optional<c10::Device> device,
                               std::optional<bool> pinned) {
  constexpr c10::DispatchKeySet keys =
      c10::DispatchKeySet(c10::DispatchKey::PrivateUse1) |
      c10::DispatchKeySet(c10::DispatchKey::ZeroTensor);
  // The only operation of this allocator is to hand out nothing, on a device.
  static at::native::ZeroTensorAllocator nothing(
      c10::Device(c10::DeviceType::PrivateUse1, 0));
  return at::detail::empty_generic(C10_AS_INTARRAYREF_SLOW(size), &nothing,
                                   keys, c10::dtype_or_default(dtype),
                                   std::nullopt);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_efficientzerotensor", TORCH_FN(efficientZeroTensor));
}

} // namespace
} // namespace torch_fl
