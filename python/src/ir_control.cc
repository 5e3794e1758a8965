//===- ir_control.cc - Functions and control flow of the builder ----------===//

#include "ir.h"
#include "mlir/Dialect/LLVMIR/LLVMAttrs.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include <pybind11/stl.h>

namespace py = pybind11;
namespace tt = mlir::triton;
using namespace triton_ir;

namespace {

using Values = std::vector<mlir::Value>;
using Types = std::vector<mlir::Type>;

void bindPosition(BuilderClass &builder) {
  builder
      .def("set_loc",
           [](Builder &self, const std::string &file, int line, int column) {
             self.loc = mlir::FileLineColLoc::get(self.getContext(), file, line,
                                                  column);
           })
      .def("set_loc",
           [](Builder &self, mlir::Location &location) { self.loc = location; })
      .def(
          "set_inlined_loc",
          [](Builder &self, const std::string &file, int line, int column,
             const std::string &function, int firstLine, mlir::Location &call) {
            mlir::MLIRContext *context = self.getContext();
            auto place = [&](int line, int column) -> mlir::Location {
              return mlir::FileLineColLoc::get(context, file, line, column);
            };
            auto name = mlir::NameLoc::get(
                mlir::StringAttr::get(context, function), place(firstLine, 0));
            self.loc = mlir::CallSiteLoc::get(
                mlir::FusedLoc::get(context, {place(line, column)}, name),
                call);
          },
          py::arg("file"), py::arg("line"), py::arg("column"),
          py::arg("function"), py::arg("first_line"), py::arg("call"),
          "A place in `function`, which is traced at the place `call`.")
      .def(
          "set_function_loc",
          [](Builder &self, const std::string &file, int line,
             const std::string &function) {
            mlir::MLIRContext *context = self.getContext();
            self.loc = mlir::NameLoc::get(
                mlir::StringAttr::get(context, function),
                mlir::FileLineColLoc::get(context, file, line, 0));
          },
          py::arg("file"), py::arg("line"), py::arg("function"),
          "The place of a function that others call, with its name.")
      .def("get_loc", [](Builder &self) { return self.loc; })
      .def("set_name",
           [](Builder &self, mlir::Value &value, const std::string &name) {
             // The first variable of several that hold a value names it.
             mlir::Location location = value.getLoc();
             if (!mlir::isa<mlir::NameLoc>(location))
               value.setLoc(mlir::NameLoc::get(
                   mlir::StringAttr::get(self.getContext(), name), location));
           })
      .def("set_unknown_loc",
           [](Builder &self) { self.loc = self.builder.getUnknownLoc(); })
      .def("get_insertion_point",
           [](Builder &self) { return self.builder.saveInsertionPoint(); })
      .def("restore_insertion_point",
           [](Builder &self, mlir::OpBuilder::InsertPoint &point) {
             self.builder.restoreInsertionPoint(point);
           })
      .def(
          "get_insertion_block",
          [](Builder &self) { return self.builder.getInsertionBlock(); },
          py::return_value_policy::reference)
      .def("set_insertion_point_to_start",
           [](Builder &self, mlir::Block &block) {
             self.builder.setInsertionPointToStart(&block);
           })
      .def("set_insertion_point_to_end",
           [](Builder &self, mlir::Block &block) {
             self.builder.setInsertionPointToEnd(&block);
           })
      .def("set_insertion_point_after", [](Builder &self, mlir::Operation &op) {
        self.builder.setInsertionPointAfter(&op);
      });
}

void bindFunctions(BuilderClass &builder) {
  builder
      .def(
          "create_module",
          [](Builder &self) {
            return std::unique_ptr<mlir::ModuleOp, ModuleDeleter>(
                new mlir::ModuleOp(mlir::ModuleOp::create(self.loc)));
          },
          py::keep_alive<0, 1>())
      .def(
          "create_function",
          [](Builder &self, mlir::ModuleOp &module, const std::string &name,
             const Types &inputs, const std::string &visibility,
             bool noinline) {
            mlir::OpBuilder::InsertionGuard guard(self.builder);
            self.builder.setInsertionPointToEnd(module.getBody());
            llvm::SmallVector<mlir::NamedAttribute> attrs = {
                self.builder.getNamedAttr(
                    "sym_visibility", self.builder.getStringAttr(visibility)),
                self.builder.getNamedAttr("noinline",
                                          self.builder.getBoolAttr(noinline))};
            auto type = mlir::FunctionType::get(self.getContext(), inputs, {});
            return self.create<tt::FuncOp>(name, type, attrs);
          },
          "A function of the module without results and without a body.")
      .def("create_call",
           [](Builder &self, const std::string &callee, const Types &results,
              const Values &operands) {
             auto op = self.create<tt::CallOp>(callee, results, operands);
             return Values(op->result_begin(), op->result_end());
           })
      .def("create_return", [](Builder &self, const Values &values) {
        self.create<tt::ReturnOp>(values);
      });
}

/// Gives an scf.if without results the results that its branches turned out to
/// have, keeping the regions. The old operation is gone afterwards.
mlir::Operation *finishIf(Builder &self, mlir::Operation *op,
                          const Types &results) {
  auto draft = mlir::cast<mlir::scf::IfOp>(op);
  mlir::OpBuilder::InsertionGuard guard(self.builder);
  self.builder.setInsertionPoint(op);
  mlir::OperationState state(op->getLoc(), mlir::scf::IfOp::getOperationName());
  state.addOperands(draft.getCondition());
  state.addTypes(results);
  state.addRegion()->takeBody(draft.getThenRegion());
  state.addRegion()->takeBody(draft.getElseRegion());
  mlir::Operation *finished = self.builder.create(state);
  op->erase();
  return finished;
}

mlir::Operation *createIf(Builder &self, mlir::Value &condition) {
  mlir::OperationState state(self.loc, mlir::scf::IfOp::getOperationName());
  state.addOperands(condition);
  for (int i = 0; i < 2; ++i)
    state.addRegion()->emplaceBlock();
  return self.builder.create(state);
}

mlir::Operation *createFor(Builder &self, mlir::Value &lower,
                           mlir::Value &upper, mlir::Value &step,
                           const Values &inits, bool isUnsigned) {
  auto op = self.create<mlir::scf::ForOp>(lower, upper, step, inits,
                                          /*bodyBuilder=*/nullptr, isUnsigned);
  // Without carried values the operation comes with a yield; with them it does
  // not. The caller always adds its own.
  if (!op.getBody()->empty())
    op.getBody()->back().erase();
  return op;
}

mlir::Operation *createWhile(Builder &self, const Values &inits) {
  mlir::OperationState state(self.loc, mlir::scf::WhileOp::getOperationName());
  state.addOperands(inits);
  for (int i = 0; i < 2; ++i) {
    mlir::Block &block = state.addRegion()->emplaceBlock();
    for (mlir::Value init : inits) {
      if (i == 0)
        state.addTypes(init.getType());
      block.addArgument(init.getType(), self.loc);
    }
  }
  return self.builder.create(state);
}

/// Keeps loop-invariant code inside of the loop.
void disableLicm(Builder &self, mlir::Operation &loop) {
  mlir::MLIRContext *context = self.getContext();
  auto on = mlir::BoolAttr::get(context, true);
  auto licm = mlir::LLVM::LoopLICMAttr::get(context, on, /*versioningDisable=*/
                                            mlir::BoolAttr());
  loop.setAttr("llvm.loop_annotation", mlir::LLVM::LoopAnnotationAttr::get(
                                           context, {}, {}, {}, {}, {}, licm,
                                           {}, {}, {}, {}, {}, {}, {}, {}, {}));
}

void bindControlFlow(BuilderClass &builder) {
  builder
      .def("create_if", &createIf, py::return_value_policy::reference,
           "An scf.if with two empty blocks and no results yet: see finish_if.")
      .def("finish_if", &finishIf, py::return_value_policy::reference)
      .def("create_for", &createFor, py::return_value_policy::reference)
      .def("create_while", &createWhile, py::return_value_policy::reference)
      .def("create_yield",
           [](Builder &self, const Values &values) {
             self.create<mlir::scf::YieldOp>(values);
           })
      .def("create_condition",
           [](Builder &self, mlir::Value &condition, const Values &values) {
             self.create<mlir::scf::ConditionOp>(condition, values);
           })
      .def("disable_licm", &disableLicm);
}

} // namespace

void triton_ir::bindBuilderControl(BuilderClass &builder) {
  py::class_<mlir::OpBuilder::InsertPoint>(builder, "insertion_point");
  bindPosition(builder);
  bindFunctions(builder);
  bindControlFlow(builder);
  builder.def("create_barrier", [](Builder &self) {
    mlir::OperationState state(self.loc, "gpu.barrier");
    self.builder.create(state);
  });
  builder.def("create_assume", [](Builder &self, mlir::Value &condition) {
    self.create<mlir::LLVM::AssumeOp>(condition);
  });
}
