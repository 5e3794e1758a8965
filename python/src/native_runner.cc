//===- native_runner.cc - CompiledKernel.run ------------------------------===//
//
// `run(g0, g1, g2, stream, function, packed_metadata, launch_metadata, enter,
// exit, *args)`: starts a kernel whose specialization the caller knows. `args`
// are all parameters in order, compile-time values included.
//
//===----------------------------------------------------------------------===//

#include "native_descriptor.h"
#include "native_function.h"

#include <algorithm>
#include <cstddef>
#include <new>
#include <structmember.h>

namespace triton::native {

namespace {
/// How one parameter is read.
struct Reader {
  enum { Skip, Pointer, Scalar, Tuple, Descriptor } kind = Skip;
  unsigned rank = 0; // of a descriptor
  Element element = Element::Unknown;
  std::vector<Reader> items;
  Param cache;              // for pointers: the type seen last
  PyObject *name = nullptr; // strong; null for items of tuples
};

struct Runner {
  PyObject_HEAD vectorcallfunc call;
  PyObject *capsule; // strong
  PyObject *name;    // strong
  const TritonDriverAbi *driver;
  TritonLaunchInfo info;
  uint64_t lastCost;
  struct Body {
    std::vector<Reader> readers;
  } *body;
};
} // namespace

static constexpr Py_ssize_t numLeading = 9;

//===----------------------------------------------------------------------===//
// Reading arguments
//===----------------------------------------------------------------------===//

/// Puts the kernel's and the argument's name before the text of an exception of
/// ours; those of the argument's own methods stay as they are.
TRITON_COLD static void nameArgument(const Runner *self, const Reader &reader,
                                     size_t index) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (traceback || (type != PyExc_ValueError && type != PyExc_TypeError &&
                    type != PyExc_OverflowError)) {
    PyErr_Restore(type, value, traceback);
    return;
  }
  PyErr_NormalizeException(&type, &value, &traceback);
  PyErr_Format(type, "%U(): argument %zu ('%U'): %S", self->name, index,
               reader.name, value);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
}

TRITON_COLD static bool badArgument(const Runner *self, const Reader &reader,
                                    size_t index, PyObject *value) {
  if (PyErr_Occurred()) {
    nameArgument(self, reader, index);
    return false;
  }
  const char *expected = reader.kind == Reader::Pointer ? "a tensor"
                         : reader.kind == Reader::Tuple
                             ? "a tuple of as many items"
                         : reader.kind == Reader::Descriptor
                             ? "a TensorDescriptor of the same rank, with its "
                               "base at a multiple of 16 bytes"
                             : elementName(reader.element);
  PyErr_Format(PyExc_TypeError,
               "%U(): argument %zu ('%U'), of type %s: expected %s", self->name,
               index, reader.name, Py_TYPE(value)->tp_name, expected);
  return false;
}

/// The address of a tensor of any element type, also of one that cannot be an
/// ordinary argument.
TRITON_COLD static bool askAddress(PyObject *value, uint64_t &address) {
  if (PyLong_Check(value)) {
    address = PyLong_AsUnsignedLongLong(value);
    return !PyErr_Occurred();
  }
  if (NegatedProbe::askNegated(value)) {
    PyErr_SetString(PyExc_TypeError,
                    "a view that negates its memory (such as x.conj().imag); "
                    "pass .resolve_neg() of it");
    return false;
  }
  PyObject *answer = PyObject_CallMethod(value, "data_ptr", nullptr);
  if (!answer) {
    if (PyErr_ExceptionMatches(PyExc_AttributeError))
      PyErr_Clear();
    return false;
  }
  address = PyLong_AsUnsignedLongLong(answer);
  Py_DECREF(answer);
  if (PyErr_Occurred())
    return false;
  if (address != 0)
    return true;
  PyObject *size = PyObject_CallMethod(value, "numel", nullptr);
  bool isEmpty = size && PyLong_AsLong(size) == 0;
  Py_XDECREF(size);
  PyErr_Clear();
  if (!isEmpty)
    PyErr_SetString(PyExc_ValueError,
                    "the tensor has no memory (a fake or meta tensor?), so a "
                    "kernel cannot be launched with it");
  return isEmpty;
}

static bool readPointer(Reader &reader, PyObject *value, uint64_t &address) {
  PyTypeObject *type = Py_TYPE(value);
  Param &cache = reader.cache;
  if (__builtin_expect(type != cache.lastType || !cache.lastInfo->isCurrent(),
                       0)) {
    cache.lastInfo = typeInfo(type);
    cache.lastType = type;
  }
  if (cache.lastInfo->kind == Kind::None) {
    address = 0;
    return true;
  }
  TensorView view;
  Result result = readTensor(*cache.lastInfo, value, view);
  if (__builtin_expect(result == Result::Ok, 1) ||
      (result == Result::Fallback && cache.lastInfo->kind == Kind::Array)) {
    address = view.address; // arrays of types that only Python knows, too
    return true;
  }
  return result == Result::Fallback && askAddress(value, address);
}

static bool readScalar(Element element, PyObject *value, uint64_t &bits) {
  if (encodeScalar(element, value, bits) == Result::Ok)
    return true;
  // NumPy's and other numbers. Its truth values are no indices.
  PyObject *number = element >= Element::FP16 && element <= Element::FP64
                         ? PyNumber_Float(value)
                     : element == Element::U1 ? PyNumber_Long(value)
                                              : PyNumber_Index(value);
  if (!number) {
    PyErr_Clear();
    return false;
  }
  bool ok = encodeScalar(element, number, bits) == Result::Ok;
  if (!ok)
    PyErr_Format(PyExc_OverflowError, "%R does not fit in %s", number,
                 elementName(element));
  Py_DECREF(number);
  return ok;
}

static bool readArgument(Reader &reader, PyObject *value, uint64_t *slots,
                         unsigned &numSlots) {
  switch (reader.kind) {
  case Reader::Skip:
    return true;
  case Reader::Pointer:
    return readPointer(reader, value, slots[numSlots++]);
  case Reader::Scalar:
    return readScalar(reader.element, value, slots[numSlots++]);
  case Reader::Descriptor: {
    DescriptorView view;
    if (readDescriptor(value, view) != Result::Ok || view.rank != reader.rank)
      return false;
    view.writeSlots(slots + numSlots);
    numSlots += view.numSlots();
    return true;
  }
  case Reader::Tuple:
    break;
  }
  if (!PyTuple_Check(value) ||
      size_t(PyTuple_GET_SIZE(value)) != reader.items.size())
    return false;
  for (size_t i = 0; i != reader.items.size(); ++i)
    if (!readArgument(reader.items[i], PyTuple_GET_ITEM(value, Py_ssize_t(i)),
                      slots, numSlots))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

static bool isActive(PyObject *hook) {
  if (hook == Py_None)
    return false;
  if (hook == state.enterHook && state.enterCalls)
    return PyList_GET_SIZE(state.enterCalls) != 0;
  if (hook == state.exitHook && state.exitCalls)
    return PyList_GET_SIZE(state.exitCalls) != 0;
  return PyObject_IsTrue(hook) == 1;
}

static bool callHook(PyObject *hook, PyObject *metadata) {
  if (__builtin_expect(!isActive(hook), 1))
    return !PyErr_Occurred();
  PyObject *result = PyObject_CallOneArg(hook, metadata);
  Py_XDECREF(result);
  return result != nullptr;
}

static bool readSizes(PyObject *const *args, uint32_t sizes[3]) {
  for (int i = 0; i != 3; ++i) {
    long long size = PyLong_AsLongLong(args[i]);
    if (size == -1 && PyErr_Occurred())
      return false;
    if (size < 0 || size > INT32_MAX) {
      PyErr_Format(PyExc_ValueError,
                   "grid: the size of axis %c must be in [0, 2**31), got %lld",
                   "xyz"[i], size);
      return false;
    }
    sizes[i] = uint32_t(size);
  }
  return true;
}

static PyObject *callRunner(PyObject *object, PyObject *const *args,
                            size_t flags, PyObject *keywords) {
  auto *self = reinterpret_cast<Runner *>(object);
  std::vector<Reader> &readers = self->body->readers;
  Py_ssize_t count = PyVectorcall_NARGS(flags);
  if (__builtin_expect(
          count != numLeading + Py_ssize_t(readers.size()) || keywords, 0))
    return PyErr_Format(PyExc_TypeError,
                        "%U: run() takes %zd positional arguments (9 and every "
                        "parameter of the kernel), got %zd%s",
                        self->name, numLeading + Py_ssize_t(readers.size()),
                        count, keywords ? " and keywords" : "");
  uint32_t sizes[3];
  if (!readSizes(args, sizes))
    return nullptr;
  if (sizes[0] == 0 || sizes[1] == 0 || sizes[2] == 0)
    Py_RETURN_NONE;
  uint64_t slots[maxLeaves];
  unsigned numSlots = 0;
  for (size_t i = 0; i != readers.size(); ++i)
    if (__builtin_expect(!readArgument(readers[i],
                                       args[numLeading + Py_ssize_t(i)], slots,
                                       numSlots),
                         0)) {
      badArgument(self, readers[i], i, args[numLeading + Py_ssize_t(i)]);
      return nullptr;
    }
  uint64_t stream =
      args[3] == Py_None ? 0 : PyLong_AsUnsignedLongLongMask(args[3]);
  uint64_t function = PyLong_AsUnsignedLongLongMask(args[4]);
  if (__builtin_expect(PyErr_Occurred() != nullptr, 0))
    return nullptr;
  if (!callHook(args[7], args[6]))
    return nullptr;
  Py_INCREF(object); // hooks of other threads may drop the kernel
  const char *error = start(*self->driver, function, sizes, stream, slots,
                            numSlots, self->info, self->lastCost);
  if (__builtin_expect(error != nullptr, 0))
    PyErr_Format(PyExc_RuntimeError, "launch of %U failed: %s", self->name,
                 error);
  Py_DECREF(object);
  if (error || !callHook(args[8], args[6]))
    return nullptr;
  Py_RETURN_NONE;
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

/// Number of slots that `reader` fills; -1 with an exception.
static int makeReader(PyObject *type, Reader &reader) {
  if (PyTuple_Check(type) || PyList_Check(type)) {
    reader.kind = Reader::Tuple;
    PyObject *items = PySequence_Fast(type, "types");
    int slots = items ? 0 : -1;
    for (Py_ssize_t i = 0; slots >= 0 && i != PySequence_Fast_GET_SIZE(items);
         ++i) {
      reader.items.emplace_back();
      int more =
          makeReader(PySequence_Fast_GET_ITEM(items, i), reader.items.back());
      slots = more < 0 ? -1 : slots + more;
    }
    Py_XDECREF(items);
    return slots;
  }
  const char *text = PyUnicode_AsUTF8(type);
  if (!text)
    return -1;
  if (std::strcmp(text, "constexpr") == 0)
    return 0;
  if (std::strncmp(text, "tensordesc<", 11) == 0) {
    const char *end = std::strchr(text, ']');
    reader.kind = Reader::Descriptor;
    reader.rank = unsigned(1 + std::count(text, end ? end : text, ','));
    return int(2 * reader.rank);
  }
  reader.kind = text[0] == '*' ? Reader::Pointer : Reader::Scalar;
  if (reader.kind == Reader::Pointer)
    return 1;
  reader.element = elementOf(text);
  if (reader.element == Element::Unknown || reader.element > Element::FP64) {
    PyErr_Format(PyExc_TypeError,
                 "an argument of type %s cannot be passed to a kernel", text);
    return -1;
  }
  return 1;
}

static PyObject *newRunner(PyTypeObject *type, PyObject *args, PyObject *) {
  PyObject *capsule, *name, *names, *types;
  TritonLaunchInfo info;
  if (!PyArg_ParseTuple(args, "OUO!O!III", &capsule, &name, &PyList_Type,
                        &names, &PyList_Type, &types, &info.shared,
                        &info.num_warps, &info.flags))
    return nullptr;
  auto *driver = static_cast<const TritonDriverAbi *>(
      PyCapsule_GetPointer(capsule, TRITON_DRIVER_ABI_CAPSULE));
  if (!driver)
    return nullptr;
  auto *self = reinterpret_cast<Runner *>(type->tp_alloc(type, 0));
  if (!self)
    return nullptr;
  self->call = callRunner;
  Py_INCREF(capsule);
  self->capsule = capsule;
  Py_INCREF(name);
  self->name = name;
  self->driver = driver;
  self->info = info;
  self->lastCost = ~uint64_t(0);
  self->body = new Runner::Body;
  int numSlots = 0;
  for (Py_ssize_t i = 0; i != PyList_GET_SIZE(types); ++i) {
    self->body->readers.emplace_back();
    Reader &reader = self->body->readers.back();
    int more = makeReader(PyList_GET_ITEM(types, i), reader);
    if (more < 0) {
      Py_DECREF(self);
      return nullptr;
    }
    reader.name = PyList_GetItem(names, i);
    if (!reader.name) {
      Py_DECREF(self);
      return nullptr;
    }
    Py_INCREF(reader.name);
    numSlots += more;
  }
  if (numSlots > int(maxLeaves)) {
    PyErr_Format(PyExc_TypeError, "%U: more than %u arguments", name,
                 maxLeaves);
    Py_DECREF(self);
    return nullptr;
  }
  return reinterpret_cast<PyObject *>(self);
}

static void deallocate(PyObject *object) {
  auto *self = reinterpret_cast<Runner *>(object);
  PyTypeObject *type = Py_TYPE(object);
  if (self->body)
    for (Reader &reader : self->body->readers)
      Py_XDECREF(reader.name);
  delete self->body;
  Py_XDECREF(self->capsule);
  Py_XDECREF(self->name);
  type->tp_free(object);
  Py_DECREF(type);
}

bool addRunnerType(PyObject *module) {
  static PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET,
                                   offsetof(Runner, call), READONLY, nullptr},
                                  {nullptr, 0, 0, 0, nullptr}};
  static PyType_Slot slots[] = {
      {Py_tp_new, reinterpret_cast<void *>(newRunner)},
      {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
      {Py_tp_dealloc, reinterpret_cast<void *>(deallocate)},
      {Py_tp_members, members},
      {Py_tp_doc,
       const_cast<char *>("Runner(driver_abi, kernel name, parameter names, "
                          "types, shared, num_warps, flags): what "
                          "CompiledKernel.run is")},
      {0, nullptr}};
  static PyType_Spec spec = {
      "triton._C.libtriton.native.Runner", sizeof(Runner), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, slots};
  PyObject *type = PyType_FromSpec(&spec);
  if (!type)
    return false;
  bool added = PyModule_AddObjectRef(module, "Runner", type) == 0;
  Py_DECREF(type);
  return added;
}

} // namespace triton::native
