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

//===----------------------------------------------------------------------===//
// The environment
//===----------------------------------------------------------------------===//

#if PY_VERSION_HEX >= 0x030c0000
static int noteChange(PyDict_WatchEvent, PyObject *dict, PyObject *,
                      PyObject *) {
  if (dict == state.environment)
    state.environmentChanged = true;
  return 0;
}
#endif

/// `watch_environment(dict, publish_knobs)`.
static PyObject *watchEnvironment(PyObject *, PyObject *args) {
  PyObject *dict, *publish;
  if (!PyArg_ParseTuple(args, "O!O", &PyDict_Type, &dict, &publish))
    return nullptr;
#if PY_VERSION_HEX >= 0x030c0000
  static int watcher = PyDict_AddWatcher(noteChange);
  if (watcher < 0 || PyDict_Watch(watcher, dict) != 0)
    return nullptr;
#endif
  Py_INCREF(dict);
  Py_XSETREF(state.environment, dict);
  Py_INCREF(publish);
  Py_XSETREF(state.publishKnobs, publish);
  Py_RETURN_NONE;
}

TRITON_COLD bool refreshKnobs() {
#if PY_VERSION_HEX >= 0x030c0000
  state.environmentChanged = false;
#else
  state.environmentVersion =
      reinterpret_cast<PyDictObject *>(state.environment)->ma_version_tag;
#endif
  PyObject *done = PyObject_CallNoArgs(state.publishKnobs);
  Py_XDECREF(done);
  if (done)
    return true;
  // The next launch tries again.
#if PY_VERSION_HEX >= 0x030c0000
  state.environmentChanged = true;
#else
  state.environmentVersion = 0;
#endif
  return false;
}

static PyMethodDef functions[] = {
    {"set_driver", setDriver, METH_VARARGS,
     "set_driver(abi capsule or None, device_types): where launches go. Bit d "
     "of device_types admits tensors on DLPack device type d."},
    {"set_knobs", setKnobs, METH_VARARGS,
     "set_knobs(word, enter, enter_calls, exit, exit_calls): what stands for "
     "the knobs that change code, and the launch hooks."},
    {"watch_environment", watchEnvironment, METH_VARARGS,
     "watch_environment(dict, publish_knobs): publish_knobs() runs before the "
     "next launch after a change of dict."},
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
