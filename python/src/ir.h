//===- ir.h - What the files behind libtriton.ir share --------------------===//
//
// libtriton.ir is split by subject, so that an edit recompiles one of them:
//   ir.cc          contexts, parsing, pass managers
//   ir_objects.cc  wrappers of MLIR objects
//   ir_types.cc    types, attributes, constants made by the builder
//   ir_arith.cc    arithmetic
//   ir_ops.cc      operations of the dialect tt
//   ir_control.cc  functions, control flow, insertion points
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_PYTHON_IR_H
#define TRITON_PYTHON_IR_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include <pybind11/pybind11.h>
#include <string>

namespace triton_ir {

/// Emits operations at one insertion point, all with the current location.
class Builder {
public:
  explicit Builder(mlir::MLIRContext *context)
      : builder(context), loc(builder.getUnknownLoc()) {}

  mlir::MLIRContext *getContext() { return builder.getContext(); }

  template <typename OpTy, typename... Args> OpTy create(Args &&...args) {
    return OpTy::create(builder, loc, std::forward<Args>(args)...);
  }

  mlir::OpBuilder builder;
  mlir::Location loc;
};

/// Collects the diagnostics of a context as text for an exception.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext *context);

  /// Throws std::runtime_error: `what`, then what was collected.
  [[noreturn]] void raise(const std::string &what) const;

private:
  std::string text;
  mlir::ScopedDiagnosticHandler handler;
};

/// A Python `ir.module` owns its operation: wrap a module that something else
/// owns as `ir.operation`, never as a second `ir.module`.
struct ModuleDeleter {
  void operator()(mlir::ModuleOp *module) const {
    if (*module)
      module->erase();
    delete module;
  }
};

template <typename T> std::string printed(T &&entity) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << entity;
  return text;
}

using BuilderClass = pybind11::class_<Builder>;

void bindObjects(pybind11::module &m);
void bindBuilderTypes(BuilderClass &builder);
void bindBuilderArith(BuilderClass &builder);
void bindBuilderOps(BuilderClass &builder);
void bindBuilderControl(BuilderClass &builder);

} // namespace triton_ir

#endif // TRITON_PYTHON_IR_H
