//===- Resize.cpp - storages and tensors that change their size -----------===//
//
// Torch's own functions for this copy with the processor, which cannot reach
// the memory of an accelerator. Here the allocator copies.
//
//===----------------------------------------------------------------------===//
#include "Resize.h"

#include <ATen/Context.h>
#include <ATen/native/Resize.h>

#include <algorithm>

namespace torch_fl {
namespace {

/// Strides of a tensor whose elements lie side by side, the last dimension
/// fastest.
c10::SmallVector<int64_t, 5> contiguousStrides(at::IntArrayRef size) {
  c10::SmallVector<int64_t, 5> strides(size.size());
  int64_t step = 1;
  for (size_t i = size.size(); i-- > 0;) {
    strides[i] = step;
    step *= std::max<int64_t>(size[i], 1);
  }
  return strides;
}

void growToFit(c10::TensorImpl &tensor) {
  if (tensor.numel() == 0)
    return;
  auto bytes = at::detail::computeStorageNbytes(
      tensor.sizes(), tensor.strides(), tensor.dtype().itemsize(),
      tensor.storage_offset());
  if (bytes > tensor.storage().nbytes())
    resizeStorage(tensor.storage(), bytes);
}

} // namespace

void resizeStorage(const c10::Storage &storage, size_t bytes) {
  TORCH_CHECK(storage.resizable(),
              "cannot resize memory of flagos that does not own its bytes");
  auto *allocator = storage.allocator();
  auto fresh = allocator->allocate(bytes);
  if (auto kept = std::min(bytes, storage.nbytes()))
    allocator->copy_data(fresh.mutable_get(), storage.data(), kept);
  storage.set_data_ptr_noswap(std::move(fresh));
  storage.set_nbytes(bytes);
}

const at::Tensor &resize(const at::Tensor &self, at::IntArrayRef size,
                         std::optional<c10::MemoryFormat> format) {
  auto *impl = self.unsafeGetTensorImpl();
  auto before = static_cast<int64_t>(self.storage().nbytes());
  if (self.sizes() != size) {
    impl->set_sizes_and_strides(size, contiguousStrides(size),
                                self.storage_offset());
    growToFit(*impl);
  }
  if (format) {
    TORCH_CHECK(*format != c10::MemoryFormat::Preserve,
                "resize_ cannot preserve a memory format; name one");
    impl->empty_tensor_restride(*format);
  }
  const auto &context = at::globalContext();
  if (context.deterministicAlgorithms() &&
      context.deterministicFillUninitializedMemory())
    at::native::fill_resize_deterministic_(self, before);
  return self;
}

at::Tensor &setView(at::Tensor &self, c10::Storage source, int64_t offset,
                    at::IntArrayRef size, at::IntArrayRef stride) {
  at::native::checkSetStorage(self, std::move(source), offset, size, stride);
  auto *impl = self.unsafeGetTensorImpl();
  if (stride.data())
    impl->set_sizes_and_strides(size, stride, offset);
  else
    impl->set_sizes_and_strides(size, contiguousStrides(size), offset);
  growToFit(*impl);
  return self;
}

} // namespace torch_fl
