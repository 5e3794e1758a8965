//===- ir_types.cc - Types, attributes and constants of the builder -------===//

#include "ir.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "triton/Dialect/Triton/IR/Types.h"
#include <pybind11/stl.h>
#include <stdexcept>

namespace py = pybind11;
using namespace triton_ir;

namespace {

template <typename TypeTy> mlir::Type getType(Builder &self) {
  return TypeTy::get(self.getContext());
}

void bindScalarTypes(BuilderClass &builder) {
  builder
      .def("get_void_ty",
           [](Builder &self) -> mlir::Type {
             return self.builder.getNoneType();
           })
      .def("get_fp8e4nv_ty", &getType<mlir::Float8E4M3FNType>)
      .def("get_fp8e4b8_ty", &getType<mlir::Float8E4M3FNUZType>)
      // No MLIR type has this format: its bits travel as an integer.
      .def("get_fp8e4b15_ty",
           [](Builder &self) -> mlir::Type { return self.builder.getI8Type(); })
      .def("get_fp8e5_ty", &getType<mlir::Float8E5M2Type>)
      .def("get_fp8e5b16_ty", &getType<mlir::Float8E5M2FNUZType>)
      .def("get_half_ty", &getType<mlir::Float16Type>)
      .def("get_bf16_ty", &getType<mlir::BFloat16Type>)
      .def("get_float_ty", &getType<mlir::Float32Type>)
      .def("get_double_ty", &getType<mlir::Float64Type>);
  for (unsigned width : {1u, 8u, 16u, 32u, 64u})
    builder.def(("get_int" + std::to_string(width) + "_ty").c_str(),
                [width](Builder &self) -> mlir::Type {
                  return self.builder.getIntegerType(width);
                });
  builder
      .def(
          "get_ptr_ty",
          [](Builder &, mlir::Type &element, int addressSpace) -> mlir::Type {
            return mlir::triton::PointerType::get(element, addressSpace);
          },
          py::arg("element"), py::arg("address_space") = 1)
      .def("get_block_ty",
           [](Builder &, mlir::Type &element,
              const std::vector<int64_t> &shape) -> mlir::Type {
             return mlir::RankedTensorType::get(shape, element);
           })
      .def("get_tensordesc_ty", [](Builder &, mlir::Type &block) -> mlir::Type {
        return mlir::triton::TensorDescType::get(
            mlir::cast<mlir::RankedTensorType>(block));
      });
}

void bindAttributes(BuilderClass &builder) {
  builder
      .def("get_bool_attr",
           [](Builder &self, bool value) -> mlir::Attribute {
             return self.builder.getBoolAttr(value);
           })
      .def("get_int32_attr",
           [](Builder &self, int32_t value) -> mlir::Attribute {
             return self.builder.getI32IntegerAttr(value);
           })
      .def("get_int64_attr",
           [](Builder &self, int64_t value) -> mlir::Attribute {
             return self.builder.getI64IntegerAttr(value);
           })
      .def("get_string_attr",
           [](Builder &self, const std::string &value) -> mlir::Attribute {
             return self.builder.getStringAttr(value);
           })
      .def("get_unit_attr",
           [](Builder &self) -> mlir::Attribute {
             return self.builder.getUnitAttr();
           })
      .def("get_int32_tensor_attr",
           [](Builder &self,
              const std::vector<int32_t> &values) -> mlir::Attribute {
             return self.builder.getI32TensorAttr(values);
           });
}

/// The number in a Python object as an attribute of that element type.
mlir::TypedAttr numberAttr(mlir::Type element, py::handle number) {
  if (auto type = mlir::dyn_cast<mlir::FloatType>(element)) {
    double value = number.cast<double>();
    llvm::APFloat converted(value);
    bool losesInfo = false;
    converted.convert(type.getFloatSemantics(),
                      llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return mlir::FloatAttr::get(type, converted);
  }
  if (auto type = mlir::dyn_cast<mlir::IntegerType>(element)) {
    // Wraps modulo 2^64; Python integers may be of either sign.
    unsigned long long bits = PyLong_AsUnsignedLongLongMask(number.ptr());
    if (bits == static_cast<unsigned long long>(-1) && PyErr_Occurred())
      throw py::error_already_set();
    llvm::APInt value(64, bits);
    return mlir::IntegerAttr::get(type, value.trunc(type.getWidth()));
  }
  throw std::invalid_argument("no constants of type " + printed(element));
}

mlir::Value createConstant(Builder &self, mlir::Type &type, py::handle number) {
  if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type)) {
    mlir::Attribute element = numberAttr(tensor.getElementType(), number);
    return self.create<mlir::arith::ConstantOp>(mlir::cast<mlir::TypedAttr>(
        mlir::DenseElementsAttr::get(tensor, element)));
  }
  return self.create<mlir::arith::ConstantOp>(numberAttr(type, number));
}

} // namespace

void triton_ir::bindBuilderTypes(BuilderClass &builder) {
  bindScalarTypes(builder);
  bindAttributes(builder);
  builder
      .def("create_constant", &createConstant, py::arg("type"),
           py::arg("number"),
           "A constant of a number type, or a block filled with it. Integers "
           "wrap, floats round to nearest even.")
      .def("create_poison",
           [](Builder &self, mlir::Type &type) -> mlir::Value {
             return self.create<mlir::ub::PoisonOp>(type);
           })
      .def("get_int1", [](Builder &self, bool value) -> mlir::Value {
        return self.create<mlir::arith::ConstantOp>(
            self.builder.getBoolAttr(value));
      });
  for (unsigned width : {8u, 16u, 32u, 64u})
    for (const char *prefix : {"get_int", "get_uint"})
      builder.def((prefix + std::to_string(width)).c_str(),
                  [width](Builder &self, py::handle number) {
                    mlir::Type type = self.builder.getIntegerType(width);
                    return createConstant(self, type, number);
                  });
}
