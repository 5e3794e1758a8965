//===- native_tensor.cc - reading tensors and arrays ----------------------===//

#include "native_tensor.h"
#include "native_descriptor.h"

#include <cstring>
#include <unordered_map>

namespace triton::native {

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

static constexpr const char *elementNames[] = {
    "u1",    "i8",      "i16",      "i32",     "i64",
    "u8",    "u16",     "u32",      "u64", // clang-format off
    "fp16", "bf16", "fp32", "fp64", "fp8e4nv", "fp8e5", "fp8e4b8", "fp8e5b16", "fp8e4b15"};
// clang-format on

const char *elementName(Element element) {
  return element == Element::Unknown ? "unknown"
                                     : elementNames[static_cast<int>(element)];
}

Element elementOf(const char *name) {
  for (int i = 0; i != static_cast<int>(Element::Unknown); ++i)
    if (std::strcmp(elementNames[i], name) == 0)
      return static_cast<Element>(i);
  return std::strcmp(name, "i1") == 0 ? Element::U1 : Element::Unknown;
}

static Element integerElement(Element smallest, unsigned bits) {
  int first = static_cast<int>(smallest);
  switch (bits) {
  case 8:
    return static_cast<Element>(first);
  case 16:
    return static_cast<Element>(first + 1);
  case 32:
    return static_cast<Element>(first + 2);
  case 64:
    return static_cast<Element>(first + 3);
  default:
    return Element::Unknown;
  }
}

/// Type codes of DLPack 1.1.
static Element elementOf(const DLTensor &tensor) {
  if (tensor.lanes != 1)
    return Element::Unknown;
  switch (tensor.code) {
  case 0:
    return integerElement(Element::I8, tensor.bits);
  case 1:
    return integerElement(Element::U8, tensor.bits);
  case 2:
    return tensor.bits == 32   ? Element::FP32
           : tensor.bits == 16 ? Element::FP16
           : tensor.bits == 64 ? Element::FP64
                               : Element::Unknown;
  case 4:
    return tensor.bits == 16 ? Element::BF16 : Element::Unknown;
  case 6:
    return tensor.bits == 8 ? Element::U1 : Element::Unknown;
  case 10:
    return Element::FP8E4NV;
  case 11:
    return Element::FP8E4B8;
  case 12:
    return Element::FP8E5;
  case 13:
    return Element::FP8E5B16;
  default:
    return Element::Unknown;
  }
}

//===----------------------------------------------------------------------===//
// NumPy
//===----------------------------------------------------------------------===//

namespace {
/// The first fields of an ndarray and of its descriptor: the same in NumPy 1
/// and 2, and part of its C API.
struct ArrayPrefix {
  PyObject_HEAD char *data;
  int rank;
  Py_ssize_t *shape;
  Py_ssize_t *strides;
  PyObject *base;
  struct DescriptorPrefix *descriptor;
  int flags;
};

struct DescriptorPrefix {
  PyObject_HEAD PyTypeObject *scalarType;
  char kind;
  char type;
  char byteOrder;
  char flags;
  int typeNumber;
};
} // namespace

/// NumPy's type numbers, on platforms where C's long has 64 bits.
static Element elementOf(const DescriptorPrefix &descriptor) {
  static constexpr Element byNumber[] = {
      Element::U1,  Element::I8,   Element::U8,  Element::I16, Element::U16,
      Element::I32, Element::U32,  Element::I64, Element::U64, Element::I64,
      Element::U64, Element::FP32, Element::FP64};
  static_assert(sizeof(long) == 8, "NumPy's type numbers follow C's types");
  if (descriptor.byteOrder == '>')
    return Element::Unknown;
  int number = descriptor.typeNumber;
  if (number >= 0 && number < int(sizeof(byNumber) / sizeof(byNumber[0])))
    return byNumber[number];
  return number == 23 ? Element::FP16 : Element::Unknown;
}

/// The class `name` of NumPy, if NumPy was imported; borrowed. `found` keeps it
/// for the next time.
static PyTypeObject *numpyType(const char *name, PyTypeObject *&found) {
  if (found)
    return found;
  PyObject *modules = PyImport_GetModuleDict(); // borrowed
  PyObject *numpy = PyDict_GetItemString(modules, "numpy");
  if (!numpy)
    return nullptr;
  PyObject *type = PyObject_GetAttrString(numpy, name);
  if (!type) {
    PyErr_Clear(); // NumPy is being imported
    return nullptr;
  }
  found = reinterpret_cast<PyTypeObject *>(type); // kept for good
  return found;
}

static PyTypeObject *arrayType() {
  static PyTypeObject *found = nullptr;
  return numpyType("ndarray", found);
}

/// A number of NumPy; records, dates and texts are none.
static bool isNumberType(PyTypeObject *type) {
  static PyTypeObject *number = nullptr, *boolean = nullptr;
  PyTypeObject *base = numpyType("number", number);
  PyTypeObject *truth = numpyType("bool_", boolean);
  return base && truth && (type == truth || PyType_IsSubtype(type, base));
}

static Result readArray(PyObject *object, TensorView &view) {
  auto *array = reinterpret_cast<ArrayPrefix *>(object);
  view.address = reinterpret_cast<uintptr_t>(array->data);
  view.element = elementOf(*array->descriptor);
  constexpr int writeable = 0x400; // NPY_ARRAY_WRITEABLE
  view.readOnly = !(array->flags & writeable);
  return view.element == Element::Unknown ? Result::Fallback : Result::Ok;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

bool TypeInfo::isCurrent() const {
  // What a class inherits from these in C cannot be changed.
  return kind <= Kind::Tuple || (version != 0 && typeVersion(type) == version);
}

/// Attribute of a type, new reference; null without exception if it has none.
static PyObject *lookUp(PyTypeObject *type, const char *name) {
  PyObject *found =
      PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), name);
  if (!found)
    PyErr_Clear();
  return found;
}

/// The class of the method resolution order that defines `name`; borrowed.
static PyTypeObject *definingClass(PyTypeObject *type, const char *name) {
  PyObject *order = type->tp_mro;
  for (Py_ssize_t i = 0; order && i != PyTuple_GET_SIZE(order); ++i) {
    auto *base = reinterpret_cast<PyTypeObject *>(PyTuple_GET_ITEM(order, i));
    PyObject *members = lookUp(base, "__dict__");
    int has = 0;
    if (members) {
      PyObject *key = PyUnicode_FromString(name);
      has = key ? PySequence_Contains(members, key) : 0;
      Py_XDECREF(key);
      Py_DECREF(members);
    }
    if (has < 0)
      PyErr_Clear();
    if (has == 1)
      return base;
  }
  return nullptr;
}

/// The exchange function of `type`, or null. It bypasses everything that
/// Python code may have overridden, so it is used only where nothing is: the
/// accessors are those of C, and no `__torch_function__` in Python intervenes
/// (the class that offers the table is exempt: its own is not for accessors).
TRITON_COLD static DLTensorFromObject exchangeFunction(PyTypeObject *type) {
  PyTypeObject *holder = definingClass(type, dlpackAttribute);
  if (!holder)
    return nullptr;
  PyObject *capsule = lookUp(type, dlpackAttribute);
  PyObject *dataPtr = lookUp(type, "data_ptr");
  PyObject *dtype = lookUp(type, "dtype");
  PyObject *override = lookUp(type, "__torch_function__");
  bool usable = capsule && PyCapsule_IsValid(capsule, dlpackCapsule);
  usable = usable && (!dataPtr || Py_TYPE(dataPtr) == &PyMethodDescr_Type);
  usable = usable && (!dtype || Py_TYPE(dtype) == &PyGetSetDescr_Type);
  usable =
      usable && (type == holder || !override || PyCFunction_Check(override));
  DLTensorFromObject function = nullptr;
  if (usable) {
    auto *header = static_cast<DLExchangeHeader *>(
        PyCapsule_GetPointer(capsule, dlpackCapsule));
    while (header && header->major != dlpackMajor)
      header = header->previous;
    if (header)
      function = reinterpret_cast<DLExchangeTable *>(header)->tensorFromObject;
  }
  Py_XDECREF(capsule);
  Py_XDECREF(dataPtr);
  Py_XDECREF(dtype);
  Py_XDECREF(override);
  return function;
}

static bool isLanguageType(PyTypeObject *type, const char *name) {
  const char *dot = std::strrchr(type->tp_name, '.');
  if (std::strcmp(dot ? dot + 1 : type->tp_name, name) != 0)
    return false;
  PyObject *module = lookUp(type, "__module__");
  bool own = module && PyUnicode_Check(module) &&
             std::strncmp(PyUnicode_AsUTF8(module), "triton.language", 15) == 0;
  Py_XDECREF(module);
  return own;
}

/// numpy.ndarray or a subclass that is only another view of the same memory,
/// such as numpy.memmap. Masked arrays are more than their memory, and a class
/// with `data_ptr` speaks for itself.
static bool isPlainArray(PyTypeObject *type) {
  PyTypeObject *array = arrayType();
  if (!array || type == array)
    return array != nullptr;
  if (!PyType_IsSubtype(type, array))
    return false;
  for (const char *name : {"mask", "data_ptr"})
    if (PyObject *found = lookUp(type, name)) {
      Py_DECREF(found);
      return false;
    }
  return true;
}

static bool isNamedTuple(PyTypeObject *type) {
  PyObject *fields = lookUp(type, "_fields");
  Py_XDECREF(fields);
  return fields != nullptr;
}

TRITON_COLD static void decide(TypeInfo &info) {
  PyTypeObject *type = info.type;
  info.exchange = nullptr;
  if (type == Py_TYPE(Py_None))
    info.kind = Kind::None;
  else if (type == &PyBool_Type)
    info.kind = Kind::Bool;
  else if (PyType_IsSubtype(type, &PyLong_Type))
    info.kind = Kind::Int;
  else if (PyType_IsSubtype(type, &PyFloat_Type))
    info.kind = Kind::Float;
  else if (PyType_IsSubtype(type, &PyTuple_Type))
    info.kind = isNamedTuple(type) ? Kind::NamedTuple : Kind::Tuple;
  else if (isNumberType(type))
    info.kind = Kind::Number;
  else if (isPlainArray(type))
    info.kind = Kind::Array;
  else if ((info.exchange = exchangeFunction(type)))
    info.kind = Kind::Exchange;
  else if (isLanguageType(type, "constexpr"))
    info.kind = Kind::Constexpr;
  else if (isDescriptorType(type))
    info.kind = Kind::Descriptor;
  else {
    PyObject *dataPtr = lookUp(type, "data_ptr");
    info.kind = dataPtr ? Kind::Protocol : Kind::Other;
    Py_XDECREF(dataPtr);
  }
  if (info.kind == Kind::Exchange || info.kind == Kind::Protocol)
    info.negated = negatedProbe(type, info.exchange);
  info.version = typeVersion(type); // the lookups gave the type one
}

TypeInfo *typeInfo(PyTypeObject *type) {
  static std::unordered_map<PyTypeObject *, TypeInfo *> known;
  auto found = known.find(type);
  if (found != known.end()) {
    if (!found->second->isCurrent())
      decide(*found->second);
    return found->second;
  }
  auto *info = new TypeInfo{type, 0, Kind::Other, nullptr, {}};
  Py_INCREF(reinterpret_cast<PyObject *>(type)); // its address stays taken
  known.emplace(type, info);
  decide(*info);
  return info;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

TRITON_COLD static Result wrongDevice(int32_t device) {
  PyErr_Format(PyExc_ValueError,
               "the tensor is in memory of DLPack device type %d, which the "
               "active driver cannot launch with; move it to the driver's "
               "device, or choose another one with TRITON_DEFAULT_BACKEND",
               int(device));
  return Result::Error;
}

static Result readExchange(const TypeInfo &info, PyObject *object,
                           TensorView &view) {
  DLTensor tensor;
  if (__builtin_expect(info.exchange(object, &tensor) != 0, 0)) {
    PyErr_Clear(); // sparse, meta, ...: `data_ptr` says what is wrong with it
    return Result::Fallback;
  }
  view.element = elementOf(tensor);
  if (__builtin_expect(view.element == Element::Unknown, 0))
    return Result::Fallback;
  if (__builtin_expect(!(state.deviceTypes >> (tensor.deviceType & 63) & 1), 0))
    return wrongDevice(tensor.deviceType);
  view.address = reinterpret_cast<uintptr_t>(tensor.data) + tensor.byteOffset;
  if (__builtin_expect(view.address == 0, 0)) {
    // A tensor without storage: fine if it is empty, else a fake.
    bool empty = false;
    for (int i = 0; i < tensor.rank; ++i)
      empty |= tensor.shape[i] == 0;
    if (!empty)
      return Result::Fallback;
  }
  if (__builtin_expect(info.negated.isNegated(object, tensor), 0))
    return Result::Fallback; // Python refuses it
  return Result::Ok;
}

/// Element types by dtype object, so that the text of a dtype is read once.
static Element elementOfDtype(PyObject *dtype) {
  static std::unordered_map<PyObject *, Element> known;
  auto found = known.find(dtype);
  if (found != known.end())
    return found->second;
  PyObject *utils = PyImport_ImportModule("triton._utils");
  PyObject *name =
      utils ? PyObject_CallMethod(utils, "canonicalize_dtype", "O", dtype)
            : nullptr;
  Py_XDECREF(utils);
  const char *text = name ? PyUnicode_AsUTF8(name) : nullptr;
  Element element = text ? elementOf(text) : Element::Unknown;
  Py_XDECREF(name);
  if (!text)
    PyErr_Clear(); // Python will name the argument
  Py_INCREF(dtype);
  known.emplace(dtype, element);
  return element;
}

static Result readProtocol(const TypeInfo &info, PyObject *object,
                           TensorView &view) {
  static PyObject *dataPtrName = PyUnicode_InternFromString("data_ptr");
  static PyObject *dtypeName = PyUnicode_InternFromString("dtype");
  PyObject *dtype = PyObject_GetAttr(object, dtypeName);
  if (!dtype) {
    PyErr_Clear();
    return Result::Fallback;
  }
  view.element = elementOfDtype(dtype);
  Py_DECREF(dtype);
  if (view.element == Element::Unknown)
    return Result::Fallback;
  if (info.negated.canAsk && NegatedProbe::askNegated(object))
    return Result::Fallback;
  PyObject *address = PyObject_CallMethodNoArgs(object, dataPtrName);
  view.address = address ? PyLong_AsUnsignedLongLong(address) : 0;
  Py_XDECREF(address);
  if (PyErr_Occurred()) {
    PyErr_Clear(); // asked again by Python, which names the argument
    return Result::Fallback;
  }
  return view.address ? Result::Ok : Result::Fallback;
}

Result readTensor(const TypeInfo &info, PyObject *object, TensorView &view) {
  switch (info.kind) {
  case Kind::Exchange:
    return readExchange(info, object, view);
  case Kind::Array:
    return readArray(object, view);
  case Kind::Protocol:
    return readProtocol(info, object, view);
  default:
    return Result::Fallback;
  }
}

} // namespace triton::native
