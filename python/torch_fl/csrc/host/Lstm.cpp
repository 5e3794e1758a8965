//===- Lstm.cpp - LSTM by the CPU's library -------------------------------===//
//
// Torch composes an LSTM of an operator for each direction of each layer if it
// finds the tensors on the CPU, and of cells for each step elsewhere. That
// operator has a gradient, and reaches the CPU through the fallback, so what
// is here stands above autograd.
//
//===----------------------------------------------------------------------===//
#include "Lstm.h"
#include "HostParts.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/lstm_native.h>
#include <ATen/ops/mkldnn_rnn_layer.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <torch/library.h>

#include <algorithm>
#include <vector>

namespace torch_fl {
namespace {

using at::Tensor;
using at::TensorList;
using Results = std::tuple<Tensor, Tensor, Tensor>;

/// The library's number for this kind of network.
constexpr int64_t kLstm = 2;

bool libraryHas(const char *type) {
  return c10::Dispatcher::singleton()
      .findSchemaOrThrow(type, "")
      .typed<bool()>()
      .call();
}

/// What the layers compute in: autocast converts their arguments.
c10::ScalarType computedType(const Tensor &input) {
  constexpr auto own = c10::DeviceType::PrivateUse1;
  return at::autocast::is_autocast_enabled(own)
             ? at::autocast::get_autocast_dtype(own)
             : input.scalar_type();
}

bool libraryComputesIn(c10::ScalarType type) {
  static const bool bf16 = libraryHas("mkldnn::_is_mkldnn_bf16_supported");
  static const bool fp16 = libraryHas("mkldnn::_is_mkldnn_fp16_supported");
  return type == at::kFloat || (type == at::kBFloat16 && bf16) ||
         (type == at::kHalf && fp16 && !at::GradMode::is_enabled());
}

bool areDense(TensorList tensors) {
  return std::all_of(tensors.begin(), tensors.end(), [](const Tensor &tensor) {
    return tensor.is_privateuseone() && tensor.layout() == at::kStrided;
  });
}

bool needsGradient(TensorList tensors) {
  return std::any_of(tensors.begin(), tensors.end(), [](const Tensor &tensor) {
    return tensor.requires_grad();
  });
}

/// An LSTM over sequences (steps, batch, features), one operator for each
/// direction of each layer.
class Layers {
public:
  static int64_t parametersOfOne(bool hasBiases) { return hasBiases ? 4 : 2; }

  Layers(TensorList hidden, TensorList parameters, bool hasBiases,
         int64_t directions, bool keepsForBackward)
      : hiddenStates(hidden[0].contiguous()),
        cellStates(hidden[1].contiguous()), parameters(parameters),
        hasBiases(hasBiases), directions(directions),
        keepsForBackward(keepsForBackward) {}

  Tensor run(Tensor sequence, int64_t layers, double dropout) {
    for (int64_t layer = 0; layer < layers; ++layer) {
      if (layer > 0 && dropout != 0)
        sequence = at::dropout(sequence, dropout, /*train=*/true);
      std::vector<Tensor> outputs;
      for (int64_t direction = 0; direction < directions; ++direction)
        outputs.push_back(
            one(sequence, layer * directions + direction, direction > 0));
      sequence = directions == 1 ? outputs[0] : at::cat(outputs, -1);
    }
    return sequence;
  }

  Tensor lastHidden() const { return at::stack(hidden, 0); }
  Tensor lastCells() const { return at::stack(cells, 0); }

private:
  Tensor one(const Tensor &sequence, int64_t index, bool isReversed) {
    auto own = parameters.slice(index * parametersOfOne(hasBiases));
    const Tensor &ofInput = own[0], &ofHidden = own[1];
    auto [output, lastHidden, lastCell, workspace] = at::mkldnn_rnn_layer(
        sequence, ofInput, ofHidden, hasBiases ? own[2] : zerosFor(ofInput),
        hasBiases ? own[3] : zerosFor(ofHidden), hiddenStates.select(0, index),
        cellStates.select(0, index), isReversed,
        /*batch_sizes=*/{}, kLstm,
        ofHidden.sym_size(1).guard_int(__FILE__, __LINE__),
        /*num_layers=*/1, hasBiases, /*bidirectional=*/false,
        /*batch_first=*/false, keepsForBackward);
    hidden.push_back(lastHidden);
    cells.push_back(lastCell);
    return output;
  }

  static Tensor zerosFor(const Tensor &weight) {
    return at::zeros_symint({weight.sym_size(0)}, weight.options());
  }

  Tensor hiddenStates, cellStates;
  TensorList parameters;
  bool hasBiases;
  int64_t directions;
  bool keepsForBackward;
  std::vector<Tensor> hidden, cells;
};

Results lstm(const Tensor &input, TensorList hidden, TensorList parameters,
             bool hasBiases, int64_t layers, double dropout, bool isTraining,
             bool isBidirectional, bool isBatchFirst) {
  int64_t directions = isBidirectional ? 2 : 1;
  int64_t expected = layers * directions * Layers::parametersOfOne(hasBiases);
  if (static_cast<int64_t>(parameters.size()) != expected ||
      !lstmIsInLibrary(input, hidden, parameters))
    return at::native::lstm(input, hidden, parameters, hasBiases, layers,
                            dropout, isTraining, isBidirectional, isBatchFirst);
  bool keepsForBackward =
      isTraining || (at::GradMode::is_enabled() &&
                     (input.requires_grad() || needsGradient(hidden) ||
                      needsGradient(parameters)));
  auto sequence = isBatchFirst ? input.transpose(0, 1) : input;
  Layers network(hidden, parameters, hasBiases, directions, keepsForBackward);
  auto output =
      network.run(sequence.contiguous(), layers, isTraining ? dropout : 0);
  return {isBatchFirst ? output.transpose(0, 1) : output, network.lastHidden(),
          network.lastCells()};
}

} // namespace

bool lstmIsInLibrary(const Tensor &input, TensorList hidden,
                     TensorList parameters) {
  if (!at::globalContext().userEnabledMkldnn() || hidden.size() != 2 ||
      parameters.empty())
    return false;
  bool isProjected = hidden[0].sym_size(2) != hidden[1].sym_size(2);
  return !isProjected && libraryComputesIn(computedType(input)) &&
         areDense(input) && areDense(hidden) && areDense(parameters) &&
         input.sym_numel() != 0;
}

void registerHostLstm() {
  static std::vector<torch::Library> libraries;
  for (auto key :
       {c10::DispatchKey::AutogradPrivateUse1, c10::DispatchKey::PrivateUse1})
    libraries
        .emplace_back(torch::Library::IMPL, "aten", key, __FILE__, __LINE__)
        .impl("lstm.input", TORCH_FN(lstm));
}

} // namespace torch_fl
