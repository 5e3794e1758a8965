//===- ir_arith.cc - Arithmetic of the builder ----------------------------===//
//
// Most operations of arith and math take one or two operands of the type they
// return and no attributes, so they are created by name: the table of which
// Python operator means which operation is in language/semantic.
//
//===----------------------------------------------------------------------===//

#include "ir.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <pybind11/stl.h>
#include <stdexcept>

namespace py = pybind11;
using namespace triton_ir;

namespace {

mlir::Operation *createNamed(Builder &self, const std::string &name,
                             mlir::ValueRange operands,
                             mlir::TypeRange results) {
  mlir::OperationName opName(name, self.getContext());
  if (!opName.isRegistered())
    throw std::invalid_argument("no operation is called '" + name + "'");
  mlir::OperationState state(self.loc, opName);
  state.addOperands(operands);
  state.addTypes(results);
  return self.builder.create(state);
}

mlir::Value createUnary(Builder &self, const std::string &name,
                        mlir::Value &operand) {
  return createNamed(self, name, operand, operand.getType())->getResult(0);
}

mlir::Value createBinary(Builder &self, const std::string &name,
                         mlir::Value &lhs, mlir::Value &rhs) {
  return createNamed(self, name, {lhs, rhs}, lhs.getType())->getResult(0);
}

mlir::Value createCast(Builder &self, const std::string &name,
                       mlir::Value &operand, mlir::Type &type) {
  return createNamed(self, name, operand, type)->getResult(0);
}

mlir::Value createCmpI(Builder &self, const std::string &predicate,
                       mlir::Value &lhs, mlir::Value &rhs) {
  auto parsed = mlir::arith::symbolizeCmpIPredicate(predicate);
  if (!parsed)
    throw std::invalid_argument("no integer comparison is called '" +
                                predicate + "'");
  return self.create<mlir::arith::CmpIOp>(*parsed, lhs, rhs);
}

mlir::Value createCmpF(Builder &self, const std::string &predicate,
                       mlir::Value &lhs, mlir::Value &rhs) {
  auto parsed = mlir::arith::symbolizeCmpFPredicate(predicate);
  if (!parsed)
    throw std::invalid_argument("no float comparison is called '" + predicate +
                                "'");
  return self.create<mlir::arith::CmpFOp>(*parsed, lhs, rhs);
}

} // namespace

void triton_ir::bindBuilderArith(BuilderClass &builder) {
  builder
      .def(
          "create_op",
          [](Builder &self, const std::string &name,
             const std::vector<mlir::Value> &operands,
             const std::vector<mlir::Type> &results) {
            return createNamed(self, name, operands, results);
          },
          py::return_value_policy::reference,
          "Any operation without attributes, by its full name.")
      .def("create_unary", &createUnary)
      .def("create_binary", &createBinary)
      .def("create_cast", &createCast)
      .def("create_cmpi", &createCmpI)
      .def("create_cmpf", &createCmpF)
      .def("create_fma",
           [](Builder &self, mlir::Value &a, mlir::Value &b,
              mlir::Value &c) -> mlir::Value {
             return createNamed(self, "math.fma", {a, b, c}, a.getType())
                 ->getResult(0);
           })
      .def("create_select",
           [](Builder &self, mlir::Value &condition, mlir::Value &onTrue,
              mlir::Value &onFalse) -> mlir::Value {
             return self.create<mlir::arith::SelectOp>(condition, onTrue,
                                                       onFalse);
           });
}
