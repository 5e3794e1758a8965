//===- native.h - libtriton.native: binder and launcher ---------*- C++ -*-===//
//
// A launch `kernel[grid](...)` of a kernel that was compiled before runs here
// from end to end: binding arguments to parameters, classifying them, finding
// the kernel for that specialization, and starting it through the driver's
// `TritonDriverAbi`. No Python object is built on the way. Everything rare
// (errors, hooks, a compile, unusual arguments) is handed to Python, which
// makes the same decisions thoroughly: `triton/runtime/jit.py`.
//
// The CPython C API throughout: a call through pybind11 costs as much as this
// whole path may.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_PYTHON_NATIVE_H
#define TRITON_PYTHON_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "triton/Runtime/DriverAbi.h"
#include <cstdint>

// Paths that run once, or never: kept away from the code of a launch.
#define TRITON_COLD __attribute__((cold, noinline))

namespace triton::native {

/// What a step of a launch came to.
enum class Result {
  Ok,
  /// Not decided here; nothing was changed and no exception is set. Python
  /// does the whole launch.
  Fallback,
  /// A Python exception is set.
  Error,
};

/// What every launch reads. Changed with the interpreter locked.
struct State {
  /// The active driver, or null: then every launch goes through Python.
  const TritonDriverAbi *driver = nullptr;
  /// The capsule that keeps `driver` alive.
  PyObject *driverCapsule = nullptr;
  /// Changes with the driver, so that kernels of another one are not found.
  uint64_t driverGeneration = 0;
  /// Bit `d` is set if tensors on DLPack device type `d` can be launched with.
  uint64_t deviceTypes = ~uint64_t(0);
  /// Stands for the knobs that change generated code; part of every key.
  uint64_t knobs = 0;
  /// The dictionary inside of `os.environ`, which knobs follow, or null.
  PyObject *environment = nullptr;
  /// What tells the knobs to the launcher again.
  PyObject *publishKnobs = nullptr;
#if PY_VERSION_HEX >= 0x030c0000
  bool environmentChanged = false;
#else
  uint64_t environmentVersion = 0;
#endif
  /// Launch hooks: null, a function, or a chain of functions.
  PyObject *enterHook = nullptr;
  PyObject *exitHook = nullptr;
  /// The lists inside of the hooks that are chains, else null.
  PyObject *enterCalls = nullptr;
  PyObject *exitCalls = nullptr;

  /// Whether a variable was set since the knobs were published.
  bool knobsMayDiffer() const {
#if PY_VERSION_HEX >= 0x030c0000
    return environmentChanged;
#else
    return environment &&
           environmentVersion !=
               reinterpret_cast<PyDictObject *>(environment)->ma_version_tag;
#endif
  }

  bool hasHooks() const {
    return isActive(enterHook, enterCalls) || isActive(exitHook, exitCalls);
  }

private:
  static bool isActive(PyObject *hook, PyObject *calls) {
    return hook && (!calls || PyList_GET_SIZE(calls) != 0);
  }
};

extern State state;

/// Has Python publish the knobs anew. False with an exception set, for example
/// when a variable has a value that its knob cannot have.
bool refreshKnobs();

/// A number that changes when `type` or a base of it is changed; 0 if there is
/// none now.
inline unsigned typeVersion(PyTypeObject *type) {
#if PY_VERSION_HEX < 0x030d0000 // later, an invalid version is 0
  if (!PyType_HasFeature(type, Py_TPFLAGS_VALID_VERSION_TAG))
    return 0;
#endif
  return type->tp_version_tag;
}

/// Adds the heap types `Function`, `Runner` and `Tuner`, and the functions that
/// configure the launcher, to `module`. Each returns false with an exception.
bool addFunctionType(PyObject *module);
bool addRunnerType(PyObject *module);
bool addTunerType(PyObject *module);
bool addDescriptors(PyObject *module);

} // namespace triton::native

#endif // TRITON_PYTHON_NATIVE_H
