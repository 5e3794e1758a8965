//===- FuncOps.cpp - Functions, calls, printing and assertions ------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "triton/Dialect/Triton/IR/Dialect.h"

using namespace mlir;
using namespace mlir::triton;

//===----------------------------------------------------------------------===//
// FuncOp
//===----------------------------------------------------------------------===//

void FuncOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                   FunctionType type, ArrayRef<NamedAttribute> attrs,
                   ArrayRef<DictionaryAttr> argAttrs) {
  auto &properties = state.getOrAddProperties<Properties>();
  properties.sym_name = builder.getStringAttr(name);
  properties.function_type = TypeAttr::get(type);
  state.addAttributes(attrs);
  state.addRegion();
  if (!argAttrs.empty())
    call_interface_impl::addArgAndResultAttrs(
        builder, state, argAttrs, /*resultAttrs=*/{},
        getArgAttrsAttrName(state.name), getResAttrsAttrName(state.name));
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> args,
                      ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(args, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

//===----------------------------------------------------------------------===//
// CallOp, ReturnOp
//===----------------------------------------------------------------------===//

/// Compares the types at a boundary of a function one by one, so that the
/// message names the position.
static LogicalResult verifyTypes(Operation *op, TypeRange actual,
                                 TypeRange expected, const Twine &what,
                                 const Twine &of) {
  if (actual.size() != expected.size())
    return op->emitOpError() << "has " << actual.size() << " " << what
                             << "s, but " << of << " has " << expected.size();
  for (auto [i, pair] : llvm::enumerate(llvm::zip(actual, expected))) {
    auto [have, want] = pair;
    if (have != want)
      return op->emitOpError() << what << " #" << i << " has type " << have
                               << ", but " << of << " has " << want;
  }
  return success();
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  auto callee =
      symbolTable.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError() << "'" << getCallee()
                         << "' does not name a tt.func of this module";
  FunctionType type = callee.getFunctionType();
  std::string of = ("function '" + getCallee() + "'").str();
  if (failed(verifyTypes(*this, getOperandTypes(), type.getInputs(), "operand",
                         of)))
    return failure();
  return verifyTypes(*this, getResultTypes(), type.getResults(), "result", of);
}

LogicalResult ReturnOp::verify() {
  auto function = cast<FuncOp>((*this)->getParentOp());
  return verifyTypes(
      *this, getOperandTypes(), function.getFunctionType().getResults(),
      "operand", "the result list of function '" + function.getSymName() + "'");
}

//===----------------------------------------------------------------------===//
// PrintOp, AssertOp
//===----------------------------------------------------------------------===//

LogicalResult PrintOp::verify() {
  if (getIsSigned().size() != getArgs().size())
    return emitOpError() << "has " << getArgs().size()
                         << " values, but isSigned has " << getIsSigned().size()
                         << " entries";
  return success();
}

/// An assertion of true says nothing.
LogicalResult AssertOp::canonicalize(AssertOp op, PatternRewriter &rewriter) {
  if (!matchPattern(op.getCondition(), m_One()))
    return failure();
  rewriter.eraseOp(op);
  return success();
}
