//===- lazy_module.cc - submodules that are filled when used --------------===//

#include "lazy_module.h"

#include <memory>
#include <mutex>
#include <string>

namespace py = pybind11;

namespace {

/// The functions that Python asks for what a module does not have. Ours are
/// there as long as it is empty.
constexpr const char *kHooks[] = {"__getattr__", "__dir__"};

class LazyModule {
public:
  LazyModule(py::module_ module, void (*fill)(py::module_ &&))
      : module(module), fill(fill) {}

  void ensureFilled() {
    {
      // The thread that fills the module may need the interpreter to go on.
      py::gil_scoped_release release;
      mutex.lock();
    }
    std::lock_guard<std::recursive_mutex> guard(mutex, std::adopt_lock);
    if (!fill)
      return;
    auto fillOnce = fill;
    fill = nullptr;
    takeOver(filledBy(fillOnce));
  }

  /// Python itself asks for names such as `__path__`, which nothing binds.
  /// `import *` asks for `__all__` before it takes the names that are there.
  py::object get(const py::str &name) {
    std::string text = name;
    if (text.rfind("__", 0) != 0 || text == "__all__")
      ensureFilled();
    py::dict names = module.attr("__dict__");
    if (names.contains(name))
      return names[name];
    PyErr_Format(PyExc_AttributeError, "module %R has no attribute %R",
                 module.attr("__name__").ptr(), name.ptr());
    throw py::error_already_set();
  }

  py::list names() {
    ensureFilled();
    return py::list(module.attr("__dict__"));
  }

private:
  /// A module of the same name, so that no thread sees a part of ours: binding
  /// may hand over to others, and asks the module for each name beforehand.
  py::module_ filledBy(void (*fillOnce)(py::module_ &&)) {
    auto hidden = py::reinterpret_steal<py::module_>(
        PyModule_NewObject(module.attr("__name__").ptr()));
    if (!hidden)
      throw py::error_already_set();
    fillOnce(py::module_(hidden));
    return hidden;
  }

  void takeOver(const py::module_ &hidden) {
    py::dict names = module.attr("__dict__");
    for (auto [name, value] : py::dict(hidden.attr("__dict__")))
      if (!names.contains(name) || !value.is_none())
        names[name] = value;
    for (const char *hook : kHooks)
      if (PyDict_DelItemString(names.ptr(), hook) != 0)
        throw py::error_already_set();
  }

  py::handle module; ///< in sys.modules, which keeps it
  void (*fill)(py::module_ &&);
  std::recursive_mutex mutex; ///< a finalizer may run, and ask, at any time
};

} // namespace

void addLazily(py::module_ &parent, const char *name,
               void (*fill)(py::module_ &&)) {
  py::module_ module = parent.def_submodule(name);
  auto lazy = std::make_shared<LazyModule>(module, fill);
  // Not `def`, which would ask the module for more.
  module.attr("__getattr__") = py::cpp_function(
      [lazy](const py::str &attribute) { return lazy->get(attribute); });
  module.attr("__dir__") = py::cpp_function([lazy] { return lazy->names(); });
}
