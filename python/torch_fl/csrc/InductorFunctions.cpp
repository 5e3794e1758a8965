//===- InductorFunctions.cpp - for code that Inductor generates -----------===//
#include "InductorFunctions.h"
#include "Backing.h"

#include <ATen/EmptyTensor.h>
#include <c10/util/SmallVector.h>
#include <torch/csrc/Dtype.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/utils/python_numbers.h>

namespace torch_fl {
namespace {

using Numbers = c10::SmallVector<int64_t, 8>;

Numbers numbers(PyObject *tuple) {
  TORCH_CHECK_TYPE(PyTuple_Check(tuple),
                   "empty_strided: size and stride are tuples, got ",
                   Py_TYPE(tuple)->tp_name);
  Numbers result(PyTuple_GET_SIZE(tuple));
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = THPUtils_unpackLong(PyTuple_GET_ITEM(tuple, i));
  return result;
}

PyObject *emptyStrided(PyObject *, PyObject *const *arguments,
                       Py_ssize_t count) {
  HANDLE_TH_ERRORS
  TORCH_CHECK_TYPE(count == 3 && THPDtype_Check(arguments[2]),
                   "empty_strided takes size, stride and a torch.dtype");
  constexpr c10::DispatchKeySet keys(c10::DispatchKey::PrivateUse1);
  auto size = numbers(arguments[0]), stride = numbers(arguments[1]);
  auto type = reinterpret_cast<THPDtype *>(arguments[2])->scalar_type;
  return THPVariable_Wrap(at::detail::empty_strided_generic(
      size, stride, backing().allocator(), keys, type));
  END_HANDLE_TH_ERRORS
}

PyObject *hostRawStream(PyObject *, PyObject *) { return PyLong_FromLong(0); }

PyMethodDef methods[] = {
    {"empty_strided",
     reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(&emptyStrided)),
     METH_FASTCALL,
     "empty_strided(size, stride, dtype): a tensor of the device without "
     "contents. Takes tuples of integers."},
    {"host_raw_stream", &hostRawStream, METH_O,
     "host_raw_stream(device): what a launch takes for a stream of the host, "
     "0."},
    {nullptr, nullptr, 0, nullptr}};

} // namespace

void addInductorFunctions(PyObject *module) {
  if (PyModule_AddFunctions(module, methods) != 0)
    throw python_error();
}

} // namespace torch_fl
