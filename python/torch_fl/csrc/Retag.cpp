//===- Retag.cpp - the same memory as tensors of another device -----------===//
#include "Retag.h"
#include "Allocator.h"

#include <c10/core/TensorImpl.h>

namespace torch_fl {
namespace {

void dropStorage(void *context) { delete static_cast<c10::Storage *>(context); }

/// A tensor with the shape and bits of `model` over `storage`.
at::Tensor sameTensor(const at::Tensor &model, c10::Storage storage,
                      c10::DispatchKey key) {
  auto tensor = at::detail::make_tensor<c10::TensorImpl>(
      std::move(storage), c10::DispatchKeySet(key), model.dtype());
  auto *impl = tensor.unsafeGetTensorImpl();
  impl->set_sizes_and_strides(model.sizes(), model.strides(),
                              model.storage_offset());
  if (model.is_conj())
    impl->_set_conj(true);
  if (model.is_neg())
    impl->_set_neg(true);
  if (model.unsafeGetTensorImpl()->is_wrapped_number())
    impl->set_wrapped_number(true);
  return tensor;
}

bool sameShape(const at::Tensor &a, const at::Tensor &b) {
  return a.sizes() == b.sizes() && a.strides() == b.strides() &&
         a.storage_offset() == b.storage_offset();
}

} // namespace

bool isOnDevice(const at::Tensor &tensor) {
  return tensor.defined() &&
         tensor.device().type() == c10::DeviceType::PrivateUse1 &&
         tensor.has_storage();
}

c10::Storage Retagger::hostStorage(const c10::Storage &device) {
  for (auto &pair : storages)
    if (pair.device.is_alias_of(device))
      return pair.host;
  // The storage of the device stays alive as long as anything of the CPU refers
  // to its memory.
  auto *owner = new c10::Storage(device);
  c10::DataPtr data(device.mutable_data(), owner, &dropStorage,
                    c10::Device(c10::DeviceType::CPU));
  c10::Storage host(c10::Storage::use_byte_size_t(), device.nbytes(),
                    std::move(data), c10::GetAllocator(c10::DeviceType::CPU),
                    /*resizable=*/true);
  storages.push_back({device, host});
  return host;
}

c10::Storage Retagger::deviceStorage(const c10::Storage &host) {
  for (auto &pair : storages)
    if (pair.host.is_alias_of(host))
      return pair.device;
  c10::Storage device(c10::Storage::use_byte_size_t(), host.nbytes(),
                      adoptHostMemory(host), deviceAllocator(),
                      /*resizable=*/true);
  storages.push_back({device, host});
  return device;
}

at::Tensor Retagger::toHost(const at::Tensor &tensor) {
  for (auto &pair : tensors)
    if (pair.device.is_same(tensor))
      return pair.host;
  at::Tensor host = isOnDevice(tensor)
                        ? sameTensor(tensor, hostStorage(tensor.storage()),
                                     c10::DispatchKey::CPU)
                        : tensor;
  if (tensor.defined())
    tensors.push_back({tensor, host});
  return host;
}

at::Tensor Retagger::toDevice(const at::Tensor &tensor) {
  for (auto &pair : tensors)
    if (pair.host.is_same(tensor))
      return pair.device;
  bool dense = tensor.defined() && tensor.device().is_cpu() &&
               tensor.layout() == c10::kStrided && tensor.has_storage();
  return dense ? sameTensor(tensor, deviceStorage(tensor.storage()),
                            c10::DispatchKey::PrivateUse1)
               : tensor;
}

void Retagger::writeBack() {
  for (auto &pair : storages)
    if (pair.host.data() != pair.device.data() ||
        pair.host.nbytes() != pair.device.nbytes()) {
      auto *impl = pair.device.unsafeGetStorageImpl();
      impl->set_data_ptr_noswap(adoptHostMemory(pair.host));
      impl->set_nbytes(pair.host.nbytes());
    }
  for (auto &pair : tensors) {
    if (!isOnDevice(pair.device))
      continue;
    auto *impl = pair.device.unsafeGetTensorImpl();
    auto storage = deviceStorage(pair.host.storage());
    if (!storage.is_alias_of(pair.device.storage()))
      impl->set_storage_keep_dtype(storage);
    if (!sameShape(pair.device, pair.host))
      impl->set_sizes_and_strides(pair.host.sizes(), pair.host.strides(),
                                  pair.host.storage_offset());
  }
}

at::Tensor hostAlias(const at::Tensor &tensor) {
  Retagger call;
  return call.toHost(tensor);
}

} // namespace torch_fl
