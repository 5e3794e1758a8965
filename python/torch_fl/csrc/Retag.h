//===- Retag.h - the same memory as tensors of another device ---*- C++ -*-===//
//
// A call of an operator of the backing device, the CPU or an accelerator, on
// flagos tensors: its arguments become tensors of that device over the same
// storage, its results flagos tensors. Nothing is copied.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Storage.h>
#include <c10/util/SmallVector.h>

namespace torch_fl {

/// The tensors of one call. Arguments that are one tensor, or share a storage,
/// do so on the backing device, too.
class Retagger {
public:
  /// The backing tensor for an argument. One that is not flagos' is returned
  /// as it is, and known as an argument.
  at::Tensor toBacking(const at::Tensor &tensor);

  /// The flagos tensor for a result: the argument that it is, a view of an
  /// argument's memory, or a new one.
  at::Tensor toFlagos(const at::Tensor &tensor);

  /// Gives arguments the shape and memory that the operator has given to their
  /// backing tensors (`out=` may be resized).
  void writeBack();

private:
  struct Pair {
    at::Tensor flagos, backing;
  };
  struct StoragePair {
    c10::Storage flagos, backing;
  };

  c10::Storage backingStorage(const c10::Storage &flagos);
  c10::Storage flagosStorage(const c10::Storage &backing);

  c10::SmallVector<Pair, 6> tensors;
  c10::SmallVector<StoragePair, 6> storages;
};

/// Whether `tensor` is defined, dense and on the flagos device.
bool isFlagos(const at::Tensor &tensor);

/// A tensor of the backing device over the memory of `tensor`, for as long as
/// it is not resized. Other tensors stay what they are.
at::Tensor backingAlias(const at::Tensor &tensor);

} // namespace torch_fl
