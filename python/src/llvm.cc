//===- llvm.cc - libtriton.llvm: LLVM IR and code generation --------------===//

#include "mlir/IR/BuiltinOps.h"
#include "triton/Target/LLVMIR/Emission.h"
#include "triton/Target/LLVMIR/FatalErrors.h"
#include "triton/Target/LLVMIR/Optimization.h"
#include "triton/Target/LLVMIR/TargetMachine.h"
#include "triton/Target/LLVMIR/Translation.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <memory>
#include <pybind11/pybind11.h>
#include <stdexcept>
#include <string>

namespace py = pybind11;
using namespace mlir::triton;

namespace {

/// An LLVM module with the context it lives in.
class Module {
public:
  Module() : context(std::make_unique<llvm::LLVMContext>()) {
    // Without a handler, an error diagnostic of the code generator ends the
    // process.
    context->setDiagnosticHandlerCallBack(
        [](const llvm::DiagnosticInfo *info, void *self) {
          static_cast<Module *>(self)->note(*info);
        },
        this);
  }
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;

  ~Module() {
    module.reset();
    if (broken)
      (void)context.release();
  }

  llvm::LLVMContext &getContext() { return *context; }

  llvm::Module &get() {
    if (!module)
      throw std::runtime_error("this llvm.module cannot be used any more: an "
                               "earlier operation on it failed");
    return *module;
  }

  void set(std::unique_ptr<llvm::Module> newModule) {
    module = std::move(newModule);
  }

  /// Runs `body` without the interpreter lock; raises its error, an error
  /// diagnostic, or LLVM's fatal error as RuntimeError.
  void run(llvm::function_ref<llvm::Error()> body) {
    errors.clear();
    bool fatal = false;
    std::string message;
    {
      py::gil_scoped_release release;
      llvm::Error error = runCatchingFatalErrors(body, fatal);
      if (error)
        message = llvm::toString(std::move(error));
    }
    if (fatal)
      abandon();
    if (message.empty())
      message = errors;
    if (!message.empty())
      throw std::runtime_error(message);
  }

private:
  void note(const llvm::DiagnosticInfo &info) {
    if (info.getSeverity() != llvm::DS_Error)
      return;
    llvm::raw_string_ostream stream(errors);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    if (!errors.empty())
      stream << '\n';
    info.print(printer);
  }

  /// Leaks what a fatal error has left half-done.
  void abandon() {
    (void)module.release();
    broken = true;
    abandonTargetMachines();
  }

  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  std::string errors;
  bool broken = false;
};

llvm::TargetMachine &machineFor(const std::string &cpu,
                                const std::string &features,
                                const std::string &triple) {
  llvm::Expected<llvm::TargetMachine *> machine =
      getTargetMachine({triple, cpu, features});
  if (!machine)
    throw std::runtime_error(llvm::toString(machine.takeError()));
  return **machine;
}

std::unique_ptr<Module> toModule(mlir::ModuleOp &op) {
  auto result = std::make_unique<Module>();
  auto module = translateToLLVMIR(op, result->getContext());
  if (!module)
    throw std::runtime_error(llvm::toString(module.takeError()));
  result->set(std::move(*module));
  return result;
}

std::unique_ptr<Module> parse(const std::string &text) {
  auto result = std::make_unique<Module>();
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseIR(
      llvm::MemoryBufferRef(text, "<text>"), diagnostic, result->getContext());
  if (!module) {
    std::string message = "not valid LLVM IR: ";
    llvm::raw_string_ostream stream(message);
    diagnostic.print("", stream, /*ShowColors=*/false);
    throw std::runtime_error(message);
  }
  result->set(std::move(module));
  return result;
}

void optimize(Module &module, const std::string &cpu,
              const std::string &features, const std::string &triple) {
  llvm::TargetMachine &machine = machineFor(cpu, features, triple);
  llvm::Module &llvmModule = module.get();
  module.run([&] {
    attachTarget(llvmModule, machine);
    optimizeModule(llvmModule, machine);
    return llvm::Error::success();
  });
}

llvm::SmallString<0> emit(Module &module, const std::string &cpu,
                          const std::string &features,
                          const std::string &triple, EmissionKind kind) {
  llvm::TargetMachine &machine = machineFor(cpu, features, triple);
  const llvm::Module &original = module.get();
  llvm::SmallString<0> output;
  module.run([&] {
    // Code generation edits what it reads, and the module may be printed or
    // emitted again later. A fatal error leaks the copy, as it must.
    std::unique_ptr<llvm::Module> copy = llvm::CloneModule(original);
    attachTarget(*copy, machine);
    return emitModule(*copy, machine, kind, output);
  });
  return output;
}

std::string print(Module &module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << module.get();
  return text;
}

void verify(Module &module) {
  std::string message;
  llvm::raw_string_ostream stream(message);
  if (llvm::verifyModule(module.get(), &stream))
    throw std::runtime_error("invalid LLVM IR: " + message);
}

} // namespace

void init_triton_llvm(py::module &&m) {
  m.doc() = "LLVM IR: translation, optimization and emission. Processor names "
            "and features are LLVM's; an empty triple is the host's. Errors "
            "are RuntimeError.";

  py::class_<Module>(m, "module", "An LLVM IR module")
      .def("__str__", &print)
      .def("verify", &verify, "Raises RuntimeError if the IR is malformed");

  m.def("to_module", &toModule, py::arg("mlir_module"),
        "Translates an ir.module of the LLVM dialect");
  m.def("parse", &parse, py::arg("text"), "Reads textual LLVM IR");
  m.def("optimize", &optimize, py::arg("module"), py::arg("cpu") = "",
        py::arg("features") = "", py::arg("triple") = "",
        "Sets the target and runs the short pipeline, in place");
  m.def(
      "to_object",
      [](Module &module, const std::string &cpu, const std::string &features,
         const std::string &triple) {
        auto code = emit(module, cpu, features, triple, EmissionKind::Object);
        return py::bytes(code.data(), code.size());
      },
      py::arg("module"), py::arg("cpu") = "", py::arg("features") = "",
      py::arg("triple") = "", "Relocatable object code, as bytes");
  m.def(
      "to_assembly",
      [](Module &module, const std::string &cpu, const std::string &features,
         const std::string &triple) {
        auto code = emit(module, cpu, features, triple, EmissionKind::Assembly);
        return py::str(code.data(), code.size());
      },
      py::arg("module"), py::arg("cpu") = "", py::arg("features") = "",
      py::arg("triple") = "", "Assembly text");
}
