//===- Layouts.cpp - strides that the compiler expects of results ---------===//
//
// For some operators torch's shape functions give `cuda` other strides than all
// other devices, by name. A compiled graph checks the strides of flagos, so
// results of the accelerator get those of the others.
//
//===----------------------------------------------------------------------===//
#include "../Fallback.h"
#include "AcceleratorParts.h"

#include <torch/library.h>

namespace torch_fl {
namespace {

using Restride = at::Tensor (*)(const at::Tensor &);

at::Tensor rowsFirst(const at::Tensor &tensor) { return tensor.contiguous(); }

/// Columns of a matrix lie side by side.
at::Tensor columnsFirst(const at::Tensor &tensor) {
  return tensor.dim() < 2 ? tensor.contiguous() : tensor.mT().contiguous().mT();
}

template <Restride restride>
void restrided(const c10::OperatorHandle &op, torch::jit::Stack *stack) {
  runOnBacking(op, stack);
  for (size_t i = stack->size() - op.schema().returns().size();
       i < stack->size(); ++i)
    if ((*stack)[i].isTensor())
      (*stack)[i] = restride((*stack)[i].toTensor());
}

template <Restride restride> torch::CppFunction kernel() {
  return torch::CppFunction::makeFromBoxedFunction<&restrided<restride>>();
}

} // namespace

void registerLayouts() {
  static torch::Library library(torch::Library::IMPL, "aten",
                                c10::DispatchKey::PrivateUse1, __FILE__,
                                __LINE__);
  library.impl("_fft_r2c", kernel<&rowsFirst>());
  library.impl("linalg_eig", kernel<&columnsFirst>());
}

} // namespace torch_fl
