//===- Types.cpp - Types of the Triton dialect ----------------------------===//

#include "triton/Dialect/Triton/IR/Types.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::triton;

#define GET_TYPEDEF_CLASSES
#include "triton/Dialect/Triton/IR/Types.cpp.inc"

void TritonDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "triton/Dialect/Triton/IR/Types.cpp.inc"
      >();
}

static constexpr int kGlobalAddressSpace = 1;

//===----------------------------------------------------------------------===//
// PointerType
//===----------------------------------------------------------------------===//

/// Reads what follows the comma of `!tt.ptr<T, ...>`: a number, or the name of
/// a space that is global memory here.
static ParseResult parseAddressSpace(AsmParser &parser, int &space) {
  SMLoc loc = parser.getCurrentLocation();
  std::string name;
  if (failed(parser.parseOptionalString(&name)))
    return parser.parseInteger(space);
  if (name != "global" && name != "constant")
    return parser.emitError(loc, "unknown address space \"")
           << name << "\", expected a number, \"global\" or \"constant\"";
  space = kGlobalAddressSpace;
  return success();
}

Type PointerType::parse(AsmParser &parser) {
  Type pointee;
  int space = kGlobalAddressSpace;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseType(pointee))
    return Type();
  if (succeeded(parser.parseOptionalComma()) &&
      parseAddressSpace(parser, space))
    return Type();
  if (parser.parseGreater())
    return Type();
  if (failed(verify([&] { return parser.emitError(loc); }, pointee, space)))
    return Type();
  return PointerType::get(pointee, space);
}

void PointerType::print(AsmPrinter &printer) const {
  printer << "<" << getPointeeType();
  if (getAddressSpace() != kGlobalAddressSpace)
    printer << ", " << getAddressSpace();
  printer << ">";
}

static bool isNumberOrPointer(Type type) {
  return isa<FloatType, PointerType>(type) || type.isSignlessInteger();
}

LogicalResult PointerType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  Type pointee, int addressSpace) {
  if (!pointee)
    return emitError() << "pointer without pointee type";
  if (addressSpace < 0)
    return emitError() << "address space must not be negative, got "
                       << addressSpace;
  auto tensor = dyn_cast<RankedTensorType>(pointee);
  if (isNumberOrPointer(pointee) ||
      (tensor && isNumberOrPointer(tensor.getElementType())))
    return success();
  return emitError() << "pointee must be a number, a pointer or a ranked "
                        "tensor of these, got "
                     << pointee;
}

//===----------------------------------------------------------------------===//
// TensorDescType
//===----------------------------------------------------------------------===//

Type TensorDescType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess())
    return Type();
  Type block;
  OptionalParseResult isType = parser.parseOptionalType(block);
  if (isType.has_value()) {
    if (failed(*isType))
      return Type();
  } else {
    SmallVector<int64_t> shape;
    Type element;
    if (parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
        parser.parseType(element))
      return Type();
    block = RankedTensorType::get(shape, element);
  }
  if (parser.parseGreater())
    return Type();
  auto tensor = dyn_cast<RankedTensorType>(block);
  if (!tensor) {
    parser.emitError(
        loc, "block of a tensor descriptor must be a ranked tensor, got ")
        << block;
    return Type();
  }
  if (failed(verify([&] { return parser.emitError(loc); }, tensor)))
    return Type();
  return TensorDescType::get(tensor);
}

void TensorDescType::print(AsmPrinter &printer) const {
  printer << "<" << getBlockType() << ">";
}

LogicalResult
TensorDescType::verify(function_ref<InFlightDiagnostic()> emitError,
                       RankedTensorType block) {
  if (!block.hasStaticShape() || block.getRank() < 1 || block.getRank() > 5)
    return emitError() << "block of a tensor descriptor must have 1 to 5 "
                          "static dimensions, got "
                       << block;
  if (!isa<FloatType, IntegerType>(block.getElementType()))
    return emitError()
           << "elements of a tensor descriptor must be numbers, got "
           << block.getElementType();
  return success();
}

RankedTensorType TensorDescType::getSignlessBlockType() const {
  RankedTensorType block = getBlockType();
  auto integer = dyn_cast<IntegerType>(block.getElementType());
  if (!integer || integer.isSignless())
    return block;
  return block.clone(IntegerType::get(getContext(), integer.getWidth()));
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

namespace mlir::triton {

bool isScalarPointer(Type type) {
  auto pointer = dyn_cast_or_null<PointerType>(type);
  return pointer && !isa<RankedTensorType>(pointer.getPointeeType());
}

bool isTensorPointerType(Type type) {
  auto pointer = dyn_cast_or_null<PointerType>(type);
  return pointer && isa<RankedTensorType>(pointer.getPointeeType());
}

bool isTensorOrTensorPointerType(Type type) {
  return isa<RankedTensorType>(type) || isTensorPointerType(type);
}

Type getTypeWithElement(Type type, Type element) {
  if (!type)
    return type;
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(element);
  return element;
}

Type getPointeeType(Type type) {
  auto pointer =
      dyn_cast_or_null<PointerType>(type ? getElementTypeOrSelf(type) : type);
  return pointer ? getTypeWithElement(type, pointer.getPointeeType()) : type;
}

Type getPointerType(Type type, int addressSpace) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(
        PointerType::get(tensor.getElementType(), addressSpace));
  return PointerType::get(type, addressSpace);
}

Type getI1SameShape(Type type) {
  return type ? getTypeWithElement(type, IntegerType::get(type.getContext(), 1))
              : type;
}

Type getI32SameShape(Type type) {
  return type
             ? getTypeWithElement(type, IntegerType::get(type.getContext(), 32))
             : type;
}

bool haveSameShape(Type a, Type b) {
  auto tensorA = dyn_cast<RankedTensorType>(a),
       tensorB = dyn_cast<RankedTensorType>(b);
  if (!tensorA || !tensorB)
    return !tensorA && !tensorB;
  return tensorA.getShape() == tensorB.getShape() &&
         tensorA.getEncoding() == tensorB.getEncoding();
}

unsigned getElementBitWidth(Type type) {
  Type element = getElementTypeOrSelf(type);
  return isa<PointerType>(element) ? 64 : element.getIntOrFloatBitWidth();
}

unsigned getPointeeBitWidth(Type ptrType) {
  return std::max(8u, getElementBitWidth(getPointeeType(ptrType)));
}

Type getElementPointerOfTensorPointer(Type tensorPointer) {
  auto pointer = dyn_cast<PointerType>(tensorPointer);
  auto tensor = pointer ? dyn_cast<RankedTensorType>(pointer.getPointeeType())
                        : RankedTensorType();
  return tensor ? PointerType::get(tensor.getElementType(),
                                   pointer.getAddressSpace())
                : PointerType();
}

Type getElementPointerOfDescriptor(Type descriptor) {
  auto desc = dyn_cast<TensorDescType>(descriptor);
  return desc ? PointerType::get(desc.getSignlessBlockType().getElementType())
              : PointerType();
}

} // namespace mlir::triton
