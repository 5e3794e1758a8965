//===- Retag.cpp - the same memory as tensors of another device -----------===//
#include "Retag.h"
#include "Backing.h"
#include "Sparse.h"

#include <c10/core/TensorImpl.h>
#include <c10/core/TensorOptions.h>

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

c10::DispatchKey backingKey() {
  static const auto key =
      c10::computeDispatchKey(std::nullopt, std::nullopt, backing().device());
  return key;
}

bool sameShape(const at::Tensor &a, const at::Tensor &b) {
  return a.sizes() == b.sizes() && a.strides() == b.strides() &&
         a.storage_offset() == b.storage_offset();
}

} // namespace

bool isFlagos(const at::Tensor &tensor) {
  return tensor.defined() &&
         tensor.device().type() == c10::DeviceType::PrivateUse1 &&
         tensor.has_storage();
}

c10::Storage Retagger::backingStorage(const c10::Storage &flagos) {
  for (auto &pair : storages)
    if (pair.flagos.is_alias_of(flagos))
      return pair.backing;
  // The storage of flagos stays alive as long as anything of the backing device
  // refers to its memory.
  auto device = backing().device();
  c10::DataPtr data(flagos.mutable_data(), new c10::Storage(flagos),
                    &dropStorage, device);
  c10::Storage storage(c10::Storage::use_byte_size_t(), flagos.nbytes(),
                       std::move(data), c10::GetAllocator(device.type()),
                       /*resizable=*/true);
  storages.push_back({flagos, storage});
  return storage;
}

c10::Storage Retagger::flagosStorage(const c10::Storage &storage) {
  for (auto &pair : storages)
    if (pair.backing.is_alias_of(storage))
      return pair.flagos;
  c10::Storage flagos(c10::Storage::use_byte_size_t(), storage.nbytes(),
                      backing().adopt(storage), backing().allocator(),
                      /*resizable=*/true);
  storages.push_back({flagos, storage});
  return flagos;
}

at::Tensor Retagger::toBacking(const at::Tensor &tensor) {
  for (auto &pair : tensors)
    if (pair.flagos.is_same(tensor))
      return pair.backing;
  at::Tensor backed = tensor;
  if (isFlagos(tensor))
    backed = sameTensor(tensor, backingStorage(tensor.storage()), backingKey());
  else if (isSparse(tensor) && tensor.is_privateuseone())
    backed =
        sparseTensor(tensor, backing().device(),
                     [&](const at::Tensor &part) { return toBacking(part); });
  if (tensor.defined())
    tensors.push_back({tensor, backed});
  return backed;
}

at::Tensor Retagger::toFlagos(const at::Tensor &tensor) {
  for (auto &pair : tensors)
    if (pair.backing.is_same(tensor))
      return pair.flagos;
  if (!tensor.defined() || tensor.device().type() != backing().device().type())
    return tensor;
  if (isSparse(tensor))
    return sparseTensor(tensor, flagosDevice(),
                        [&](const at::Tensor &part) { return toFlagos(part); });
  bool dense = tensor.layout() == c10::kStrided && tensor.has_storage();
  return dense ? sameTensor(tensor, flagosStorage(tensor.storage()),
                            c10::DispatchKey::PrivateUse1)
               : tensor;
}

void Retagger::writeBack() {
  for (auto &pair : storages)
    if (pair.backing.data() != pair.flagos.data() ||
        pair.backing.nbytes() != pair.flagos.nbytes()) {
      auto *impl = pair.flagos.unsafeGetStorageImpl();
      impl->set_data_ptr_noswap(backing().adopt(pair.backing));
      impl->set_nbytes(pair.backing.nbytes());
    }
  for (auto &pair : tensors) {
    if (pair.flagos.is_same(pair.backing))
      continue;
    if (isSparse(pair.flagos)) {
      setSparseTensor(pair.flagos, pair.backing,
                      [&](const at::Tensor &part) { return toFlagos(part); });
      continue;
    }
    auto *impl = pair.flagos.unsafeGetTensorImpl();
    auto storage = flagosStorage(pair.backing.storage());
    if (!storage.is_alias_of(pair.flagos.storage()))
      impl->set_storage_keep_dtype(storage);
    if (!sameShape(pair.flagos, pair.backing))
      impl->set_sizes_and_strides(pair.backing.sizes(), pair.backing.strides(),
                                  pair.backing.storage_offset());
  }
}

at::Tensor backingAlias(const at::Tensor &tensor) {
  Retagger call;
  return call.toBacking(tensor);
}

} // namespace torch_fl
