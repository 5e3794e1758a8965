//===- ir.cc - libtriton.ir: contexts, parsing, pass managers -------------===//

#include "ir.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "triton/Dialect/AllDialects.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <pybind11/stl.h>
#include <stdexcept>

namespace py = pybind11;

namespace triton_ir {

/// MLIR_ENABLE_DIAGNOSTICS lists what is printed of a compile that succeeds:
/// "warnings", "remarks"; "stacktraces" adds where in the compiler they arise.
static bool isPrinted(llvm::StringRef kind) {
  const char *wanted = std::getenv("MLIR_ENABLE_DIAGNOSTICS");
  llvm::SmallVector<llvm::StringRef> kinds;
  llvm::StringRef(wanted ? wanted : "").split(kinds, ',');
  return llvm::is_contained(kinds, kind);
}

static bool isPrinted(mlir::DiagnosticSeverity severity) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Warning:
    return isPrinted("warnings");
  case mlir::DiagnosticSeverity::Remark:
    return isPrinted("remarks");
  default:
    return false;
  }
}

DiagnosticCollector::DiagnosticCollector(mlir::MLIRContext *context)
    : handler(context, [this](mlir::Diagnostic &diagnostic) {
        size_t before = text.size();
        auto append = [this](mlir::Diagnostic &d) {
          llvm::raw_string_ostream os(text);
          os << d.getLocation() << ": ";
          switch (d.getSeverity()) {
          case mlir::DiagnosticSeverity::Error:
            os << "error: ";
            break;
          case mlir::DiagnosticSeverity::Warning:
            os << "warning: ";
            break;
          case mlir::DiagnosticSeverity::Note:
            os << "note: ";
            break;
          case mlir::DiagnosticSeverity::Remark:
            os << "remark: ";
            break;
          }
          os << d << "\n";
        };
        append(diagnostic);
        for (mlir::Diagnostic &note : diagnostic.getNotes())
          append(note);
        if (isPrinted(diagnostic.getSeverity()))
          llvm::errs() << llvm::StringRef(text).drop_front(before);
        return mlir::success();
      }) {
  if (isPrinted("stacktraces"))
    context->printStackTraceOnDiagnostic(true);
}

void DiagnosticCollector::raise(const std::string &what) const {
  throw std::runtime_error(text.empty() ? what : what + "\n" + text);
}

} // namespace triton_ir

using namespace triton_ir;

namespace {

void loadDialects(mlir::MLIRContext &context) {
  if (context.getLoadedDialect("tt"))
    return;
  mlir::DialectRegistry registry;
  mlir::triton::registerAllDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
}

std::unique_ptr<mlir::ModuleOp, ModuleDeleter>
parseModule(const std::string &source, mlir::MLIRContext &context) {
  loadDialects(context);
  DiagnosticCollector diagnostics(&context);
  // A module's text holds a line break or a brace; a path holds neither.
  bool isText = source.find_first_of("\n{") != std::string::npos;
  mlir::ParserConfig config(&context);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      isText ? mlir::parseSourceString<mlir::ModuleOp>(source, config)
             : mlir::parseSourceFile<mlir::ModuleOp>(source, config);
  if (!module)
    diagnostics.raise(isText ? "the text is no valid MLIR module:"
                             : "cannot read an MLIR module from '" + source +
                                   "':");
  return std::unique_ptr<mlir::ModuleOp, ModuleDeleter>(
      new mlir::ModuleOp(module.release()));
}

/// MLIR_ENABLE_DUMP prints the module before each pass: "1" for all kernels, a
/// name for that one.
bool wantsDump(mlir::ModuleOp module) {
  const char *wanted = std::getenv("MLIR_ENABLE_DUMP");
  if (!wanted || !*wanted || llvm::StringRef(wanted) == "0")
    return false;
  if (llvm::StringRef(wanted) == "1")
    return true;
  for (mlir::Operation &op : *module.getBody()) {
    auto symbol = op.getAttrOfType<mlir::StringAttr>("sym_name");
    if (symbol && symbol.getValue() == wanted)
      return true;
  }
  return false;
}

/// The end of the file that `variable` names. Null where it names none.
std::unique_ptr<llvm::raw_fd_ostream> openForAppend(const char *variable) {
  const char *path = std::getenv(variable);
  if (!path || !*path)
    return nullptr;
  std::error_code error;
  auto file = std::make_unique<llvm::raw_fd_ostream>(
      path, error, llvm::sys::fs::OF_Append | llvm::sys::fs::OF_Text);
  if (error)
    throw std::runtime_error(std::string(variable) + ": cannot write '" + path +
                             "': " + error.message());
  return file;
}

void enableDump(mlir::PassManager &pm, llvm::raw_ostream &os) {
  pm.enableIRPrinting([](mlir::Pass *, mlir::Operation *) { return true; },
                      [](mlir::Pass *, mlir::Operation *) { return false; },
                      /*printModuleScope=*/true,
                      /*printAfterOnlyOnChange=*/false,
                      /*printAfterOnlyOnFailure=*/true, os);
}

/// TRITON_REPRODUCER_PATH: before the pipeline `name` runs, the module and the
/// passes are written to a file that triton-opt --run-reproducer repeats.
void writeReproducer(mlir::PassManager &pm, mlir::ModuleOp module,
                     const std::string &name) {
  const char *path = std::getenv("TRITON_REPRODUCER_PATH");
  if (!path || !*path)
    return;
  std::string file = std::string(path) + "." + name + ".repro.mlir";
  mlir::makeReproducer(pm.getOpName().value_or("builtin.module"),
                       pm.getPasses(), module, file,
                       /*disableThreads=*/true, /*verifyPasses=*/true);
  if (!llvm::sys::fs::exists(file))
    throw std::runtime_error("TRITON_REPRODUCER_PATH: cannot write '" + file +
                             "'");
}

void runPasses(mlir::PassManager &pm, mlir::ModuleOp &module,
               const std::string &name) {
  DiagnosticCollector diagnostics(module.getContext());
  std::unique_ptr<llvm::raw_fd_ostream> dump;
  if (wantsDump(module)) {
    dump = openForAppend("MLIR_DUMP_PATH");
    enableDump(pm, dump ? *dump : llvm::errs());
  }
  writeReproducer(pm, module, name);
  const char *timing = std::getenv("MLIR_ENABLE_TIMING");
  if (timing && llvm::StringRef(timing) == "1")
    pm.enableTiming();
  mlir::LogicalResult result = mlir::failure();
  {
    py::gil_scoped_release release;
    result = pm.run(module);
  }
  if (mlir::failed(result))
    diagnostics.raise("pass pipeline '" + name + "' failed:");
}

} // namespace

void init_triton_ir(py::module &&m) {
  m.doc() = "MLIR objects and the builder of the front end";

  py::class_<mlir::MLIRContext>(m, "context")
      .def(py::init([] {
        return std::make_unique<mlir::MLIRContext>(
            mlir::MLIRContext::Threading::DISABLED);
      }))
      .def("disable_multithreading",
           [](mlir::MLIRContext &self) { self.disableMultithreading(); })
      .def("printOpOnDiagnostic", [](mlir::MLIRContext &self, bool enable) {
        self.printOpOnDiagnostic(enable);
      });
  m.def("load_dialects", &loadDialects, py::arg("context"),
        "Load every dialect of the trunk; does nothing the second time.");

  bindObjects(m);

  m.def("parse_mlir_module", &parseModule, py::arg("path_or_text"),
        py::arg("context"), py::keep_alive<0, 2>(),
        "The module in a file or in a text. Raises RuntimeError with the "
        "parser's or verifier's message.");

  py::class_<mlir::PassManager>(m, "pass_manager")
      .def(py::init([](mlir::MLIRContext &context) {
             return std::make_unique<mlir::PassManager>(
                 &context, mlir::ModuleOp::getOperationName());
           }),
           py::keep_alive<1, 2>())
      .def(
          "enable_debug", [](mlir::PassManager &) {},
          "Kept for callers; MLIR_ENABLE_DUMP is read when passes run.")
      .def("enable_verifier",
           [](mlir::PassManager &self, bool on) { self.enableVerifier(on); })
      .def("run", &runPasses, py::arg("module"), py::arg("name") = "passes",
           "Run the passes. Raises RuntimeError with the diagnostics.")
      .def("__str__", [](mlir::PassManager &self) {
        std::string text;
        llvm::raw_string_ostream os(text);
        self.printAsTextualPipeline(os);
        return text;
      });

  BuilderClass builder(m, "builder", py::dynamic_attr());
  builder.def(py::init([](mlir::MLIRContext &context) {
                return std::make_unique<Builder>(&context);
              }),
              py::keep_alive<1, 2>());
  bindBuilderTypes(builder);
  bindBuilderArith(builder);
  bindBuilderOps(builder);
  bindBuilderControl(builder);
}
