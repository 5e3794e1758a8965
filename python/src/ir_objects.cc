//===- ir_objects.cc - Python wrappers of MLIR objects --------------------===//

#include "ir.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Transforms/LocationSnapshot.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include <pybind11/functional.h>
#include <pybind11/stl.h>
#include <stdexcept>

namespace py = pybind11;
using namespace triton_ir;

namespace {

template <typename T> uint64_t identity(const T *object) {
  return reinterpret_cast<uint64_t>(object);
}

void bindScalars(py::module &m) {
  py::class_<mlir::Location>(m, "location")
      .def("__str__", [](mlir::Location &self) { return printed(self); });

  py::class_<mlir::Type>(m, "type")
      .def("is_integer", [](mlir::Type &self,
                            unsigned width) { return self.isInteger(width); })
      .def("__eq__",
           [](mlir::Type &self, py::object other) {
             return py::isinstance<mlir::Type>(other) &&
                    self == other.cast<mlir::Type>();
           })
      .def("__hash__",
           [](mlir::Type &self) {
             return static_cast<size_t>(mlir::hash_value(self));
           })
      .def("__str__", [](mlir::Type &self) { return printed(self); });

  py::class_<mlir::Attribute>(m, "attribute")
      .def("__str__", [](mlir::Attribute &self) { return printed(self); });

  py::class_<mlir::Value>(m, "value")
      .def("get_type", &mlir::Value::getType)
      .def("get_loc", &mlir::Value::getLoc)
      .def("get_context", &mlir::Value::getContext,
           py::return_value_policy::reference)
      .def(
          "get_defining_op",
          [](mlir::Value &self) { return self.getDefiningOp(); },
          py::return_value_policy::reference)
      .def(
          "id",
          [](mlir::Value &self) { return identity(self.getAsOpaquePointer()); })
      .def("replace_all_uses_with",
           [](mlir::Value &self, mlir::Value &other) {
             self.replaceAllUsesWith(other);
           })
      .def("set_attr",
           [](mlir::Value &self, const std::string &name,
              mlir::Attribute &attr) {
             // Facts about a value are kept on what defines it: an operation,
             // or an argument of a function. Other block arguments (loop
             // carried values) have no place for them.
             if (mlir::Operation *op = self.getDefiningOp()) {
               op->setAttr(name, attr);
               return;
             }
             auto arg = mlir::cast<mlir::BlockArgument>(self);
             auto func = mlir::dyn_cast_or_null<mlir::triton::FuncOp>(
                 arg.getOwner()->getParentOp());
             if (func && arg.getOwner()->isEntryBlock())
               func.setArgAttr(arg.getArgNumber(), name, attr);
           })
      .def("__eq__",
           [](mlir::Value &self, py::object other) {
             return py::isinstance<mlir::Value>(other) &&
                    self == other.cast<mlir::Value>();
           })
      .def("__hash__",
           [](mlir::Value &self) {
             return static_cast<size_t>(mlir::hash_value(self));
           })
      .def("__str__", [](mlir::Value &self) { return printed(self); });
}

void bindRegions(py::module &m) {
  py::class_<mlir::Region>(m, "region")
      .def("size", [](mlir::Region &self) { return self.getBlocks().size(); })
      .def("empty", &mlir::Region::empty)
      .def(
          "front", [](mlir::Region &self) { return &self.front(); },
          py::return_value_policy::reference)
      .def(
          "get_parent_op",
          [](mlir::Region &self) { return self.getParentOp(); },
          py::return_value_policy::reference)
      .def("id", [](mlir::Region &self) { return identity(&self); });

  py::class_<mlir::Block>(m, "block")
      .def("get_num_arguments",
           [](mlir::Block &self) { return self.getNumArguments(); })
      .def("get_argument",
           [](mlir::Block &self, unsigned index) -> mlir::Value {
             if (index >= self.getNumArguments())
               throw py::index_error("block argument " + std::to_string(index) +
                                     " of " +
                                     std::to_string(self.getNumArguments()));
             return self.getArgument(index);
           })
      .def("arguments",
           [](mlir::Block &self) {
             return std::vector<mlir::Value>(self.args_begin(),
                                             self.args_end());
           })
      .def("add_argument",
           [](mlir::Block &self, mlir::Type &type) -> mlir::Value {
             return self.addArgument(type,
                                     mlir::UnknownLoc::get(type.getContext()));
           })
      .def(
          "get_parent", [](mlir::Block &self) { return self.getParent(); },
          py::return_value_policy::reference)
      .def("has_terminator",
           [](mlir::Block &self) {
             return !self.empty() &&
                    self.back().hasTrait<mlir::OpTrait::IsTerminator>();
           })
      .def("empty", [](mlir::Block &self) { return self.empty(); })
      .def("id", [](mlir::Block &self) { return identity(&self); });
}

unsigned checked(unsigned index, unsigned count, const char *what) {
  if (index >= count)
    throw py::index_error(std::string(what) + " " + std::to_string(index) +
                          " of " + std::to_string(count));
  return index;
}

void bindOperation(py::module &m) {
  py::class_<mlir::Operation, std::unique_ptr<mlir::Operation, py::nodelete>>(
      m, "operation")
      .def("get_name",
           [](mlir::Operation &self) {
             return self.getName().getStringRef().str();
           })
      .def("get_num_operands", &mlir::Operation::getNumOperands)
      .def("get_operand",
           [](mlir::Operation &self, unsigned i) {
             return self.getOperand(
                 checked(i, self.getNumOperands(), "operand"));
           })
      .def("get_num_results", &mlir::Operation::getNumResults)
      .def("get_result",
           [](mlir::Operation &self, unsigned i) -> mlir::Value {
             return self.getResult(checked(i, self.getNumResults(), "result"));
           })
      .def("results",
           [](mlir::Operation &self) {
             return std::vector<mlir::Value>(self.result_begin(),
                                             self.result_end());
           })
      .def("get_num_regions", &mlir::Operation::getNumRegions)
      .def(
          "get_region",
          [](mlir::Operation &self, unsigned i) {
            return &self.getRegion(checked(i, self.getNumRegions(), "region"));
          },
          py::return_value_policy::reference)
      .def("get_block", &mlir::Operation::getBlock,
           py::return_value_policy::reference)
      .def(
          "get_body",
          [](mlir::Operation &self, unsigned i) {
            mlir::Region &region =
                self.getRegion(checked(i, self.getNumRegions(), "region"));
            return region.empty() ? nullptr : &region.front();
          },
          py::arg("region") = 0, py::return_value_policy::reference)
      .def("get_loc", &mlir::Operation::getLoc)
      .def("has_attr",
           [](mlir::Operation &self, const std::string &name) {
             return self.hasAttr(name);
           })
      .def("get_str_attr",
           [](mlir::Operation &self, const std::string &name) -> py::object {
             auto attr = self.getAttrOfType<mlir::StringAttr>(name);
             return attr ? py::object(py::str(attr.getValue().str()))
                         : py::object(py::none());
           })
      .def("get_bool_attr",
           [](mlir::Operation &self, const std::string &name) -> py::object {
             auto attr = self.getAttrOfType<mlir::BoolAttr>(name);
             return attr ? py::object(py::bool_(attr.getValue()))
                         : py::object(py::none());
           })
      .def("get_int_attr",
           [](mlir::Operation &self, const std::string &name) -> py::object {
             auto attr = self.getAttrOfType<mlir::IntegerAttr>(name);
             return attr ? py::object(py::int_(attr.getInt()))
                         : py::object(py::none());
           })
      .def("get_flat_symbol_ref_attr",
           [](mlir::Operation &self, const std::string &name) -> py::object {
             auto attr = self.getAttrOfType<mlir::FlatSymbolRefAttr>(name);
             return attr ? py::object(py::str(attr.getValue().str()))
                         : py::object(py::none());
           })
      .def("set_attr", [](mlir::Operation &self, const std::string &name,
                          mlir::Attribute &attr) { self.setAttr(name, attr); })
      .def("erase", [](mlir::Operation &self) { self.erase(); })
      .def("verify",
           [](mlir::Operation &self) {
             return mlir::succeeded(mlir::verify(&self));
           })
      .def("__str__", [](mlir::Operation &self) { return printed(self); });
}

std::string moduleText(mlir::ModuleOp &module, bool withLocations) {
  std::string text;
  llvm::raw_string_ostream os(text);
  mlir::OpPrintingFlags flags;
  if (withLocations)
    flags.enableDebugInfo();
  module.print(os, flags);
  return text;
}

mlir::triton::FuncOp findFunction(mlir::ModuleOp &module,
                                  const std::string &name) {
  return module.lookupSymbol<mlir::triton::FuncOp>(name);
}

void bindModule(py::module &m) {
  py::class_<mlir::ModuleOp, std::unique_ptr<mlir::ModuleOp, ModuleDeleter>>(
      m, "module", py::dynamic_attr())
      .def("__str__",
           [](mlir::ModuleOp &self) { return moduleText(self, true); })
      .def(
          "str_nodebug",
          [](mlir::ModuleOp &self) { return moduleText(self, false); },
          "The text without locations.")
      .def("verify",
           [](mlir::ModuleOp &self) {
             return mlir::succeeded(mlir::verify(self));
           })
      .def(
          "create_location_snapshot",
          [](mlir::ModuleOp &self, const std::string &path) {
            std::string text;
            llvm::raw_string_ostream os(text);
            mlir::generateLocationsFromIR(os, path, self,
                                          mlir::OpPrintingFlags());
            return text;
          },
          py::arg("path"),
          "Gives every operation the location that it has in the module's "
          "text, as lines of the file `path`. Returns the text; writes no "
          "file.")
      .def(
          "verify_or_raise",
          [](mlir::ModuleOp &self) {
            DiagnosticCollector diagnostics(self.getContext());
            if (mlir::failed(mlir::verify(self)))
              diagnostics.raise("the module is not valid:");
          },
          "Raises RuntimeError with the verifier's diagnostics.")
      .def(
          "clone",
          [](mlir::ModuleOp &self) {
            return std::unique_ptr<mlir::ModuleOp, ModuleDeleter>(
                new mlir::ModuleOp(self.clone()));
          },
          py::keep_alive<0, 1>())
      .def("has_function",
           [](mlir::ModuleOp &self, const std::string &name) {
             return bool(findFunction(self, name));
           })
      .def("get_function", &findFunction)
      .def("get_entry_func_name",
           [](mlir::ModuleOp &self) {
             for (mlir::Operation &op : *self.getBody()) {
               auto symbol = mlir::dyn_cast<mlir::SymbolOpInterface>(op);
               if (symbol && symbol.isPublic())
                 return symbol.getName().str();
             }
             return std::string();
           })
      .def(
          "get_operation",
          [](mlir::ModuleOp &self) { return self.getOperation(); },
          py::return_value_policy::reference)
      .def("get_int_attr",
           [](mlir::ModuleOp &self, const std::string &name) -> py::object {
             auto attr = self->getAttrOfType<mlir::IntegerAttr>(name);
             return attr ? py::object(py::int_(attr.getInt()))
                         : py::object(py::none());
           })
      .def("set_attr", [](mlir::ModuleOp &self, const std::string &name,
                          mlir::Attribute &attr) { self->setAttr(name, attr); })
      .def("walk", [](mlir::ModuleOp &self,
                      const std::function<void(mlir::Operation *)> &visit) {
        self.walk([&](mlir::Operation *op) { visit(op); });
      });

  py::class_<mlir::triton::FuncOp>(m, "function")
      .def("get_name",
           [](mlir::triton::FuncOp &self) { return self.getName().str(); })
      .def("get_num_args",
           [](mlir::triton::FuncOp &self) { return self.getNumArguments(); })
      .def("args",
           [](mlir::triton::FuncOp &self, unsigned i) -> mlir::Value {
             return self.getArgument(
                 checked(i, self.getNumArguments(), "argument"));
           })
      .def("set_arg_attr",
           [](mlir::triton::FuncOp &self, unsigned i, const std::string &name,
              mlir::Attribute &attr) {
             self.setArgAttr(checked(i, self.getNumArguments(), "argument"),
                             name, attr);
           })
      .def("set_attr", [](mlir::triton::FuncOp &self, const std::string &name,
                          mlir::Attribute &attr) { self->setAttr(name, attr); })
      .def("set_result_types",
           [](mlir::triton::FuncOp &self,
              const std::vector<mlir::Type> &results) {
             self.setFunctionType(mlir::FunctionType::get(
                 self.getContext(), self.getArgumentTypes(), results));
           })
      .def(
          "add_entry_block",
          [](mlir::triton::FuncOp &self) { return self.addEntryBlock(); },
          py::return_value_policy::reference)
      .def("erase", [](mlir::triton::FuncOp &self) { self->erase(); })
      .def(
          "get_operation",
          [](mlir::triton::FuncOp &self) { return self.getOperation(); },
          py::return_value_policy::reference);
}

} // namespace

void triton_ir::bindObjects(py::module &m) {
  bindScalars(m);
  bindRegions(m);
  bindOperation(m);
  bindModule(m);
}
