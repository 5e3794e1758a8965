//===- native_grid.cc - sizes of a launch ---------------------------------===//

#include "native_grid.h"

namespace triton::native {

static Result parseSize(PyObject *value, uint32_t &size) {
  long number;
  if (__builtin_expect(PyLong_Check(value), 1)) {
    int overflow = 0;
    number = PyLong_AsLongAndOverflow(value, &overflow);
    if (overflow != 0)
      return Result::Fallback;
  } else { // NumPy's integers
    PyObject *index = PyNumber_Index(value);
    number = index ? PyLong_AsLong(index) : -1;
    Py_XDECREF(index);
    if (PyErr_Occurred()) {
      PyErr_Clear();
      return Result::Fallback;
    }
  }
  if (number < 0 || number > INT32_MAX)
    return Result::Fallback;
  size = static_cast<uint32_t>(number);
  return Result::Ok;
}

Result parseGrid(PyObject *grid, uint32_t sizes[3]) {
  sizes[0] = sizes[1] = sizes[2] = 1;
  if (PyLong_Check(grid))
    return parseSize(grid, sizes[0]);
  bool isTuple = PyTuple_Check(grid);
  if (!isTuple && !PyList_Check(grid))
    return Result::Fallback;
  Py_ssize_t rank = Py_SIZE(grid);
  if (rank < 1 || rank > 3)
    return Result::Fallback;
  for (Py_ssize_t i = 0; i != rank; ++i) {
    PyObject *item =
        isTuple ? PyTuple_GET_ITEM(grid, i) : PyList_GET_ITEM(grid, i);
    Result result = parseSize(item, sizes[i]);
    if (result != Result::Ok)
      return result;
  }
  return Result::Ok;
}

} // namespace triton::native
