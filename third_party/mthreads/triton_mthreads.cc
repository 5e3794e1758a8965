//===- triton_mthreads.cc - libtriton.mthreads ----------------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mthreads/Conversion/DeviceNames.h"
#include "mthreads/Conversion/Passes.h"
#include "mthreads/Target/DeviceIR.h"
#include "triton/Target/LLVMIR/ToLLVMPasses.h"
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <stdexcept>

namespace py = pybind11;
using namespace mlir::triton;

namespace {

void initPasses(py::module &&m) {
  m.def(
      "add_lower_to_threads",
      [](mlir::PassManager &passes, int64_t threads) {
        passes.addPass(mthreads::createLowerToThreadsPass(threads));
      },
      py::arg("pm"), py::arg("threads"),
      "TTIR to the code of one of `threads` threads of a block");
  m.def(
      "add_to_llvm", [](mlir::PassManager &passes) { addToLLVMPasses(passes); },
      py::arg("pm"), "func, scf, cf, arith, math, ub to llvm");
}

py::dict kernelInfo(mlir::ModuleOp &module) {
  mthreads::KernelInfo info = mthreads::kernelInfo(module);
  py::dict result;
  result["name"] = info.name;
  result["shared"] = info.shared;
  return result;
}

std::string
writeDeviceIR(mlir::ModuleOp &module, const std::string &kernel,
              int32_t threads, const std::string &triple,
              const std::string &dataLayout, const std::string &convention,
              const std::string &annotations,
              const std::vector<std::pair<std::string, std::string>> &names) {
  mthreads::DeviceTarget target{triple, dataLayout, convention, annotations,
                                names};
  auto text = mthreads::writeDeviceIR(module, target, kernel, threads);
  if (!text)
    throw std::runtime_error(llvm::toString(text.takeError()));
  return *text;
}

} // namespace

void init_triton_mthreads(py::module &&m) {
  m.doc() = "The compiler of Moore Threads GPUs: passes and LLVM IR";
  initPasses(m.def_submodule("passes"));
  m.def("kernel_info", &kernelInfo, py::arg("module"),
        "name and bytes of shared memory of a lowered module; the name is "
        "empty when it holds no kernel");
  m.def(
      "math_functions",
      [] {
        py::list names;
        for (llvm::StringRef name : mthreads::mathFunctions())
          names.append(name.str());
        return names;
      },
      "Functions of floats that lowered kernels call, by their neutral names");
  m.def("write_device_ir", &writeDeviceIR, py::arg("module"), py::arg("kernel"),
        py::arg("threads"), py::kw_only(), py::arg("triple"),
        py::arg("data_layout"), py::arg("convention"), py::arg("annotations"),
        py::arg("names"),
        "Text of an ir.module of the LLVM dialect, as the device's tools read "
        "it. Raises RuntimeError");
}
