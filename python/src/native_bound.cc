//===- native_bound.cc - kernel[grid] and kernel.run ----------------------===//
//
// `Bound` is what `kernel[grid]` returns. `Method` is a descriptor that the
// class JITFunction gets for `__getitem__` and `run`: CPython calls it without
// making a bound method, and it finds the native half of the instance in a
// slot at a fixed offset.
//
//===----------------------------------------------------------------------===//

#include "native_function.h"
#include "native_grid.h"
#include "native_tuner.h"

#include <cstddef>
#include <structmember.h>

namespace triton::native {

//===----------------------------------------------------------------------===//
// The class JITFunction
//===----------------------------------------------------------------------===//

namespace {
/// What `install` was told.
struct Installed {
  PyTypeObject *jitType = nullptr; // strong
  Py_ssize_t offset = 0;           // of the slot that holds the Function
  PyObject *runMethod = nullptr;   // strong: the Method for `run`
  PyObject *runPython = nullptr;   // strong: what it replaces
  /// A class whose `run` is `runMethod`, and the version for which this holds.
  PyTypeObject *plainType = nullptr;
  unsigned plainVersion = 0;
};
Installed installed;
} // namespace

bool hasPlainRun(PyTypeObject *type) {
  unsigned version = typeVersion(type);
  if (__builtin_expect(type == installed.plainType && version != 0 &&
                           version == installed.plainVersion,
                       1))
    return true;
  PyObject *run =
      PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "run");
  bool plain = run == installed.runMethod;
  Py_XDECREF(run);
  if (!run)
    PyErr_Clear();
  if (plain) {
    installed.plainType = type;
    installed.plainVersion = typeVersion(type);
  }
  return plain;
}

TRITON_COLD static Function *makeFunction(PyObject *jit, PyObject **slot) {
  PyObject *made = PyObject_CallMethod(jit, "_make_native", nullptr);
  if (!made)
    return nullptr;
  if (!Py_IS_TYPE(made, functionType)) {
    Py_DECREF(made);
    return nullptr; // without exception: this one always goes through Python
  }
  Py_XSETREF(*slot, made);
  return reinterpret_cast<Function *>(made);
}

Function *functionOf(PyObject *jit) {
  if (!PyObject_TypeCheck(jit, installed.jitType)) {
    PyErr_Format(PyExc_TypeError, "expected a JITFunction, got %s",
                 Py_TYPE(jit)->tp_name);
    return nullptr;
  }
  auto **slot = reinterpret_cast<PyObject **>(reinterpret_cast<char *>(jit) +
                                              installed.offset);
  if (__builtin_expect(*slot && Py_IS_TYPE(*slot, functionType), 1))
    return reinterpret_cast<Function *>(*slot);
  return makeFunction(jit, slot);
}

//===----------------------------------------------------------------------===//
// Launching through Python
//===----------------------------------------------------------------------===//

/// `run(jit, *args, **keywords, grid=grid, warmup=False)` of Python.
TRITON_COLD static PyObject *runPython(PyObject *jit, PyObject *grid,
                                       PyObject *const *args,
                                       Py_ssize_t numPositional,
                                       PyObject *keywords) {
  PyObject *positional = PyTuple_New(numPositional + 1);
  PyObject *dict = PyDict_New();
  bool ok = positional && dict;
  if (ok) {
    Py_INCREF(jit);
    PyTuple_SET_ITEM(positional, 0, jit);
    for (Py_ssize_t i = 0; i != numPositional; ++i) {
      Py_INCREF(args[i]);
      PyTuple_SET_ITEM(positional, i + 1, args[i]);
    }
  }
  Py_ssize_t numKeywords = keywords ? PyTuple_GET_SIZE(keywords) : 0;
  for (Py_ssize_t i = 0; ok && i != numKeywords; ++i)
    ok = PyDict_SetItem(dict, PyTuple_GET_ITEM(keywords, i),
                        args[numPositional + i]) == 0;
  if (ok && grid)
    ok = PyDict_SetItemString(dict, "grid", grid) == 0 &&
         PyDict_SetItemString(dict, "warmup", Py_False) == 0;
  PyObject *result =
      ok ? PyObject_Call(installed.runPython, positional, dict) : nullptr;
  Py_XDECREF(positional);
  Py_XDECREF(dict);
  if (!result)
    hideLaunchFrames();
  return result;
}

//===----------------------------------------------------------------------===//
// Bound
//===----------------------------------------------------------------------===//

namespace {
struct Bound {
  PyObject_HEAD vectorcallfunc call;
  PyObject *target; // strong: a Function or a Tuner
  PyObject *grid;   // strong
  uint32_t sizes[3];
  bool sizesKnown;
};
} // namespace

static PyTypeObject *boundType = nullptr;

// A launch makes one of these and drops it at once.
static constexpr unsigned maxFree = 8;
static Bound *freeBounds[maxFree];
static unsigned numFree = 0;

TRITON_COLD static PyObject *tornDown() {
  PyErr_SetString(PyExc_RuntimeError, "this kernel[grid] was torn down");
  return nullptr;
}

static PyObject *callBound(PyObject *object, PyObject *const *args,
                           size_t flags, PyObject *keywords) {
  auto *self = reinterpret_cast<Bound *>(object);
  auto *function = reinterpret_cast<Function *>(self->target);
  if (__builtin_expect(!function, 0))
    return tornDown();
  Py_ssize_t numPositional = PyVectorcall_NARGS(flags);
  PyObject *kernel = nullptr;
  Result result =
      launch(function, {args, numPositional, keywords, false}, self->grid,
             self->sizesKnown ? self->sizes : nullptr, kernel);
  if (__builtin_expect(result == Result::Fallback, 0))
    return runPython(function->owner, self->grid, args, numPositional,
                     keywords);
  return kernel;
}

/// `tuner[grid](...)`.
static PyObject *callTunedBound(PyObject *object, PyObject *const *args,
                                size_t flags, PyObject *keywords) {
  auto *self = reinterpret_cast<Bound *>(object);
  if (__builtin_expect(!self->target, 0))
    return tornDown();
  return callTuned(self->target, self->grid,
                   self->sizesKnown ? self->sizes : nullptr,
                   {args, PyVectorcall_NARGS(flags), keywords, false});
}

static PyObject *makeBound(PyObject *target, PyObject *grid,
                           vectorcallfunc call) {
  Bound *bound;
  if (numFree) {
    bound = freeBounds[--numFree];
    _Py_NewReference(reinterpret_cast<PyObject *>(bound));
  } else {
    bound = PyObject_GC_New(Bound, boundType);
    if (!bound)
      return nullptr;
  }
  bound->call = call;
  Py_INCREF(target);
  bound->target = target;
  Py_INCREF(grid);
  bound->grid = grid;
  // A list may be changed before the call; a tuple may not.
  bound->sizesKnown = (PyTuple_Check(grid) || PyLong_Check(grid)) &&
                      parseGrid(grid, bound->sizes) == Result::Ok;
  PyObject_GC_Track(bound);
  return reinterpret_cast<PyObject *>(bound);
}

static int traverseBound(PyObject *object, visitproc visit, void *arg) {
  auto *self = reinterpret_cast<Bound *>(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->target);
  Py_VISIT(self->grid);
  return 0;
}

static int clearBound(PyObject *object) {
  auto *self = reinterpret_cast<Bound *>(object);
  Py_CLEAR(self->target);
  Py_CLEAR(self->grid);
  return 0;
}

static void deallocateBound(PyObject *object) {
  PyObject_GC_UnTrack(object);
  clearBound(object);
  if (numFree < maxFree) {
    freeBounds[numFree++] = reinterpret_cast<Bound *>(object);
    return;
  }
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_Del(object);
  Py_DECREF(type);
}

static bool addBoundType() {
  static PyMemberDef members[] = {{"__vectorcalloffset__", T_PYSSIZET,
                                   offsetof(Bound, call), READONLY, nullptr},
                                  {nullptr, 0, 0, 0, nullptr}};
  static PyType_Slot slots[] = {
      {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
      {Py_tp_traverse, reinterpret_cast<void *>(traverseBound)},
      {Py_tp_clear, reinterpret_cast<void *>(clearBound)},
      {Py_tp_dealloc, reinterpret_cast<void *>(deallocateBound)},
      {Py_tp_members, members},
      {Py_tp_doc, const_cast<char *>("kernel[grid]: call it to launch")},
      {0, nullptr}};
  static PyType_Spec spec = {
      "triton._C.libtriton.native.Bound", sizeof(Bound), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
          Py_TPFLAGS_DISALLOW_INSTANTIATION,
      slots};
  boundType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return boundType != nullptr;
}

//===----------------------------------------------------------------------===//
// Method
//===----------------------------------------------------------------------===//

namespace {
struct Method {
  PyObject_HEAD vectorcallfunc call;
  PyObject *wrapped; // strong: the Python function that this replaces
};
} // namespace

static PyTypeObject *methodType = nullptr;

/// `jit[grid]`.
static PyObject *callSubscript(PyObject *object, PyObject *const *args,
                               size_t flags, PyObject *keywords) {
  auto *self = reinterpret_cast<Method *>(object);
  if (__builtin_expect(PyVectorcall_NARGS(flags) != 2 || keywords, 0)) {
    PyErr_SetString(PyExc_TypeError, "__getitem__() takes one grid");
    return nullptr;
  }
  if (__builtin_expect(hasPlainRun(Py_TYPE(args[0])), 1)) {
    Function *function = functionOf(args[0]);
    if (__builtin_expect(function != nullptr, 1))
      return makeBound(reinterpret_cast<PyObject *>(function), args[1],
                       callBound);
    if (PyErr_Occurred())
      return nullptr;
  }
  return PyObject_Vectorcall(self->wrapped, args, 2, nullptr);
}

/// `tuner[grid]`.
static PyObject *callTunerSubscript(PyObject *object, PyObject *const *args,
                                    size_t flags, PyObject *keywords) {
  auto *self = reinterpret_cast<Method *>(object);
  if (PyVectorcall_NARGS(flags) == 2 && !keywords) {
    PyObject *tuner = tunerOf(args[0], installed.offset);
    if (__builtin_expect(tuner != nullptr, 1))
      return makeBound(tuner, args[1], callTunedBound);
    if (PyErr_Occurred())
      return nullptr;
  }
  return PyObject_Vectorcall(self->wrapped, args,
                             size_t(PyVectorcall_NARGS(flags)), keywords);
}

/// `jit.run(*args, grid=..., warmup=..., **keywords)`.
static PyObject *callRun(PyObject *object, PyObject *const *args, size_t flags,
                         PyObject *keywords) {
  Py_ssize_t numPositional = PyVectorcall_NARGS(flags);
  if (__builtin_expect(numPositional < 1, 0)) {
    PyErr_SetString(PyExc_TypeError, "run() needs a JITFunction");
    return nullptr;
  }
  Function *function = functionOf(args[0]);
  if (__builtin_expect(!function && PyErr_Occurred(), 0))
    return nullptr;
  PyObject *kernel = nullptr;
  Result result = Result::Fallback;
  if (function) {
    Py_INCREF(reinterpret_cast<PyObject *>(function));
    result = launch(function, {args + 1, numPositional - 1, keywords, true},
                    nullptr, nullptr, kernel);
    Py_DECREF(reinterpret_cast<PyObject *>(function));
  }
  if (__builtin_expect(result == Result::Fallback, 0))
    return runPython(args[0], nullptr, args + 1, numPositional - 1, keywords);
  return kernel;
}

static PyObject *makeMethod(vectorcallfunc call, PyObject *wrapped) {
  auto *method = PyObject_GC_New(Method, methodType);
  if (!method)
    return nullptr;
  method->call = call;
  Py_INCREF(wrapped);
  method->wrapped = wrapped;
  PyObject_GC_Track(method);
  return reinterpret_cast<PyObject *>(method);
}

static PyObject *getMethod(PyObject *method, PyObject *instance, PyObject *) {
  if (!instance || instance == Py_None) {
    Py_INCREF(method);
    return method;
  }
  return PyMethod_New(method, instance);
}

static int traverseMethod(PyObject *object, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(reinterpret_cast<Method *>(object)->wrapped);
  return 0;
}

static int clearMethod(PyObject *object) {
  Py_CLEAR(reinterpret_cast<Method *>(object)->wrapped);
  return 0;
}

static void deallocateMethod(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  clearMethod(object);
  PyObject_GC_Del(object);
  Py_DECREF(type);
}

/// Name, documentation and the like are those of the Python function.
static PyObject *getMethodAttribute(PyObject *object, PyObject *name) {
  PyObject *found = PyObject_GenericGetAttr(object, name);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError))
    return found;
  PyErr_Clear();
  return PyObject_GetAttr(reinterpret_cast<Method *>(object)->wrapped, name);
}

static bool addMethodType() {
  static PyMemberDef members[] = {
      {"__vectorcalloffset__", T_PYSSIZET, offsetof(Method, call), READONLY,
       nullptr},
      {"__wrapped__", T_OBJECT, offsetof(Method, wrapped), READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  static PyType_Slot slots[] = {
      {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
      {Py_tp_descr_get, reinterpret_cast<void *>(getMethod)},
      {Py_tp_getattro, reinterpret_cast<void *>(getMethodAttribute)},
      {Py_tp_traverse, reinterpret_cast<void *>(traverseMethod)},
      {Py_tp_clear, reinterpret_cast<void *>(clearMethod)},
      {Py_tp_dealloc, reinterpret_cast<void *>(deallocateMethod)},
      {Py_tp_members, members},
      {0, nullptr}};
  static PyType_Spec spec = {
      "triton._C.libtriton.native.Method", sizeof(Method), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
          Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_DISALLOW_INSTANTIATION,
      slots};
  methodType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return methodType != nullptr;
}

/// `install(JITFunction, slot, getitem, run)`: `slot` is the descriptor of the
/// `__slots__` member for the native half, the others the Python functions.
/// Returns the two methods that replace them.
static PyObject *install(PyObject *, PyObject *args) {
  PyObject *type, *member, *getitem, *run;
  if (!PyArg_ParseTuple(args, "O!O!OO", &PyType_Type, &type,
                        &PyMemberDescr_Type, &member, &getitem, &run))
    return nullptr;
  PyObject *subscript = makeMethod(callSubscript, getitem);
  PyObject *runMethod = subscript ? makeMethod(callRun, run) : nullptr;
  if (!runMethod) {
    Py_XDECREF(subscript);
    return nullptr;
  }
  Py_INCREF(type);
  Py_XSETREF(installed.jitType, reinterpret_cast<PyTypeObject *>(type));
  installed.offset =
      reinterpret_cast<PyMemberDescrObject *>(member)->d_member->offset;
  Py_INCREF(runMethod);
  Py_XSETREF(installed.runMethod, runMethod);
  Py_INCREF(run);
  Py_XSETREF(installed.runPython, run);
  installed.plainType = nullptr;
  return Py_BuildValue("NN", subscript, runMethod);
}

/// `install_tuner(Autotuner, getitem)`: returns the method that replaces
/// `getitem`. To be called after `install`.
static PyObject *installTuner(PyObject *, PyObject *args) {
  PyObject *type, *getitem;
  if (!PyArg_ParseTuple(args, "O!O", &PyType_Type, &type, &getitem))
    return nullptr;
  setTunerType(reinterpret_cast<PyTypeObject *>(type));
  return makeMethod(callTunerSubscript, getitem);
}

bool addDescriptors(PyObject *module) {
  static PyMethodDef functions[] = {
      {"install", install, METH_VARARGS,
       "install(type, slot, getitem, run) -> (getitem, run)"},
      {"install_tuner", installTuner, METH_VARARGS,
       "install_tuner(type, getitem) -> getitem"},
      {nullptr, nullptr, 0, nullptr}};
  return addBoundType() && addMethodType() &&
         PyModule_AddFunctions(module, functions) == 0;
}

} // namespace triton::native
