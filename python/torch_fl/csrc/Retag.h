//===- Retag.h - the same memory as tensors of another device ---*- C++ -*-===//
//
// A call of a CPU operator on device tensors: its arguments become CPU tensors
// over the same storage, its results device tensors. Nothing is copied.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Storage.h>
#include <c10/util/SmallVector.h>

namespace torch_fl {

/// The tensors of one call. Arguments that are one tensor, or share a storage,
/// do so on the CPU, too.
class Retagger {
public:
  /// The CPU tensor for an argument. One that is not the device's is returned
  /// as it is, and known as an argument.
  at::Tensor toHost(const at::Tensor &tensor);

  /// The device tensor for a result: the argument that it is, a view of an
  /// argument's memory, or a new one.
  at::Tensor toDevice(const at::Tensor &tensor);

  /// Gives arguments the shape and memory that the operator has given to their
  /// CPU tensors (`out=` may be resized).
  void writeBack();

private:
  struct Pair {
    at::Tensor device, host;
  };
  struct StoragePair {
    c10::Storage device, host;
  };

  c10::Storage hostStorage(const c10::Storage &device);
  c10::Storage deviceStorage(const c10::Storage &host);

  c10::SmallVector<Pair, 6> tensors;
  c10::SmallVector<StoragePair, 6> storages;
};

/// Whether `tensor` is defined, dense and on the flagos device.
bool isOnDevice(const at::Tensor &tensor);

/// A CPU tensor over the memory of `tensor`, for as long as it is not resized.
at::Tensor hostAlias(const at::Tensor &tensor);

} // namespace torch_fl
