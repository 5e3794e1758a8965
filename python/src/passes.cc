// libtriton.passes: adds passes to an `ir.pass_manager`.

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include <pybind11/pybind11.h>

namespace py = pybind11;

namespace {

void initCommonPasses(py::module_ m) {
  m.doc() = "Passes of MLIR that every backend uses.";
  auto add = [&m](const char *name, const char *doc, auto createPass) {
    m.def(name, [createPass](mlir::PassManager &pm) { pm.addPass(createPass()); }, py::arg("pm"), doc);
  };
  add("add_inliner", "Replace calls by the called function, unless it is noinline.",
      [] { return mlir::createInlinerPass(); });
  add("add_canonicalizer", "Fold and simplify each operation until nothing changes.",
      [] { return mlir::createCanonicalizerPass(); });
  add("add_cse", "Merge equal operations.", [] { return mlir::createCSEPass(); });
  add("add_licm", "Move pure operations that a loop does not change in front of it.",
      [] { return mlir::createLoopInvariantCodeMotionPass(); });
  add("add_symbol_dce", "Remove private functions that nobody calls.", [] { return mlir::createSymbolDCEPass(); });
  add("add_sccp", "Propagate constants through control flow.", [] { return mlir::createSCCPPass(); });
}

} // namespace

void init_triton_passes(py::module &&m) {
  m.doc() = "Passes on Triton IR. Each function appends one pass to a pass manager.";
  initCommonPasses(m.def_submodule("common"));
}
