//===- Sparse.cpp - sparse tensors of the device --------------------------===//
#include "Sparse.h"

#include <ATen/SparseCsrTensorUtils.h>
#include <ATen/SparseTensorImpl.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/native/SparseTensorUtils.h>
#include <c10/core/TensorOptions.h>

namespace torch_fl {
namespace {

bool isCompressed(const at::Tensor &tensor) {
  return at::sparse_csr::is_sparse_compressed(tensor.layout());
}

void setCompressed(at::SparseCsrTensorImpl *target,
                   const at::SparseCsrTensorImpl *model,
                   const TensorMap &part) {
  at::Tensor compressed = part(model->compressed_indices());
  at::Tensor plain = part(model->plain_indices());
  at::Tensor values = part(model->values());
  // A tensor that shares its parts with others may not be set.
  bool same = target->compressed_indices().is_same(compressed) &&
              target->plain_indices().is_same(plain) &&
              target->values().is_same(values);
  if (!same)
    target->set_member_tensors(compressed, plain, values, model->sizes());
}

void setCoordinates(at::SparseTensorImpl *target,
                    const at::SparseTensorImpl *model, const TensorMap &part) {
  at::Tensor indices = part(model->indices()), values = part(model->values());
  if (target->indices().is_same(indices) && target->values().is_same(values) &&
      target->coalesced() == model->coalesced())
    return;
  // Indices may not be set while the sizes do not go with them.
  target->resize_and_clear_(model->sparse_dim(), model->dense_dim(),
                            model->sizes());
  target->set_indices_and_values_unsafe(indices, values);
  target->set_coalesced(model->coalesced());
}

} // namespace

bool isSparse(const at::Tensor &tensor) {
  return tensor.defined() && (tensor.is_sparse() || isCompressed(tensor));
}

at::Tensor sparseTensor(const at::Tensor &model, c10::Device device,
                        const TensorMap &part) {
  c10::DispatchKeySet keys(c10::computeDispatchKey(
      c10::typeMetaToScalarType(model.dtype()), model.layout(), device));
  at::Tensor result =
      isCompressed(model)
          ? at::detail::make_tensor<at::SparseCsrTensorImpl>(
                keys, device, model.layout(), model.dtype())
          : at::detail::make_tensor<at::SparseTensorImpl>(keys, model.dtype());
  setSparseTensor(result, model, part);
  return result;
}

void setSparseTensor(const at::Tensor &target, const at::Tensor &model,
                     const TensorMap &part) {
  at::AutoDispatchBelowADInplaceOrView belowAutograd;
  if (isCompressed(model))
    setCompressed(at::sparse_csr::get_sparse_csr_impl(target),
                  at::sparse_csr::get_sparse_csr_impl(model), part);
  else
    setCoordinates(at::sparse::get_sparse_impl(target),
                   at::sparse::get_sparse_impl(model), part);
}

} // namespace torch_fl
