//===- main.cc - the libtriton module -------------------------------------===//
//
// One submodule per part of the compiler and one per selected backend. Those
// that only a compile uses are filled when it does.
//
//===----------------------------------------------------------------------===//

#include "lazy_module.h"

#include <pybind11/pybind11.h>

namespace py = pybind11;

void init_triton_ir(py::module &&m);
void init_triton_passes(py::module &&m);
void init_triton_llvm(py::module &&m);
void init_triton_native(py::module &&m);
void bindEnvironment(py::module_ &m);

#define TRITON_BACKEND(name) void init_triton_##name(py::module &&m);
#include "triton/Backends.def"
#undef TRITON_BACKEND

PYBIND11_MODULE(libtriton, m) {
  m.doc() = "Native part of Triton: IR, passes, code generation, launching";
  addLazily(m, "ir", init_triton_ir);
  addLazily(m, "passes", init_triton_passes);
  addLazily(m, "llvm", init_triton_llvm);
  init_triton_native(m.def_submodule("native"));
  bindEnvironment(m);

#define TRITON_BACKEND(name) addLazily(m, #name, init_triton_##name);
#include "triton/Backends.def"
#undef TRITON_BACKEND
}
