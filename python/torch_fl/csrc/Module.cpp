//===- Module.cpp - the Python module torch_fl._C -------------------------===//
#include "Backing.h"
#include "Generator.h"
#include "InductorFunctions.h"
#include "Retag.h"
#include "host/Lstm.h"
#include "host/Products.h"

#include <torch/csrc/Generator.h>
#include <torch/csrc/utils/pybind.h>
#include <torch/version.h>

PYBIND11_MODULE(_C, m) {
  m.doc() = "The flagos device: operators are registered when this is loaded, "
            "allocator, guard and hooks by start().";
  m.attr("torch_version") = TORCH_VERSION;
  m.def(
      "start",
      [](const std::string &type) {
        torch_fl::start(c10::Device(type).type());
      },
      py::arg("type"),
      "Has flagos live in the memory of a type of device, 'cpu' or 'cuda'.");
  m.def(
      "default_generator",
      [] {
        return py::reinterpret_steal<py::object>(
            THPGenerator_initDefaultGenerator(torch_fl::defaultGenerator()));
      },
      "The generator that operators of the device without an explicit one "
      "use.");
  torch_fl::addInductorFunctions(m.ptr());
  m.def("set_product", &torch_fl::setProduct, py::arg("function"),
        "Has large products in f32 on the host computed by function(a, b, "
        "bias, out), which returns whether it did.");
  m.def(
      "lstm_is_in_library",
      [](const at::Tensor &input, const std::vector<at::Tensor> &hidden,
         const std::vector<at::Tensor> &parameters) {
        return torch_fl::lstmIsInLibrary(input, hidden, parameters);
      },
      py::arg("input"), py::arg("hidden"), py::arg("parameters"),
      "Whether the CPU would have its library compute this LSTM in whole "
      "layers.");
  m.def("backing_alias", &torch_fl::backingAlias, py::arg("tensor"),
        "A tensor of the device whose memory flagos lives in, over the memory "
        "of a tensor of flagos. Others are returned as they are.");
  m.def(
      "from_backing",
      [](const at::Tensor &tensor) {
        return torch_fl::Retagger().toFlagos(tensor);
      },
      py::arg("tensor"),
      "A tensor of flagos over the memory of a tensor of that device.");
}
