//===- Module.cpp - the Python module torch_fl._C -------------------------===//
#include "Generator.h"

#include <torch/csrc/Generator.h>
#include <torch/csrc/utils/pybind.h>
#include <torch/version.h>

PYBIND11_MODULE(_C, m) {
  m.doc() = "The flagos device: allocator, guard, generator and operators are "
            "registered when this is loaded.";
  m.attr("torch_version") = TORCH_VERSION;
  m.def(
      "default_generator",
      [] {
        return py::reinterpret_steal<py::object>(
            THPGenerator_initDefaultGenerator(torch_fl::defaultGenerator()));
      },
      "The generator that operators of the device without an explicit one "
      "use.");
}
