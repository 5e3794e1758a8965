// libtriton.passes: adds passes to an `ir.pass_manager`.

#include "mlir/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "triton/Dialect/Triton/Transforms/Passes.h"
#include "triton/Target/LLVMIR/DebugScopes.h"
#include <pybind11/pybind11.h>

namespace py = pybind11;

namespace {

/// Binds `name(pm)`, which appends the pass that `createPass` makes.
template <typename CreatePass>
void bindPass(py::module_ &m, const char *name, const char *doc,
              CreatePass createPass) {
  m.def(
      name, [createPass](mlir::PassManager &pm) { pm.addPass(createPass()); },
      py::arg("pm"), doc);
}

void initCommonPasses(py::module_ m) {
  m.doc() = "Passes of MLIR that every backend uses.";
  auto add = [&m](const char *name, const char *doc, auto createPass) {
    bindPass(m, name, doc, createPass);
  };
  add("add_inliner",
      "Replace calls by the called function, unless it is noinline.",
      [] { return mlir::createInlinerPass(); });
  add("add_canonicalizer",
      "Fold and simplify each operation until nothing changes.",
      [] { return mlir::createCanonicalizerPass(); });
  add("add_cse", "Merge equal operations.",
      [] { return mlir::createCSEPass(); });
  add("add_licm",
      "Move pure operations that a loop does not change in front of it.",
      [] { return mlir::createLoopInvariantCodeMotionPass(); });
  add("add_symbol_dce", "Remove private functions that nobody calls.",
      [] { return mlir::createSymbolDCEPass(); });
  add("add_sccp", "Propagate constants through control flow.",
      [] { return mlir::createSCCPPass(); });
}

void initTritonIRPasses(py::module_ m) {
  m.doc() = "Passes on Triton IR.";
  auto add = [&m](const char *name, const char *doc, auto createPass) {
    bindPass(m, name, doc, createPass);
  };
  add("add_combine",
      "Merge neighbouring operations, such as a dot and the addition of its "
      "result.",
      [] { return mlir::triton::createTritonCombineOps(); });
  add("add_reorder_broadcast", "Compute before repeating.",
      [] { return mlir::triton::createTritonReorderBroadcast(); });
  add("add_decompose_scaled_dot",
      "Replace tt.dot_scaled by decoding, scaling and a dot of f32.",
      [] { return mlir::triton::createTritonDecomposeScaledDot(); });
  add("add_lift_control_flow",
      "Replace branches between blocks by scf.if and scf.while.",
      [] { return mlir::triton::createTritonLiftControlFlow(); });
  add("add_loop_unroll",
      "Unroll loops with the attribute tt.loop_unroll_factor.",
      [] { return mlir::triton::createTritonLoopUnroll(); });
  add("add_rewrite_tensor_pointer",
      "Replace block pointers by tensors of pointers and masks.",
      [] { return mlir::triton::createTritonRewriteTensorPointer(); });
  add("add_rewrite_tensor_descriptor_to_pointer",
      "Replace tensor descriptors by tensors of pointers and masks.", [] {
        return mlir::triton::createTritonRewriteTensorDescriptorToPointer();
      });
  add("add_triton_licm",
      "Like common.add_licm, and hoist loads out of loops that write nothing.",
      [] { return mlir::triton::createTritonLoopInvariantCodeMotion(); });
}

void initLLVMIRPasses(py::module_ m) {
  m.doc() = "Passes on the LLVM dialect.";
  m.def(
      "add_di_scope",
      [](mlir::PassManager &pm) { mlir::triton::addDebugScopes(pm); },
      py::arg("pm"),
      "Keep the places of the operations in the source, as line tables of "
      "the object.");
}

} // namespace

void init_triton_passes(py::module &&m) {
  m.doc() =
      "Passes on Triton IR. Each function appends one pass to a pass manager.";
  initCommonPasses(m.def_submodule("common"));
  initTritonIRPasses(m.def_submodule("ttir"));
  initLLVMIRPasses(m.def_submodule("llvmir"));
}
