//===- native_descriptor.cc - tensor descriptors as arguments -------------===//

#include "native_descriptor.h"

#include <cstring>

namespace triton::native {

uint64_t *DescriptorView::writeSlots(uint64_t *slots) const {
  *slots++ = base.address;
  for (unsigned i = 0; i != rank; ++i)
    *slots++ = uint64_t(shape[i]);
  for (unsigned i = 0; i + 1 < rank; ++i)
    *slots++ = uint64_t(strides[i]);
  return slots;
}

/// Reads attribute `name`, a list or tuple of integers, into `out`. Returns
/// their number; 0 if it is something else, or has more than `maxRank`.
static unsigned readNumbers(PyObject *object, PyObject *name, int64_t *out) {
  PyObject *list = PyObject_GetAttr(object, name);
  PyObject *items = list ? PySequence_Fast(list, "a list of integers") : list;
  Py_XDECREF(list);
  if (!items)
    return 0;
  Py_ssize_t count = PySequence_Fast_GET_SIZE(items);
  bool ok = count >= 1 && count <= Py_ssize_t(DescriptorView::maxRank);
  for (Py_ssize_t i = 0; ok && i != count; ++i) {
    PyObject *number = PyNumber_Index(PySequence_Fast_GET_ITEM(items, i));
    out[i] = number ? PyLong_AsLongLong(number) : 0;
    Py_XDECREF(number);
    ok = !PyErr_Occurred();
  }
  Py_DECREF(items);
  return ok ? unsigned(count) : 0;
}

static bool readBase(PyObject *object, PyObject *name, TensorView &view) {
  PyObject *base = PyObject_GetAttr(object, name);
  if (!base)
    return false;
  TypeInfo *info = typeInfo(Py_TYPE(base));
  // The descriptor keeps the tensor alive.
  bool ok = info && readTensor(*info, base, view) == Result::Ok;
  Py_DECREF(base);
  return ok && view.address % 16 == 0;
}

static bool readPadding(PyObject *object, PyObject *name, bool &isNan) {
  PyObject *padding = PyObject_GetAttr(object, name);
  if (!padding)
    return false;
  bool isText = PyUnicode_Check(padding);
  isNan = isText && PyUnicode_CompareWithASCIIString(padding, "nan") == 0;
  Py_DECREF(padding);
  return isText;
}

Result readDescriptor(PyObject *object, DescriptorView &view) {
  static PyObject *baseName = PyUnicode_InternFromString("base");
  static PyObject *shapeName = PyUnicode_InternFromString("shape");
  static PyObject *stridesName = PyUnicode_InternFromString("strides");
  static PyObject *blockName = PyUnicode_InternFromString("block_shape");
  static PyObject *paddingName = PyUnicode_InternFromString("padding");
  bool ok = readBase(object, baseName, view.base) &&
            readPadding(object, paddingName, view.padsWithNan);
  view.rank = ok ? readNumbers(object, shapeName, view.shape) : 0;
  ok = view.rank != 0 &&
       readNumbers(object, stridesName, view.strides) == view.rank &&
       readNumbers(object, blockName, view.block) == view.rank &&
       view.strides[view.rank - 1] == 1;
  if (ok)
    return Result::Ok;
  PyErr_Clear(); // Python says what is wrong with it
  return Result::Fallback;
}

bool isDescriptorType(PyTypeObject *type) {
  PyObject *order = type->tp_mro;
  for (Py_ssize_t i = 0; order && i != PyTuple_GET_SIZE(order); ++i) {
    auto *base = reinterpret_cast<PyTypeObject *>(PyTuple_GET_ITEM(order, i));
    const char *dot = std::strrchr(base->tp_name, '.');
    if (std::strcmp(dot ? dot + 1 : base->tp_name, "TensorDescriptor") == 0)
      return true;
  }
  return false;
}

} // namespace triton::native
