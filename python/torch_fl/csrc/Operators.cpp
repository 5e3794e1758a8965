//===- Operators.cpp - operators that make, view and copy tensors ---------===//
//
// Those that the fallback cannot do: they allocate, or share memory between
// device tensors, or see both devices.
//
//===----------------------------------------------------------------------===//
#include "Backing.h"
#include "Resize.h"
#include "Retag.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>
#include <torch/library.h>

namespace torch_fl {
namespace {

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

void checkOptions(std::optional<c10::Layout> layout,
                  std::optional<c10::Device> device,
                  std::optional<bool> pinned) {
  TORCH_CHECK(c10::layout_or_default(layout) == c10::kStrided,
              "flagos tensors are dense, got layout ", *layout);
  if (device)
    checkFlagosIndex(device->index());
  TORCH_CHECK(!c10::pinned_memory_or_default(pinned),
              "only tensors of the CPU can be pinned");
}

at::Tensor empty(at::IntArrayRef size, std::optional<c10::ScalarType> dtype,
                 std::optional<c10::Layout> layout,
                 std::optional<c10::Device> device, std::optional<bool> pinned,
                 std::optional<c10::MemoryFormat> format) {
  checkOptions(layout, device, pinned);
  return at::detail::empty_generic(size, backing().allocator(), kKeys,
                                   c10::dtype_or_default(dtype), format);
}

at::Tensor emptyStrided(at::IntArrayRef size, at::IntArrayRef stride,
                        std::optional<c10::ScalarType> dtype,
                        std::optional<c10::Layout> layout,
                        std::optional<c10::Device> device,
                        std::optional<bool> pinned) {
  checkOptions(layout, device, pinned);
  return at::detail::empty_strided_generic(size, stride, backing().allocator(),
                                           kKeys, c10::dtype_or_default(dtype));
}

/// Both ways between flagos and other devices, and within flagos.
at::Tensor copyFrom(const at::Tensor &source, const at::Tensor &target,
                    bool nonBlocking) {
  at::AutoDispatchBelowADInplaceOrView belowAutograd;
  backingAlias(target).copy_(backingAlias(source), nonBlocking);
  return target;
}

at::Tensor copyFromAndResize(const at::Tensor &source,
                             const at::Tensor &target) {
  at::AutoDispatchBelowADInplaceOrView belowAutograd;
  target.resize_(source.sizes());
  return copyFrom(source, target, /*nonBlocking=*/false);
}

at::Tensor &setToStorage(at::Tensor &self, at::Storage source) {
  auto elements =
      static_cast<int64_t>(source.nbytes() / self.dtype().itemsize());
  return setView(self, std::move(source), 0, elements, {});
}

at::Tensor &setToTensor(at::Tensor &self, const at::Tensor &source) {
  return setView(self, source.storage(), source.storage_offset(),
                 source.sizes(), source.strides());
}

at::Tensor &setToNothing(at::Tensor &self) {
  c10::Storage none(c10::Storage::use_byte_size_t(), 0, backing().allocator(),
                    /*resizable=*/true);
  return setView(self, std::move(none), 0, {0}, {});
}

/// Memory that work of another stream uses is not given out again before that
/// work is done.
void recordStream(at::Tensor &self, c10::Stream stream) {
  checkFlagosDevice(stream.device());
  backing().allocator()->recordStream(self.storage().data_ptr(), stream);
}

/// Whether a tensor can take the place of another one, so that a parameter
/// stays the same object when its module moves between the CPU and the device.
bool canTakePlace(const at::Tensor &self, const at::Tensor &other) {
  auto isDense = [](const at::Tensor &tensor) {
    auto type = tensor.device().type();
    return tensor.layout() == c10::kStrided && tensor.has_storage() &&
           (type == c10::DeviceType::CPU ||
            type == c10::DeviceType::PrivateUse1);
  };
  return isDense(self) && isDense(other);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("_has_compatible_shallow_copy_type", TORCH_FN(canTakePlace));
  m.impl("empty.memory_format", TORCH_FN(empty));
  m.impl("empty_strided", TORCH_FN(emptyStrided));
  m.impl("as_strided", TORCH_FN(at::native::as_strided_tensorimpl));
  m.impl("view", TORCH_FN(at::native::view));
  m.impl("_reshape_alias", TORCH_FN(at::native::_reshape_alias));
  m.impl("unfold", TORCH_FN(at::native::unfold));
  m.impl("view_as_real", TORCH_FN(at::native::view_as_real));
  m.impl("view_as_complex", TORCH_FN(at::native::view_as_complex));
  m.impl("resize_", TORCH_FN(resize));
  m.impl("record_stream", TORCH_FN(recordStream));
  m.impl("_copy_from", TORCH_FN(copyFrom));
  m.impl("_copy_from_and_resize", TORCH_FN(copyFromAndResize));
  m.impl("set_", TORCH_FN(setToNothing));
  m.impl("set_.source_Storage", TORCH_FN(setToStorage));
  m.impl("set_.source_Tensor", TORCH_FN(setToTensor));
  m.impl("set_.source_Storage_storage_offset", TORCH_FN(setView));
}

// Otherwise resolving a lazy conjugate would copy, which would resolve a lazy
// conjugate, and so on.
TORCH_LIBRARY_IMPL(aten, Conjugate, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}
TORCH_LIBRARY_IMPL(aten, Negative, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

} // namespace
} // namespace torch_fl
