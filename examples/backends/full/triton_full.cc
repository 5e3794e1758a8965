//===- triton_full.cc - libtriton.full ------------------------------------===//

#include "full/Dialect.h"
#include "full/Passes.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include <pybind11/pybind11.h>

namespace py = pybind11;

// The name follows from that of the backend.
void init_triton_full(py::module &&m) {
  m.doc() = "The backend full: its dialect and its passes";
  m.def(
      "load_dialects",
      [](mlir::MLIRContext &context) {
        context.loadDialect<full::FullDialect>();
      },
      py::arg("context"));

  py::module_ passes = m.def_submodule("passes");
  passes.def(
      "add_fuse_saturation",
      [](mlir::PassManager &manager) {
        manager.addPass(full::createFullFuseSaturation());
      },
      py::arg("pm"), "min(max(x, low), high) becomes full.saturate");
  passes.def(
      "add_lower_saturation",
      [](mlir::PassManager &manager) {
        manager.addPass(full::createFullLowerSaturation());
      },
      py::arg("pm"), "full.saturate becomes min(max(x, low), high)");
}
