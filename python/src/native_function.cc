//===- native_function.cc - the type Function -----------------------------===//

#include "native_function.h"

#include <cstddef>

namespace triton::native {

PyTypeObject *functionType = nullptr;

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

Table &Function::table(int device) {
  if (__builtin_expect(body->generation != state.driverGeneration, 0)) {
    clearTables();
    body->generation = state.driverGeneration;
  }
  size_t index = device < 0 ? 0 : size_t(device);
  if (__builtin_expect(index >= body->tables.size(), 0))
    body->tables.resize(index + 1);
  if (__builtin_expect(!body->tables[index], 0))
    body->tables[index] = std::make_unique<Table>();
  return *body->tables[index];
}

void Function::clearTables() {
  for (auto &table : body->tables)
    if (table)
      table->clear();
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

static void dropGlobals(std::vector<Global> &globals) {
  std::vector<Global> old = std::move(globals);
  globals.clear();
  for (Global &global : old) {
    Py_DECREF(global.scope);
    Py_DECREF(global.name);
    Py_DECREF(global.value);
  }
}

/// Reads `(name, has_default, default, constexpr, specialize, align,
/// keyword_only, pinned type or "", variadic)`.
static bool readParam(PyObject *description, Param &param) {
  PyObject *name, *defaultValue;
  int hasDefault, isConstexpr, specialize, align, keywordOnly, variadic;
  const char *pinned;
  if (!PyArg_ParseTuple(description, "UpOppppsp", &name, &hasDefault,
                        &defaultValue, &isConstexpr, &specialize, &align,
                        &keywordOnly, &pinned, &variadic))
    return false;
  Py_INCREF(name);
  PyUnicode_InternInPlace(&name);
  param.name = name;
  if (hasDefault) {
    Py_INCREF(defaultValue);
    param.defaultValue = defaultValue;
  }
  param.isConstexpr = isConstexpr;
  param.specialize = specialize;
  param.align = align;
  param.keywordOnly = keywordOnly;
  param.variadic = variadic;
  param.pinned = elementOf(pinned);
  return true;
}

static PyObject *newFunction(PyTypeObject *type, PyObject *args,
                             PyObject *keywords) {
  PyObject *owner, *hooks, *descriptions;
  if (!PyArg_ParseTuple(args, "OO!O!", &owner, &PyList_Type, &hooks,
                        &PyList_Type, &descriptions))
    return nullptr;
  auto *self = reinterpret_cast<Function *>(type->tp_alloc(type, 0));
  if (!self)
    return nullptr;
  Py_INCREF(owner);
  self->owner = owner;
  Py_INCREF(hooks);
  self->preRunHooks = hooks;
  self->body = new Function::Body;
  self->body->params.resize(size_t(PyList_GET_SIZE(descriptions)));
  for (size_t i = 0; i != self->body->params.size(); ++i) {
    PyObject *description = PyList_GET_ITEM(descriptions, Py_ssize_t(i));
    if (!PyTuple_Check(description)) {
      PyErr_SetString(PyExc_TypeError, "Function: a parameter is no tuple");
      Py_DECREF(self);
      return nullptr;
    }
    if (!readParam(description, self->body->params[i])) {
      Py_DECREF(self);
      return nullptr;
    }
  }
  return reinterpret_cast<PyObject *>(self);
}

//===----------------------------------------------------------------------===//
// Garbage collection
//===----------------------------------------------------------------------===//

static int traverse(PyObject *object, visitproc visit, void *arg) {
  auto *self = reinterpret_cast<Function *>(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->owner);
  Py_VISIT(self->preRunHooks);
  if (!self->body)
    return 0;
  for (Param &param : self->body->params)
    Py_VISIT(param.defaultValue);
  for (Global &global : self->body->globals) {
    Py_VISIT(global.scope);
    Py_VISIT(global.value);
  }
  for (auto &table : self->body->tables) {
    int result =
        table
            ? table->visit([&](PyObject *kernel) { return visit(kernel, arg); })
            : 0;
    if (result)
      return result;
  }
  return 0;
}

static int clear(PyObject *object) {
  auto *self = reinterpret_cast<Function *>(object);
  Py_CLEAR(self->owner);
  if (!self->body)
    return 0;
  self->clearTables();
  dropGlobals(self->body->globals);
  return 0;
}

static void deallocate(PyObject *object) {
  auto *self = reinterpret_cast<Function *>(object);
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  clear(object);
  Py_CLEAR(self->preRunHooks);
  if (self->body) {
    for (Param &param : self->body->params) {
      Py_XDECREF(param.name);
      Py_XDECREF(param.defaultValue);
    }
    delete self->body;
  }
  type->tp_free(object);
  Py_DECREF(type);
}

//===----------------------------------------------------------------------===//
// Methods
//===----------------------------------------------------------------------===//

static PyObject *clearMethod(PyObject *object, PyObject *) {
  reinterpret_cast<Function *>(object)->clearTables();
  Py_RETURN_NONE;
}

static PyObject *sizeMethod(PyObject *object, PyObject *) {
  size_t size = 0;
  for (auto &table : reinterpret_cast<Function *>(object)->body->tables)
    size += table ? table->size() : 0;
  return PyLong_FromSize_t(size);
}

static PyObject *setGlobals(PyObject *object, PyObject *list) {
  std::vector<Global> globals;
  if (!PyList_Check(list)) {
    PyErr_SetString(PyExc_TypeError, "set_globals: expected a list");
    return nullptr;
  }
  for (Py_ssize_t i = 0; i != PyList_GET_SIZE(list); ++i) {
    PyObject *scope, *name, *value;
    if (!PyArg_ParseTuple(PyList_GET_ITEM(list, i), "O!UO", &PyDict_Type,
                          &scope, &name, &value)) {
      dropGlobals(globals);
      return nullptr;
    }
    Py_INCREF(scope);
    Py_INCREF(name);
    Py_INCREF(value);
    globals.push_back({scope, name, value});
  }
  auto *body = reinterpret_cast<Function *>(object)->body;
  body->globals.swap(globals);
  dropGlobals(globals);
  Py_RETURN_NONE;
}

/// `specialize(index, value)`: the codes of argument `value` of a parameter,
/// as text, for tests that compare them with the decisions of Python.
static PyObject *specializeMethod(PyObject *object, PyObject *args) {
  auto *self = reinterpret_cast<Function *>(object);
  Py_ssize_t index;
  PyObject *value;
  if (!PyArg_ParseTuple(args, "nO", &index, &value))
    return nullptr;
  if (index < 0 || size_t(index) >= self->body->params.size()) {
    PyErr_Format(PyExc_IndexError, "no parameter %zd", index);
    return nullptr;
  }
  Arguments arguments;
  Result result = classify(self->body->params[size_t(index)], value, arguments);
  if (result == Result::Error)
    return nullptr;
  if (result == Result::Fallback)
    Py_RETURN_NONE;
  return Py_BuildValue("y#y#", reinterpret_cast<const char *>(arguments.codes),
                       Py_ssize_t(arguments.numCodes),
                       reinterpret_cast<const char *>(arguments.slots),
                       Py_ssize_t(arguments.numSlots * sizeof(uint64_t)));
}

static PyMethodDef methods[] = {
    {"clear", clearMethod, METH_NOARGS, "Forgets all kernels."},
    {"size", sizeMethod, METH_NOARGS, "Number of kernels that are known."},
    {"set_globals", setGlobals, METH_O,
     "Takes a list of (dict, name, value) to check on every launch."},
    {"specialize", specializeMethod, METH_VARARGS,
     "specialize(index, value) -> (codes, slots), or None if Python decides."},
    {nullptr, nullptr, 0, nullptr}};

bool addFunctionType(PyObject *module) {
  static PyType_Slot slots[] = {
      {Py_tp_new, reinterpret_cast<void *>(newFunction)},
      {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
      {Py_tp_clear, reinterpret_cast<void *>(clear)},
      {Py_tp_dealloc, reinterpret_cast<void *>(deallocate)},
      {Py_tp_methods, methods},
      {Py_tp_doc,
       const_cast<char *>("Function(owner, pre_run_hooks, params): binder and "
                          "kernel table of a jit function")},
      {0, nullptr}};
  static PyType_Spec spec = {"triton._C.libtriton.native.Function",
                             sizeof(Function), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
  PyObject *type = PyType_FromSpec(&spec);
  if (!type)
    return false;
  functionType = reinterpret_cast<PyTypeObject *>(type);
  return PyModule_AddObjectRef(module, "Function", type) == 0;
}

} // namespace triton::native
