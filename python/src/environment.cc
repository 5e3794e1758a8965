//===- environment.cc - what tools ask libtriton about variables ----------===//

#include <cstdlib>
#include <optional>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <string>

namespace py = pybind11;

static std::optional<std::string> read(const std::string &name) {
  const char *value = std::getenv(name.c_str());
  return value ? std::optional<std::string>(value) : std::nullopt;
}

static bool readBool(const std::string &name, bool absent) {
  std::optional<std::string> value = read(name);
  if (!value)
    return absent;
  return py::module_::import("triton._knob_types")
      .attr("parse_bool")(*value)
      .cast<bool>();
}

/// Functions of the module itself, under the names that tools know.
void bindEnvironment(py::module_ &m) {
  m.def(
      "getenv",
      [](const std::string &name, py::object absent) -> py::object {
        std::optional<std::string> value = read(name);
        return value ? py::cast(*value) : absent;
      },
      py::arg("name"), py::arg("default") = py::none(),
      "A variable as the compiler sees it; `default` if it is not set.");
  m.def("getenv_bool", &readBool, py::arg("name"), py::arg("default") = false,
        "The same for one that is on or off. ValueError for another text.");
  m.def(
      "get_cache_invalidating_env_vars",
      [] {
        return py::module_::import("triton.compiler.compiler")
            .attr("cache_invalidating_variables")();
      },
      "The variables that change code and are set: name to text.");
  m.def(
      "native_specialize_impl",
      [](py::object backend, py::object arg, bool isConst, bool specialize,
         bool align) {
        return py::module_::import("triton.runtime.specialize")
            .attr("native_specialize_impl")(backend, arg, isConst, specialize,
                                            align);
      },
      py::arg("backend"), py::arg("arg"), py::arg("is_const"),
      py::arg("specialize_value"), py::arg("align"),
      "`triton.runtime.jit.native_specialize_impl`.");
}
