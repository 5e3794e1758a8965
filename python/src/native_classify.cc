//===- native_classify.cc - specialization of arguments -------------------===//

#include "native_classify.h"
#include "native_descriptor.h"

#include <cstring>
#include <unordered_map>

namespace triton::native {

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

static uint64_t bitsOf(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

static uint64_t floatBits(double value) {
  float narrow = static_cast<float>(value);
  uint32_t bits;
  std::memcpy(&bits, &narrow, sizeof bits);
  return bits;
}

static uint64_t bfloatBits(double value) {
  if (value != value)
    return 0x7fc0;
  uint64_t bits = floatBits(value);
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

/// IEEE half precision, rounded to nearest even from the double itself.
static uint64_t halfBits(double value) {
  uint64_t bits = bitsOf(value);
  uint64_t sign = bits >> 48 & 0x8000;
  int exponent = int(bits >> 52 & 0x7ff) - 1023;
  uint64_t fraction = bits & ((uint64_t(1) << 52) - 1);
  if (exponent == 1024)
    return sign | 0x7c00 | (fraction ? 0x200 : 0);
  if (exponent < -25)
    return sign;
  if (exponent > 15)
    return sign | 0x7c00;
  fraction |= uint64_t(1) << 52;
  // Below 2^-14 the result is denormal: fewer bits of the fraction remain.
  unsigned drop = exponent >= -14 ? 42 : unsigned(42 - 14 - exponent);
  uint64_t kept = fraction >> drop;
  uint64_t rest = fraction & ((uint64_t(1) << drop) - 1);
  uint64_t half = uint64_t(1) << (drop - 1);
  kept += rest > half || (rest == half && (kept & 1));
  if (exponent >= -14)
    kept += uint64_t(exponent + 14) << 10; // the hidden bit adds one more
  return sign | kept;
}

static Result integerBits(Element element, PyObject *value, uint64_t &bits) {
  int overflow = 0;
  long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow > 0 && element == Element::U64) {
    bits = PyLong_AsUnsignedLongLong(value);
    if (!PyErr_Occurred())
      return Result::Ok;
    PyErr_Clear();
  }
  if (overflow != 0)
    return Result::Fallback; // does not fit: Python names the argument
  bits = static_cast<uint64_t>(number);
  bool fits = true;
  switch (element) {
  case Element::U1:
    bits = number != 0;
    break;
  case Element::I8:
    fits = number == int8_t(number);
    break;
  case Element::I16:
    fits = number == int16_t(number);
    break;
  case Element::I32:
    fits = number == int32_t(number);
    break;
  case Element::U8:
    fits = number == uint8_t(number);
    break;
  case Element::U16:
    fits = number == uint16_t(number);
    break;
  case Element::U32:
    fits = number == uint32_t(number);
    break;
  case Element::U64:
    fits = number >= 0;
    break;
  default:
    break;
  }
  return fits ? Result::Ok : Result::Fallback;
}

Result encodeScalar(Element element, PyObject *value, uint64_t &bits) {
  if (PyLong_Check(value) &&
      (element < Element::FP16 || element > Element::FP64))
    return integerBits(element, value, bits);
  if (!PyFloat_Check(value) && !PyLong_Check(value))
    return Result::Fallback;
  double number = PyFloat_AsDouble(value);
  if (number == -1.0 && PyErr_Occurred()) {
    PyErr_Clear(); // an integer beyond the range of doubles
    return Result::Fallback;
  }
  switch (element) {
  case Element::FP16:
    bits = halfBits(number);
    return Result::Ok;
  case Element::BF16:
    bits = bfloatBits(number);
    return Result::Ok;
  case Element::FP32:
    bits = floatBits(number);
    return Result::Ok;
  case Element::FP64:
    bits = bitsOf(number);
    return Result::Ok;
  default:
    return Result::Fallback;
  }
}

//===----------------------------------------------------------------------===//
// Compile-time values
//===----------------------------------------------------------------------===//

static uint64_t nextNumber() {
  static uint64_t last = 0;
  return ++last;
}

/// Number of `key` in `numbers`; 0 with an exception set.
static uint64_t numberInDict(PyObject *numbers, PyObject *key) {
  PyObject *found = PyDict_GetItemWithError(numbers, key); // borrowed
  if (found)
    return PyLong_AsUnsignedLongLong(found);
  if (PyErr_Occurred())
    return 0;
  uint64_t number = nextNumber();
  PyObject *value = PyLong_FromUnsignedLongLong(number);
  bool stored = value && PyDict_SetItem(numbers, key, value) == 0;
  Py_XDECREF(value);
  return stored ? number : 0;
}

/// True for objects that are equal only to themselves and print no value.
static bool hasIdentity(PyObject *value) {
  PyTypeObject *type = Py_TYPE(value);
  return PyFunction_Check(value) || PyType_Check(value) ||
         PyCFunction_Check(value) || PyModule_Check(value) ||
         (type->tp_hash == PyBaseObject_Type.tp_hash &&
          type->tp_richcompare == PyBaseObject_Type.tp_richcompare &&
          type->tp_repr == PyBaseObject_Type.tp_repr);
}

/// A number that stands for `value` for the life of the process: by text for
/// strings, by address (and held) for functions and the like, and by type and
/// repr for the rest, so that an object that was changed is another value.
TRITON_COLD static uint64_t otherNumber(PyObject *value) {
  static std::unordered_map<PyObject *, uint64_t> byAddress;
  static PyObject *byText = PyDict_New();
  if (hasIdentity(value)) {
    auto inserted = byAddress.emplace(value, 0);
    if (inserted.second) {
      Py_INCREF(value);
      inserted.first->second = nextNumber();
    }
    return inserted.first->second;
  }
  PyObject *text = PyObject_Repr(value);
  if (!text)
    return 0;
  PyObject *key =
      PyTuple_Pack(2, reinterpret_cast<PyObject *>(Py_TYPE(value)), text);
  Py_DECREF(text);
  uint64_t number = key ? numberInDict(byText, key) : 0;
  Py_XDECREF(key);
  return number;
}

uint64_t valueNumber(PyObject *value) {
  static PyObject *strings = PyDict_New();
  return PyUnicode_CheckExact(value) ? numberInDict(strings, value)
                                     : otherNumber(value);
}

static Result encodeObject(PyObject *value, Constant &out) {
  out = {CodeConstObject, valueNumber(value)};
  return out.payload ? Result::Ok : Result::Error;
}

Result encodeConstant(PyObject *value, Constant &out) {
  if (PyLong_CheckExact(value)) {
    int overflow = 0;
    long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow != 0)
      return encodeObject(value, out);
    out = {CodeConstInt, static_cast<uint64_t>(number)};
  } else if (value == Py_None) {
    out = {CodeConstNone, 0};
  } else if (PyBool_Check(value)) {
    out = {CodeConstBool, uint64_t(value == Py_True)};
  } else if (PyFloat_CheckExact(value)) {
    out = {CodeConstFloat, bitsOf(PyFloat_AS_DOUBLE(value))};
  } else {
    return encodeObject(value, out);
  }
  return Result::Ok;
}

static Result classifyConstant(PyObject *value, Arguments &out) {
  if (out.full())
    return Result::Fallback;
  if (PyTuple_CheckExact(value)) {
    out.addCode(CodeConstOpen);
    for (Py_ssize_t i = 0; i != PyTuple_GET_SIZE(value); ++i) {
      Result result = classifyConstant(PyTuple_GET_ITEM(value, i), out);
      if (result != Result::Ok)
        return result;
    }
    if (out.full())
      return Result::Fallback;
    out.addCode(CodeConstClose);
    return Result::Ok;
  }
  Constant constant;
  Result result = encodeConstant(value, constant);
  if (result != Result::Ok)
    return result;
  if (constant.code == CodeConstNone)
    out.addCode(constant.code);
  else
    out.addPayload(constant.code, constant.payload);
  return Result::Ok;
}

/// The value inside of a `tl.constexpr`.
TRITON_COLD static Result classifyWrapped(PyObject *wrapper, Arguments &out) {
  PyObject *value = PyObject_GetAttrString(wrapper, "value");
  if (!value)
    return Result::Error;
  Result result = classifyConstant(value, out);
  Py_DECREF(value);
  return result;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static Result classifyInt(const Param &param, PyObject *value, Arguments &out) {
  int overflow = 0;
  long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (__builtin_expect(overflow != 0, 0)) {
    uint64_t bits = 0;
    if (integerBits(Element::U64, value, bits) != Result::Ok)
      return Result::Fallback;
    bool aligned = param.specialize && param.align && bits % 16 == 0;
    out.addSlot(aligned ? CodeUInt64Aligned : CodeUInt64, bits);
    return Result::Ok;
  }
  if (number == 1 && param.specialize) {
    out.addCode(CodeOne);
    return Result::Ok;
  }
  bool aligned = param.specialize && param.align && (number & 15) == 0;
  uint8_t code = number == int32_t(number) ? CodeInt32 : CodeInt64;
  out.addSlot(code + aligned, static_cast<uint64_t>(number));
  return Result::Ok;
}

static Result classifyPinned(const Param &param, PyObject *value,
                             Arguments &out) {
  uint64_t bits = 0;
  Result result = encodeScalar(param.pinned, value, bits);
  if (result != Result::Ok)
    return result;
  bool isInteger = param.pinned < Element::FP16 && param.pinned != Element::U1;
  bool aligned =
      isInteger && param.specialize && param.align && (bits & 15) == 0;
  out.addSlot(aligned ? CodePinnedAligned : CodePinned, bits);
  return Result::Ok;
}

static Result classifyTensor(const Param &param, const TypeInfo &info,
                             PyObject *value, Arguments &out) {
  TensorView view;
  Result result = readTensor(info, value, view);
  if (__builtin_expect(result != Result::Ok, 0))
    return result;
  bool aligned = param.specialize && param.align && (view.address & 15) == 0;
  if (__builtin_expect(view.readOnly && out.numSlots < 64, 0))
    out.readOnly |= uint64_t(1) << out.numSlots;
  out.addSlot(CodePointer | uint8_t(view.element) << 1 | aligned, view.address);
  return Result::Ok;
}

static Result classifyTuple(Param &param, PyObject *value, Arguments &out,
                            bool isNamed) {
  // Items have types of their own, so the parameter's memory of the last type
  // is of no use to them.
  Param item = param;
  item.lastType = nullptr;
  if (!isNamed) {
    out.addCode(CodeOpen);
  } else if (uint64_t number =
                 valueNumber(reinterpret_cast<PyObject *>(Py_TYPE(value)))) {
    out.addPayload(CodeOpenNamed, number);
  } else {
    return Result::Error;
  }
  for (Py_ssize_t i = 0; i != PyTuple_GET_SIZE(value); ++i) {
    Result result = classify(item, PyTuple_GET_ITEM(value, i), out);
    if (result != Result::Ok)
      return result;
  }
  if (out.full())
    return Result::Fallback;
  out.addCode(CodeClose);
  return Result::Ok;
}

/// NumPy's numbers are those of Python that they convert to.
static Result classifyNumber(const Param &param, PyObject *value,
                             Arguments &out) {
  static PyObject *itemName = PyUnicode_InternFromString("item");
  PyObject *number = PyObject_CallMethodNoArgs(value, itemName);
  if (!number)
    return Result::Error;
  bool isPlain = PyLong_Check(number) || PyFloat_Check(number); // bools, too
  Param plain = param;
  plain.lastType = nullptr;
  Result result = isPlain ? classify(plain, number, out) : Result::Fallback;
  Py_DECREF(number);
  return result;
}

static Result classifyDescriptor(PyObject *value, Arguments &out) {
  DescriptorView view;
  Result result = readDescriptor(value, view);
  if (result != Result::Ok)
    return result;
  if (out.numCodes + view.rank + 3 >= maxLeaves ||
      out.numSlots + view.numSlots() > maxLeaves)
    return Result::Fallback;
  if (view.base.readOnly && out.numSlots < 64)
    out.readOnly |= uint64_t(1) << out.numSlots;
  out.addPayload(CodeDescriptor, uint64_t(view.base.element) |
                                     uint64_t(view.padsWithNan) << 8 |
                                     uint64_t(view.rank) << 16);
  for (unsigned i = 0; i != view.rank; ++i)
    out.addPayload(CodeConstInt, uint64_t(view.block[i]));
  out.numSlots =
      unsigned(view.writeSlots(out.slots + out.numSlots) - out.slots);
  return Result::Ok;
}

static TypeInfo *infoOf(Param &param, PyTypeObject *type) {
  if (__builtin_expect(type == param.lastType && param.lastInfo->isCurrent(),
                       1))
    return param.lastInfo;
  param.lastInfo = typeInfo(type);
  param.lastType = type;
  return param.lastInfo;
}

Result classify(Param &param, PyObject *value, Arguments &out) {
  if (__builtin_expect(out.full(), 0))
    return Result::Fallback;
  TypeInfo *info = infoOf(param, Py_TYPE(value));
  if (param.isConstexpr) {
    if (info->kind >= Kind::Exchange && info->kind <= Kind::Protocol)
      return Result::Fallback; // a tensor is no compile-time value
    return info->kind == Kind::Constexpr ? classifyWrapped(value, out)
                                         : classifyConstant(value, out);
  }
  if (__builtin_expect(info->kind == Kind::Number, 0))
    return classifyNumber(param, value, out);
  if (param.pinned != Element::Unknown && info->kind != Kind::None)
    return info->kind == Kind::Bool || info->kind == Kind::Int ||
                   info->kind == Kind::Float
               ? classifyPinned(param, value, out)
               : Result::Fallback;
  switch (info->kind) {
  case Kind::None:
    out.addCode(CodeNone);
    return Result::Ok;
  case Kind::Bool:
    out.addSlot(CodeBool, value == Py_True);
    return Result::Ok;
  case Kind::Int:
    return classifyInt(param, value, out);
  case Kind::Float:
    out.addSlot(CodeFloat, floatBits(PyFloat_AS_DOUBLE(value)));
    return Result::Ok;
  case Kind::Tuple:
    return classifyTuple(param, value, out, false);
  case Kind::NamedTuple:
    return classifyTuple(param, value, out, true);
  case Kind::Descriptor:
    return classifyDescriptor(value, out);
  case Kind::Constexpr:
    return classifyWrapped(value, out);
  case Kind::Other:
    return Result::Fallback;
  default:
    return classifyTensor(param, *info, value, out);
  }
}

} // namespace triton::native
