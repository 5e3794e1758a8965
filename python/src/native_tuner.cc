//===- native_tuner.cc - launches of autotuned kernels --------------------===//

#include "native_tuner.h"

#include <cstring>
#include <unordered_map>

namespace triton::native {

//===----------------------------------------------------------------------===//
// The type Tuner
//===----------------------------------------------------------------------===//

namespace {
/// What one argument of a call adds to the key.
struct Place {
  enum { Nothing, Dtype, Value } role = Nothing;
  PyTypeObject *lastType = nullptr;
  TypeInfo *lastInfo = nullptr;
};

/// Calls with the same number of positional arguments and the same keywords.
struct Shape {
  PyObject *keywords; // strong tuple, or null
  Py_ssize_t numPositional;
  std::vector<Place> places;
};

/// Keywords of a call, and the same followed by those of a configuration.
struct Extended {
  PyObject *keywords; // strong, or null
  PyObject *all;      // strong
};

/// A configuration that was chosen.
struct Choice {
  std::vector<uint64_t> key;
  PyObject *cacheKey = nullptr; // strong: in `Autotuner.cache`; None: no key
  PyObject *config = nullptr;   // strong
  PyObject *names = nullptr;    // strong tuple
  PyObject *values = nullptr;   // strong tuple
  std::vector<Extended> extended;

  ~Choice() {
    for (Extended &calls : extended) {
      Py_XDECREF(calls.keywords);
      Py_XDECREF(calls.all);
    }
    Py_XDECREF(cacheKey);
    Py_XDECREF(config);
    Py_XDECREF(names);
    Py_XDECREF(values);
  }
};

struct Tuner {
  PyObject_HEAD PyObject *owner; // strong: the Autotuner
  PyObject *jit;                 // strong: its JITFunction
  struct Body {
    std::vector<PyObject *> names; // strong: parameters
    std::vector<bool> isKey;
    std::vector<std::unique_ptr<Shape>> shapes;
    std::unordered_multimap<uint64_t, std::shared_ptr<Choice>> choices;
  } *body;
};

/// The key of one call, on the stack.
struct TuningKey {
  static constexpr unsigned maxWords = 2 * maxLeaves;
  unsigned size = 0;
  uint64_t words[maxWords];

  bool full() const { return size + 3 > maxWords; }
  void add(uint64_t word) { words[size++] = word; }
  uint64_t hash() const { return hashWords(words, size); }
};
} // namespace

static PyTypeObject *tunerType = nullptr;
static PyTypeObject *autotunerType = nullptr;
static PyObject *pythonRun = nullptr; // strong: Autotuner.run

void setTunerType(PyTypeObject *type) {
  Py_INCREF(reinterpret_cast<PyObject *>(type));
  autotunerType = type;
  pythonRun = PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "run");
}

/// True unless a derived class, or someone at run time, replaced `run`.
static bool hasTunerRun(PyTypeObject *type) {
  static PyTypeObject *plainType = nullptr;
  static unsigned plainVersion = 0;
  unsigned version = typeVersion(type);
  if (__builtin_expect(
          type == plainType && version != 0 && version == plainVersion, 1))
    return true;
  PyObject *run =
      PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "run");
  bool plain = run && run == pythonRun;
  Py_XDECREF(run);
  PyErr_Clear();
  if (plain) {
    plainType = type;
    plainVersion = typeVersion(type);
  }
  return plain;
}

PyObject *tunerOf(PyObject *autotuner, Py_ssize_t offset) {
  if (!autotunerType || !PyObject_TypeCheck(autotuner, autotunerType) ||
      !hasTunerRun(Py_TYPE(autotuner)))
    return nullptr;
  auto **slot = reinterpret_cast<PyObject **>(
      reinterpret_cast<char *>(autotuner) + offset);
  if (__builtin_expect(!*slot, 0)) {
    PyObject *made = PyObject_CallMethod(autotuner, "_make_native", nullptr);
    if (!made)
      return nullptr;
    Py_XSETREF(*slot, made);
  }
  return Py_IS_TYPE(*slot, tunerType) ? *slot : nullptr;
}

//===----------------------------------------------------------------------===//
// The key
//===----------------------------------------------------------------------===//

static bool sameKeywords(PyObject *a, PyObject *b) {
  if (a == b)
    return true;
  if (!a || !b || PyTuple_GET_SIZE(a) != PyTuple_GET_SIZE(b))
    return false;
  for (Py_ssize_t i = 0; i != PyTuple_GET_SIZE(a); ++i)
    if (PyUnicode_Compare(PyTuple_GET_ITEM(a, i), PyTuple_GET_ITEM(b, i)) != 0)
      return false;
  return true;
}

static void addPlace(const Tuner::Body &body, Shape &shape, size_t parameter) {
  shape.places.emplace_back();
  if (parameter < body.names.size())
    shape.places.back().role =
        body.isKey[parameter] ? Place::Value : Place::Dtype;
}

static size_t shapeOf(Tuner::Body &body, const CallArguments &call) {
  for (size_t i = 0; i != body.shapes.size(); ++i)
    if (body.shapes[i]->numPositional == call.numPositional &&
        sameKeywords(body.shapes[i]->keywords, call.keywords))
      return i;
  auto shape = std::make_unique<Shape>();
  Py_XINCREF(call.keywords);
  shape->keywords = call.keywords;
  shape->numPositional = call.numPositional;
  for (Py_ssize_t i = 0; i != call.numPositional; ++i)
    addPlace(body, *shape, size_t(i));
  Py_ssize_t count = call.keywords ? PyTuple_GET_SIZE(call.keywords) : 0;
  for (Py_ssize_t i = 0; i != count; ++i) {
    PyObject *name = PyTuple_GET_ITEM(call.keywords, i);
    size_t parameter = 0;
    while (parameter != body.names.size() &&
           PyUnicode_Compare(body.names[parameter], name) != 0)
      ++parameter;
    addPlace(body, *shape, parameter);
  }
  body.shapes.push_back(std::move(shape));
  return body.shapes.size() - 1;
}

/// Adds what `hasattr(value, "dtype")` and the dtype come to.
static bool addDtype(const TypeInfo &info, PyObject *value, TuningKey &key) {
  switch (info.kind) {
  case Kind::Exchange:
  case Kind::Array:
  case Kind::Protocol: {
    TensorView view;
    if (readTensor(info, value, view) != Result::Ok) {
      PyErr_Clear(); // said by the launch
      return false;
    }
    key.add(uint64_t(view.element) + 2);
    return true;
  }
  case Kind::Number:
    key.add(reinterpret_cast<uintptr_t>(info.type));
    return true;
  case Kind::NamedTuple:
  case Kind::Descriptor:
  case Kind::Constexpr:
  case Kind::Other:
    key.add(1);
    return !PyObject_HasAttrString(value, "dtype");
  default:
    key.add(1);
    return true;
  }
}

static bool addPart(Place &place, PyObject *value, TuningKey &key) {
  if (place.role == Place::Nothing)
    return true;
  if (key.full())
    return false;
  PyTypeObject *type = Py_TYPE(value);
  if (__builtin_expect(type != place.lastType || !place.lastInfo->isCurrent(),
                       0)) {
    place.lastInfo = typeInfo(type);
    place.lastType = type;
  }
  const TypeInfo &info = *place.lastInfo;
  if (place.role == Place::Dtype)
    return addDtype(info, value, key);
  if (info.kind >= Kind::Exchange && info.kind <= Kind::Protocol)
    return false; // compared by identity
  Constant constant;
  if (encodeConstant(value, constant) != Result::Ok) {
    PyErr_Clear();
    return false;
  }
  key.add(constant.code);
  key.add(constant.payload);
  return info.kind < Kind::NamedTuple || addDtype(info, value, key);
}

/// False if Python has to find the configuration.
static bool makeKey(Tuner::Body &body, const CallArguments &call,
                    TuningKey &key) {
  size_t number = shapeOf(body, call);
  Shape *shape = body.shapes[number].get();
  key.add(number);
  for (size_t i = 0; i != shape->places.size(); ++i)
    if (!addPart(shape->places[i], call.args[i], key))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

static std::shared_ptr<Choice> findChoice(Tuner::Body &body,
                                          const TuningKey &key) {
  auto range = body.choices.equal_range(key.hash());
  for (auto at = range.first; at != range.second; ++at) {
    Choice &choice = *at->second;
    if (choice.key.size() == key.size &&
        std::memcmp(choice.key.data(), key.words, key.size * 8) == 0)
      return at->second;
  }
  return nullptr;
}

/// Whether Python would choose the same now.
static bool isInForce(Tuner *tuner, const Choice &choice) {
  static PyObject *cacheName = PyUnicode_InternFromString("cache");
  static PyObject *configsName = PyUnicode_InternFromString("configs");
  bool hasKey = choice.cacheKey != Py_None;
  PyObject *known =
      PyObject_GetAttr(tuner->owner, hasKey ? cacheName : configsName);
  PyObject *config = nullptr; // borrowed
  if (known && hasKey && PyDict_Check(known))
    config = PyDict_GetItemWithError(known, choice.cacheKey);
  else if (known && !hasKey && PyList_Check(known) &&
           PyList_GET_SIZE(known) == 1)
    config = PyList_GET_ITEM(known, 0);
  Py_XDECREF(known);
  PyErr_Clear(); // Python meets it again
  return config == choice.config;
}

/// The keywords of the call followed by those of the configuration; borrowed.
static PyObject *extend(Choice &choice, PyObject *keywords) {
  for (Extended &known : choice.extended)
    if (known.keywords == keywords)
      return known.all;
  if (choice.extended.size() == 16)
    return nullptr; // a new tuple per call: `**dict`
  PyObject *all;
  if (keywords) {
    all = PySequence_Concat(keywords, choice.names);
    if (!all)
      return nullptr;
  } else {
    all = choice.names;
    Py_INCREF(all);
  }
  Py_XINCREF(keywords);
  choice.extended.push_back({keywords, all});
  return all;
}

static Result launchChoice(Tuner *tuner, Choice &choice, PyObject *grid,
                           const uint32_t *sizes, const CallArguments &call,
                           PyObject *&kernel) {
  static PyObject *bestName = PyUnicode_InternFromString("best_config");
  if (!hasPlainRun(Py_TYPE(tuner->jit)))
    return Result::Fallback;
  Function *function = functionOf(tuner->jit);
  PyObject *keywords = function ? extend(choice, call.keywords) : nullptr;
  if (!keywords) {
    PyErr_Clear();
    return Result::Fallback;
  }
  Py_ssize_t given =
      call.numPositional +
      (call.keywords ? PyTuple_GET_SIZE(call.keywords) : Py_ssize_t(0));
  Py_ssize_t more = PyTuple_GET_SIZE(choice.values);
  PyObject *args[maxLeaves];
  if (given + more > Py_ssize_t(maxLeaves))
    return Result::Fallback;
  std::memcpy(args, call.args, size_t(given) * sizeof *args);
  for (Py_ssize_t i = 0; i != more; ++i)
    args[given + i] = PyTuple_GET_ITEM(choice.values, i);
  if (PyObject_SetAttr(tuner->owner, bestName, choice.config) != 0)
    return Result::Error;
  Py_INCREF(reinterpret_cast<PyObject *>(function));
  Result result = launch(function, {args, call.numPositional, keywords, false},
                         grid, sizes, kernel);
  Py_DECREF(reinterpret_cast<PyObject *>(function));
  return result;
}

//===----------------------------------------------------------------------===//
// Through Python
//===----------------------------------------------------------------------===//

/// Keeps what `owner._choice_of(args, keywords)` says: `(config, key in the
/// cache or None, names, values)`, or None if there is nothing to keep.
static bool remember(Tuner *tuner, const TuningKey &key, PyObject *positional,
                     PyObject *keywords) {
  PyObject *found = PyObject_CallMethod(tuner->owner, "_choice_of", "OO",
                                        positional, keywords);
  if (!found)
    return false;
  auto choice = std::make_shared<Choice>();
  bool ok = found == Py_None ||
            PyArg_ParseTuple(found, "OOO!O!", &choice->config,
                             &choice->cacheKey, &PyTuple_Type, &choice->names,
                             &PyTuple_Type, &choice->values);
  if (ok && found != Py_None) {
    Py_INCREF(choice->config);
    Py_INCREF(choice->cacheKey);
    Py_INCREF(choice->names);
    Py_INCREF(choice->values);
    choice->key.assign(key.words, key.words + key.size);
    tuner->body->choices.emplace(key.hash(), std::move(choice));
  }
  Py_DECREF(found);
  return ok;
}

/// `owner.run(*args, **keywords, grid=grid, warmup=False)`, and learns from it
/// if there is a key.
TRITON_COLD static PyObject *runPython(Tuner *tuner, PyObject *grid,
                                       const CallArguments &call,
                                       const TuningKey *key) {
  PyObject *positional = PyTuple_New(call.numPositional);
  PyObject *keywords = PyDict_New();
  PyObject *given = PyDict_New();
  PyObject *run = PyObject_GetAttrString(tuner->owner, "run");
  bool ok = positional && keywords && given && run;
  for (Py_ssize_t i = 0; ok && i != call.numPositional; ++i) {
    Py_INCREF(call.args[i]);
    PyTuple_SET_ITEM(positional, i, call.args[i]);
  }
  Py_ssize_t count = call.keywords ? PyTuple_GET_SIZE(call.keywords) : 0;
  for (Py_ssize_t i = 0; ok && i != count; ++i)
    ok = PyDict_SetItem(given, PyTuple_GET_ITEM(call.keywords, i),
                        call.args[call.numPositional + i]) == 0;
  ok = ok && PyDict_Update(keywords, given) == 0 &&
       PyDict_SetItemString(keywords, "grid", grid) == 0 &&
       PyDict_SetItemString(keywords, "warmup", Py_False) == 0;
  PyObject *result = ok ? PyObject_Call(run, positional, keywords) : nullptr;
  if (!result)
    hideLaunchFrames();
  else if (key && !remember(tuner, *key, positional, given))
    Py_CLEAR(result);
  Py_XDECREF(positional);
  Py_XDECREF(keywords);
  Py_XDECREF(given);
  Py_XDECREF(run);
  return result;
}

PyObject *callTuned(PyObject *object, PyObject *grid, const uint32_t *sizes,
                    const CallArguments &call) {
  auto *tuner = reinterpret_cast<Tuner *>(object);
  if (!tuner->owner) {
    PyErr_SetString(PyExc_RuntimeError, "this autotuned kernel was torn down");
    return nullptr;
  }
  TuningKey key;
  if (!makeKey(*tuner->body, call, key))
    return runPython(tuner, grid, call, nullptr);
  std::shared_ptr<Choice> choice = findChoice(*tuner->body, key);
  if (__builtin_expect(!choice, 0))
    return runPython(tuner, grid, call, &key);
  if (__builtin_expect(!isInForce(tuner, *choice), 0)) {
    tuner->body->choices.clear();
    return runPython(tuner, grid, call, nullptr);
  }
  PyObject *kernel = nullptr;
  Result result = launchChoice(tuner, *choice, grid, sizes, call, kernel);
  if (__builtin_expect(result == Result::Fallback, 0))
    return runPython(tuner, grid, call, nullptr);
  return kernel;
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

/// `Tuner(owner, jit, names, keys)`.
static PyObject *newTuner(PyTypeObject *type, PyObject *args, PyObject *) {
  PyObject *owner, *jit, *names, *keys;
  if (!PyArg_ParseTuple(args, "OOO!O!", &owner, &jit, &PyList_Type, &names,
                        &PyList_Type, &keys))
    return nullptr;
  auto *self = reinterpret_cast<Tuner *>(type->tp_alloc(type, 0));
  if (!self)
    return nullptr;
  Py_INCREF(owner);
  self->owner = owner;
  Py_INCREF(jit);
  self->jit = jit;
  self->body = new Tuner::Body;
  for (Py_ssize_t i = 0; i != PyList_GET_SIZE(names); ++i) {
    PyObject *name = PyList_GET_ITEM(names, i);
    Py_INCREF(name);
    self->body->names.push_back(name);
    int isKey = PySequence_Contains(keys, name);
    self->body->isKey.push_back(isKey == 1);
    if (isKey < 0 || !PyUnicode_Check(name)) {
      if (isKey >= 0)
        PyErr_SetString(PyExc_TypeError, "Tuner: names of parameters are text");
      Py_DECREF(self);
      return nullptr;
    }
  }
  return reinterpret_cast<PyObject *>(self);
}

static int traverse(PyObject *object, visitproc visit, void *arg) {
  auto *self = reinterpret_cast<Tuner *>(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->owner);
  Py_VISIT(self->jit);
  if (self->body)
    for (auto &entry : self->body->choices) {
      Py_VISIT(entry.second->cacheKey);
      Py_VISIT(entry.second->config);
      Py_VISIT(entry.second->values);
    }
  return 0;
}

static int clear(PyObject *object) {
  auto *self = reinterpret_cast<Tuner *>(object);
  Py_CLEAR(self->owner);
  Py_CLEAR(self->jit);
  if (self->body)
    self->body->choices.clear();
  return 0;
}

static void deallocate(PyObject *object) {
  auto *self = reinterpret_cast<Tuner *>(object);
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  clear(object);
  if (self->body) {
    for (PyObject *name : self->body->names)
      Py_DECREF(name);
    for (auto &shape : self->body->shapes)
      Py_XDECREF(shape->keywords);
  }
  delete self->body;
  type->tp_free(object);
  Py_DECREF(type);
}

bool addTunerType(PyObject *module) {
  static PyType_Slot slots[] = {
      {Py_tp_new, reinterpret_cast<void *>(newTuner)},
      {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
      {Py_tp_clear, reinterpret_cast<void *>(clear)},
      {Py_tp_dealloc, reinterpret_cast<void *>(deallocate)},
      {Py_tp_doc,
       const_cast<char *>("Tuner(autotuner, its JITFunction, parameter names, "
                          "names of the key): remembers configurations")},
      {0, nullptr}};
  static PyType_Spec spec = {"triton._C.libtriton.native.Tuner", sizeof(Tuner),
                             0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
  tunerType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return tunerType &&
         PyModule_AddObjectRef(module, "Tuner",
                               reinterpret_cast<PyObject *>(tunerType)) == 0;
}

} // namespace triton::native
