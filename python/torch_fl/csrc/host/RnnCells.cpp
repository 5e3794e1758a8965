//===- RnnCells.cpp - fused cells of recurrent networks -------------------===//
//
// Torch uses these for every accelerator, and the CPU has none (for memory of
// an accelerator, the fallback calls that one's). The formulas
// are those of the cells without fusion; the workspace is what the backward
// pass needs, and only it reads it.
//
//===----------------------------------------------------------------------===//
#include "../Retag.h"
#include "HostParts.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros_like.h>
#include <torch/library.h>

namespace torch_fl {
namespace {

using at::Tensor;
using OptionalTensor = std::optional<Tensor>;

/// The tensors of one call of a cell, on the CPU.
class Cell {
public:
  Tensor in(const Tensor &tensor) { return tensors.toBacking(tensor); }
  OptionalTensor in(const OptionalTensor &tensor) {
    return tensor && tensor->defined() ? OptionalTensor(in(*tensor))
                                       : std::nullopt;
  }
  Tensor out(const Tensor &tensor) { return tensors.toFlagos(tensor); }

private:
  at::AutoDispatchBelowADInplaceOrView belowAutograd;
  Retagger tensors;
};

Tensor plus(const Tensor &gates, const OptionalTensor &bias) {
  return bias ? gates + *bias : gates;
}

Tensor sigmoidSlope(const Tensor &value) { return value * (1 - value); }
Tensor tanhSlope(const Tensor &value) { return 1 - value * value; }
Tensor biasGradient(const Tensor &gates, bool hasBias) {
  return hasBias ? gates.sum(0) : Tensor();
}

/// Hidden state, cell state, and the four gates (input, forget, cell, output)
/// side by side.
std::tuple<Tensor, Tensor, Tensor>
lstm(const Tensor &inputGates, const Tensor &hiddenGates, const Tensor &state,
     const OptionalTensor &inputBias, const OptionalTensor &hiddenBias) {
  Cell cell;
  auto gates = plus(cell.in(inputGates), cell.in(inputBias)) +
               plus(cell.in(hiddenGates), cell.in(hiddenBias));
  auto parts = gates.chunk(4, 1);
  auto input = parts[0].sigmoid(), forget = parts[1].sigmoid();
  auto candidate = parts[2].tanh(), output = parts[3].sigmoid();
  auto next = forget * cell.in(state) + input * candidate;
  auto workspace = at::cat({input, forget, candidate, output}, 1);
  return {cell.out(output * next.tanh()), cell.out(next), cell.out(workspace)};
}

/// Gradients of the gates, the cell state and the bias.
std::tuple<Tensor, Tensor, Tensor>
lstmBackward(const OptionalTensor &hiddenGradient,
             const OptionalTensor &stateGradient, const Tensor &state,
             const Tensor &next, const Tensor &workspace, bool hasBias) {
  Cell cell;
  auto forHidden = cell.in(hiddenGradient), forState = cell.in(stateGradient);
  if (!forHidden && !forState)
    return {};
  auto parts = cell.in(workspace).chunk(4, 1);
  auto &input = parts[0], &forget = parts[1];
  auto &candidate = parts[2], &output = parts[3];
  auto squashed = cell.in(next).tanh();
  auto ofHidden = forHidden ? *forHidden : at::zeros_like(squashed);
  auto ofNext = ofHidden * output * tanhSlope(squashed);
  if (forState)
    ofNext = ofNext + *forState;
  auto gates = at::cat({ofNext * candidate * sigmoidSlope(input),
                        ofNext * cell.in(state)*sigmoidSlope(forget),
                        ofNext * input * tanhSlope(candidate),
                        ofHidden * squashed * sigmoidSlope(output)},
                       1);
  return {cell.out(gates), cell.out(ofNext * forget),
          cell.out(biasGradient(gates, hasBias))};
}

/// Hidden state, and side by side: reset gate, update gate, candidate, the
/// previous hidden state and its share of the candidate.
std::tuple<Tensor, Tensor> gru(const Tensor &inputGates,
                               const Tensor &hiddenGates, const Tensor &hidden,
                               const OptionalTensor &inputBias,
                               const OptionalTensor &hiddenBias) {
  Cell cell;
  auto ofInput = plus(cell.in(inputGates), cell.in(inputBias)).chunk(3, 1);
  auto ofHidden = plus(cell.in(hiddenGates), cell.in(hiddenBias)).chunk(3, 1);
  auto previous = cell.in(hidden);
  auto reset = (ofInput[0] + ofHidden[0]).sigmoid();
  auto update = (ofInput[1] + ofHidden[1]).sigmoid();
  auto candidate = (ofInput[2] + reset * ofHidden[2]).tanh();
  auto next = candidate + update * (previous - candidate);
  auto workspace =
      at::cat({reset, update, candidate, previous, ofHidden[2]}, 1);
  return {cell.out(next), cell.out(workspace)};
}

/// Gradients of both kinds of gates, the hidden state and both biases.
std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor>
gruBackward(const Tensor &gradient, const Tensor &workspace, bool hasBias) {
  Cell cell;
  auto ofNext = cell.in(gradient);
  auto parts = cell.in(workspace).chunk(5, 1);
  auto &reset = parts[0], &update = parts[1], &candidate = parts[2];
  auto &previous = parts[3], &share = parts[4];
  auto ofCandidate = ofNext * (1 - update) * tanhSlope(candidate);
  auto ofReset = ofCandidate * share * sigmoidSlope(reset);
  auto ofUpdate = ofNext * (previous - candidate) * sigmoidSlope(update);
  auto inputGates = at::cat({ofReset, ofUpdate, ofCandidate}, 1);
  auto hiddenGates = at::cat({ofReset, ofUpdate, ofCandidate * reset}, 1);
  return {cell.out(inputGates), cell.out(hiddenGates),
          cell.out(ofNext * update),
          cell.out(biasGradient(inputGates, hasBias)),
          cell.out(biasGradient(hiddenGates, hasBias))};
}

} // namespace

void registerHostCells() {
  static torch::Library library(torch::Library::IMPL, "aten",
                                c10::DispatchKey::PrivateUse1, __FILE__,
                                __LINE__);
  library.impl("_thnn_fused_lstm_cell", TORCH_FN(lstm));
  library.impl("_thnn_fused_lstm_cell_backward_impl", TORCH_FN(lstmBackward));
  library.impl("_thnn_fused_gru_cell", TORCH_FN(gru));
  library.impl("_thnn_fused_gru_cell_backward", TORCH_FN(gruBackward));
}

} // namespace torch_fl
