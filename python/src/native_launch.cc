//===- native_launch.cc - from a call to a running kernel -----------------===//

#include "native_function.h"
#include "native_grid.h"

namespace triton::native {

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Puts the function's and the argument's name before the exception's text.
TRITON_COLD static void nameArgument(Function *function, size_t index) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  PyObject *name = PyObject_GetAttrString(function->owner, "__name__");
  if (name && value)
    PyErr_Format(type, "%U(): argument %zu ('%U'): %S", name, index,
                 function->body->params[index].name, value);
  Py_XDECREF(name);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
}

static Result classifyAll(Function *function, PyObject *const *values,
                          Arguments &arguments) {
  std::vector<Param> &params = function->body->params;
  for (size_t i = 0; i != params.size(); ++i) {
    Result result = classify(params[i], values[i], arguments);
    if (__builtin_expect(result != Result::Ok, 0)) {
      if (result == Result::Error)
        nameArgument(function, i);
      return result;
    }
  }
  return Result::Ok;
}

/// Fallback if a global has another value than the kernels were compiled with.
static Result checkGlobals(const std::vector<Global> &globals) {
  for (const Global &global : globals) {
    PyObject *now = PyDict_GetItemWithError(global.scope, global.name);
    if (__builtin_expect(now == global.value, 1))
      continue;
    if (!now)
      return PyErr_Occurred() ? Result::Error : Result::Fallback;
    Py_INCREF(now); // the comparison may run Python code
    int same = PyObject_RichCompareBool(now, global.value, Py_EQ);
    Py_DECREF(now);
    if (same <= 0)
      return same < 0 ? Result::Error : Result::Fallback;
  }
  return Result::Ok;
}

static Result addOptions(const Plan &plan, const CallArguments &call,
                         Key &key) {
  PyObject *const *keywordValues = call.args + call.numPositional;
  for (const Plan::Option &option : plan.options) {
    Constant constant;
    Result result = encodeConstant(keywordValues[option.keyword], constant);
    if (result != Result::Ok)
      return result;
    key.add(option.number << 8 | constant.code);
    key.add(constant.payload);
  }
  key.add(state.knobs);
  return Result::Ok;
}

/// The arguments by parameter name, as a callable grid gets them.
static PyObject *boundArguments(const std::vector<Param> &params,
                                PyObject *const *values) {
  PyObject *bound = PyDict_New();
  for (size_t i = 0; bound && i != params.size(); ++i)
    if (PyDict_SetItem(bound, params[i].name, values[i]) != 0)
      Py_CLEAR(bound);
  return bound;
}

static Result evaluateGrid(PyObject *grid, const std::vector<Param> &params,
                           PyObject *const *values, uint32_t sizes[3]) {
  if (!PyCallable_Check(grid))
    return parseGrid(grid, sizes);
  PyObject *bound = boundArguments(params, values);
  if (!bound)
    return Result::Error;
  PyObject *computed = PyObject_CallOneArg(grid, bound);
  Py_DECREF(bound);
  if (!computed)
    return Result::Error;
  Result result = parseGrid(computed, sizes);
  Py_DECREF(computed);
  return result;
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

TRITON_COLD void hideLaunchFrames() {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback)
    PyException_SetTraceback(value, traceback);
  PyObject *module = PyImport_ImportModule("triton.compiler.traceback_filter");
  PyObject *done =
      module ? PyObject_CallMethod(module, "hide_launch_frames", "O", value)
             : nullptr;
  if (!done) // the error at hand says more than one of this
    PyErr_Clear();
  Py_XDECREF(done);
  Py_XDECREF(module);
  Py_XDECREF(traceback);
  traceback = PyException_GetTraceback(value);
  PyErr_Restore(type, value, traceback);
}

static PyObject *valueList(PyObject *const *values, size_t count) {
  PyObject *list = PyList_New(Py_ssize_t(count));
  for (size_t i = 0; list && i != count; ++i) {
    Py_INCREF(values[i]);
    PyList_SET_ITEM(list, Py_ssize_t(i), values[i]);
  }
  return list;
}

static PyObject *optionDict(const Plan &plan, const CallArguments &call) {
  PyObject *dict = PyDict_New();
  for (const Plan::Option &option : plan.options)
    if (dict &&
        PyDict_SetItem(dict, option.name,
                       call.args[call.numPositional + option.keyword]) != 0)
      Py_CLEAR(dict);
  return dict;
}

/// Has Python find or compile the kernel and puts it into the table.
/// `owner._compile_for_launch(values, options, device)` returns
/// `(kernel, function, shared, num_warps, flags, number of live arguments,
/// bits of those that the kernel writes through)`, or None if this launch has
/// to go through Python.
TRITON_COLD static Result compile(Function *function, const Plan &plan,
                                  const CallArguments &call,
                                  PyObject *const *values, int device,
                                  const Arguments &arguments, const Key &key,
                                  Entry *&entry) {
  PyObject *list = valueList(values, function->body->params.size());
  PyObject *options = optionDict(plan, call);
  PyObject *made =
      list && options
          ? PyObject_CallMethod(function->owner, "_compile_for_launch", "OOi",
                                list, options, device)
          : nullptr;
  Py_XDECREF(list);
  Py_XDECREF(options);
  if (!made) {
    hideLaunchFrames();
    return Result::Error;
  }
  if (made == Py_None) {
    Py_DECREF(made);
    return Result::Fallback;
  }
  PyObject *kernel;
  unsigned long long address, written;
  unsigned shared, numWarps, flags, numLive;
  if (!PyArg_ParseTuple(made, "OKIIIIK", &kernel, &address, &shared, &numWarps,
                        &flags, &numLive, &written)) {
    Py_DECREF(made);
    return Result::Error;
  }
  // Constants have no slot.
  if (arguments.numSlots != numLive) {
    PyErr_Format(PyExc_SystemError,
                 "the launcher passes %u arguments, but the kernel has %u; "
                 "this is a bug of triton",
                 arguments.numSlots, numLive);
    Py_DECREF(made);
    return Result::Error;
  }
  Py_INCREF(kernel);
  Py_DECREF(made);
  entry = function->table(device).insert(new Entry{
      std::vector<uint64_t>(key.words, key.words + key.size), key.hash(),
      kernel, address, TritonLaunchInfo{shared, numWarps, flags}, written});
  return Result::Ok;
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

TRITON_COLD static Result launchFailed(Function *function, const char *error) {
  PyErr_Format(PyExc_RuntimeError, "launch of %R failed: %s", function->owner,
               error);
  return Result::Error;
}

static Result startEntry(Function *function, const TritonDriverAbi &driver,
                         Entry *entry, int device, const uint32_t sizes[3],
                         const Arguments &arguments) {
  if (sizes[0] == 0 || sizes[1] == 0 || sizes[2] == 0)
    return Result::Ok;
  const char *error =
      start(driver, entry->function, sizes, driver.stream(device),
            arguments.slots, arguments.numSlots, entry->info, entry->lastCost);
  return __builtin_expect(!error, 1) ? Result::Ok
                                     : launchFailed(function, error);
}

namespace {
/// A reference that is dropped at the end of the scope.
struct Owned {
  PyObject *object = nullptr;
  Owned() = default;
  Owned(const Owned &) = delete;
  ~Owned() { Py_XDECREF(object); }
};
} // namespace

Result launch(Function *function, const CallArguments &call, PyObject *grid,
              const uint32_t *knownSizes, PyObject *&kernel) {
  if (__builtin_expect(state.knobsMayDiffer(), 0) && !refreshKnobs())
    return Result::Error;
  // Read once: code of arguments or of the grid may choose another driver.
  const TritonDriverAbi *driver = state.driver;
  if (__builtin_expect(!driver || state.hasHooks() ||
                           PyList_GET_SIZE(function->preRunHooks) != 0,
                       0))
    return Result::Fallback;
  Function::Body &body = *function->body;
  const Plan *plan = body.plans.find(body.params, call.numPositional,
                                     call.keywords, call.isRun);
  if (__builtin_expect(!plan, 0))
    return Result::Fallback;
  if (call.isRun) {
    PyObject *const *keywordValues = call.args + call.numPositional;
    if (plan->gridKeyword < 0 ||
        (plan->warmupKeyword >= 0 &&
         keywordValues[plan->warmupKeyword] != Py_False))
      return Result::Fallback;
    grid = keywordValues[plan->gridKeyword];
  }

  Owned rest;
  if (__builtin_expect(plan->variadic >= 0, 0)) {
    rest.object = plan->makeRest(call.args);
    if (!rest.object)
      return Result::Error;
  }
  PyObject *values[maxLeaves];
  plan->bind(body.params, call.args, rest.object, values);
  int device = driver->device();
  Arguments arguments;
  Result result = classifyAll(function, values, arguments);
  if (__builtin_expect(result != Result::Ok, 0))
    return result;
  result = checkGlobals(body.globals);
  if (__builtin_expect(result != Result::Ok, 0))
    return result;
  Key key;
  key.addArguments(arguments);
  result = addOptions(*plan, call, key);
  if (__builtin_expect(result != Result::Ok, 0))
    return result;

  Entry *entry = function->table(device).find(key);
  if (__builtin_expect(!entry, 0)) {
    result =
        compile(function, *plan, call, values, device, arguments, key, entry);
    if (result != Result::Ok)
      return result;
  }
  if (__builtin_expect(arguments.readOnly & entry->written, 0))
    return Result::Fallback; // an error that names the argument
  // From here on the table may be cleared by code that runs in between.
  ++entry->references;
  uint32_t computedSizes[3];
  if (!knownSizes) {
    result = evaluateGrid(grid, body.params, values, computedSizes);
    knownSizes = computedSizes;
  }
  if (__builtin_expect(result == Result::Ok, 1))
    result =
        startEntry(function, *driver, entry, device, knownSizes, arguments);
  if (__builtin_expect(result == Result::Ok, 1)) {
    kernel = entry->kernel;
    Py_INCREF(kernel);
  }
  entry->release();
  return result;
}

} // namespace triton::native
