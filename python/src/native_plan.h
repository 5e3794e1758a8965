//===- native_plan.h - binding arguments to parameters ----------*- C++ -*-===//

#ifndef TRITON_PYTHON_NATIVE_PLAN_H
#define TRITON_PYTHON_NATIVE_PLAN_H

#include "native_classify.h"
#include <memory>
#include <vector>

namespace triton::native {

/// How the arguments of one call shape (number of positional arguments, names
/// of keywords) reach the parameters. Made once per shape.
struct Plan {
  struct Option {
    uint64_t number; // stands for the name; options are sorted by it
    unsigned keyword;
    PyObject *name; // borrowed from `keywords`
  };

  PyObject *keywords; // strong tuple, or null
  Py_ssize_t numPositional;
  /// For each keyword: the parameter it is for, or -1.
  std::vector<int> parameterOfKeyword;
  /// Parameters that take their default.
  std::vector<int> defaulted;
  std::vector<Option> options;
  /// `run(grid=..., warmup=...)`: which keywords these are, or -1.
  int gridKeyword = -1;
  int warmupKeyword = -1;
  /// The parameter `*args`, or -1, and the first argument that goes to it.
  int variadic = -1;

  ~Plan() { Py_XDECREF(keywords); }

  /// Fills `values`, one borrowed reference per parameter. `rest` is what
  /// `makeRest` returned.
  void bind(const std::vector<Param> &params, PyObject *const *args,
            PyObject *rest, PyObject **values) const;
  /// The tuple for `*args` (new), if there is one.
  PyObject *makeRest(PyObject *const *args) const;
};

/// The plans of one function.
class Plans {
public:
  /// The plan for this call, or null when the call does not fit the
  /// parameters (Python then says why). `isRun` if it is a call of `run`.
  const Plan *find(const std::vector<Param> &params, Py_ssize_t numPositional,
                   PyObject *keywords, bool isRun) {
    // The tuple of names of a call site is a constant of its code object, so
    // its address identifies it; plans hold theirs, so it is not reused.
    Slot &slot = slots[slotOf(keywords, numPositional)];
    if (__builtin_expect(slot.plan && slot.keywords == keywords &&
                             slot.numPositional == numPositional &&
                             slot.isRun == isRun,
                         1))
      return slot.plan;
    return findSlowly(params, numPositional, keywords, isRun, slot);
  }

private:
  struct Slot {
    PyObject *keywords = nullptr;
    Py_ssize_t numPositional = 0;
    bool isRun = false;
    const Plan *plan = nullptr;
  };
  static constexpr unsigned numSlots = 16;

  static unsigned slotOf(PyObject *keywords, Py_ssize_t numPositional) {
    auto bits = reinterpret_cast<uintptr_t>(keywords);
    return unsigned((bits >> 4) + (bits >> 9) + size_t(numPositional)) &
           (numSlots - 1);
  }

  const Plan *findSlowly(const std::vector<Param> &params,
                         Py_ssize_t numPositional, PyObject *keywords,
                         bool isRun, Slot &slot);

  Slot slots[numSlots];
  std::vector<std::pair<bool, std::unique_ptr<Plan>>> plans; // (isRun, plan)
};

} // namespace triton::native

#endif // TRITON_PYTHON_NATIVE_PLAN_H
