//===- native.cc - libtriton.native: the module ---------------------------===//

#include "native.h"

#include <pybind11/pybind11.h>

namespace triton::native {

/// `set_driver(capsule or None, device_types)`.
static PyObject *setDriver(PyObject *, PyObject *args) {
  PyObject *capsule;
  unsigned long long deviceTypes;
  if (!PyArg_ParseTuple(args, "OK", &capsule, &deviceTypes))
    return nullptr;
  const TritonDriverAbi *driver = nullptr;
  if (capsule != Py_None) {
    driver = static_cast<const TritonDriverAbi *>(
        PyCapsule_GetPointer(capsule, TRITON_DRIVER_ABI_CAPSULE));
    if (!driver)
      return nullptr;
    if (driver->version != TRITON_DRIVER_ABI_VERSION)
      return PyErr_Format(PyExc_RuntimeError,
                          "the driver has version %u of the launch interface, "
                          "but this triton launches through version %d; build "
                          "both from the same include/triton/Runtime",
                          driver->version, TRITON_DRIVER_ABI_VERSION);
  }
  if (driver != state.driver)
    ++state.driverGeneration;
  state.driver = driver;
  state.deviceTypes = deviceTypes;
  Py_INCREF(capsule);
  Py_XSETREF(state.driverCapsule, capsule);
  Py_RETURN_NONE;
}

static void setHook(PyObject *&hook, PyObject *&calls, PyObject *newHook,
                    PyObject *newCalls) {
  if (newHook == Py_None)
    newHook = nullptr;
  if (newCalls == Py_None)
    newCalls = nullptr;
  Py_XINCREF(newHook);
  Py_XINCREF(newCalls);
  PyObject *oldHook = hook, *oldCalls = calls;
  hook = newHook;
  calls = newCalls;
  Py_XDECREF(oldHook);
  Py_XDECREF(oldCalls);
}

/// `set_knobs(word, enter, enter_calls, exit, exit_calls)`.
static PyObject *setKnobs(PyObject *, PyObject *args) {
  unsigned long long word;
  PyObject *enter, *enterCalls, *leave, *leaveCalls;
  if (!PyArg_ParseTuple(args, "KOOOO", &word, &enter, &enterCalls, &leave,
                        &leaveCalls))
    return nullptr;
  for (PyObject *calls : {enterCalls, leaveCalls})
    if (calls != Py_None && !PyList_Check(calls))
      return PyErr_Format(PyExc_TypeError, "calls of a hook must be a list");
  state.knobs = word;
  setHook(state.enterHook, state.enterCalls, enter, enterCalls);
  setHook(state.exitHook, state.exitCalls, leave, leaveCalls);
  Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"set_driver", setDriver, METH_VARARGS,
     "set_driver(abi capsule or None, device_types): where launches go. Bit d "
     "of device_types admits tensors on DLPack device type d."},
    {"set_knobs", setKnobs, METH_VARARGS,
     "set_knobs(word, enter, enter_calls, exit, exit_calls): what stands for "
     "the knobs that change code, and the launch hooks."},
    {nullptr, nullptr, 0, nullptr}};

} // namespace triton::native

void addWrittenArguments(pybind11::module &m);

void init_triton_native(pybind11::module &&m) {
  using namespace triton::native;
  m.doc() = "Binding of arguments and launching, without Python on the way";
  PyObject *module = m.ptr();
  if (!addFunctionType(module) || !addRunnerType(module) ||
      !addTunerType(module) || !addDescriptors(module) ||
      PyModule_AddFunctions(module, functions) != 0)
    throw pybind11::error_already_set();
  addWrittenArguments(m);
}
