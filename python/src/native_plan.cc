//===- native_plan.cc - binding arguments to parameters -------------------===//

#include "native_plan.h"

#include <algorithm>

namespace triton::native {

PyObject *Plan::makeRest(PyObject *const *args) const {
  Py_ssize_t count = std::max<Py_ssize_t>(0, numPositional - variadic);
  PyObject *rest = PyTuple_New(count);
  for (Py_ssize_t i = 0; rest && i != count; ++i) {
    Py_INCREF(args[variadic + i]);
    PyTuple_SET_ITEM(rest, i, args[variadic + i]);
  }
  return rest;
}

void Plan::bind(const std::vector<Param> &params, PyObject *const *args,
                PyObject *rest, PyObject **values) const {
  Py_ssize_t numDirect = numPositional;
  if (__builtin_expect(variadic >= 0, 0)) {
    numDirect = std::min<Py_ssize_t>(numPositional, variadic);
    values[variadic] = rest;
  }
  for (Py_ssize_t i = 0; i != numDirect; ++i)
    values[i] = args[i];
  args += numPositional;
  for (size_t i = 0; i != parameterOfKeyword.size(); ++i)
    if (parameterOfKeyword[i] >= 0)
      values[parameterOfKeyword[i]] = args[i];
  for (int index : defaulted)
    values[index] = params[index].defaultValue;
}

static bool sameName(PyObject *a, PyObject *b) {
  return a == b || PyUnicode_Compare(a, b) == 0;
}

static bool sameKeywords(PyObject *a, PyObject *b) {
  Py_ssize_t count = a ? PyTuple_GET_SIZE(a) : 0;
  if ((b ? PyTuple_GET_SIZE(b) : 0) != count)
    return false;
  for (Py_ssize_t i = 0; i != count; ++i)
    if (!sameName(PyTuple_GET_ITEM(a, i), PyTuple_GET_ITEM(b, i)))
      return false;
  return true;
}

static int parameterNamed(const std::vector<Param> &params, PyObject *name) {
  for (size_t i = 0; i != params.size(); ++i)
    if (sameName(params[i].name, name))
      return int(i);
  return -1;
}

/// A number for an option's name, the same for all functions.
static uint64_t optionNumber(PyObject *name) {
  Constant constant;
  return encodeConstant(name, constant) == Result::Ok ? constant.payload : 0;
}

/// False if the call does not fit the parameters.
static bool assignKeyword(Plan &plan, const std::vector<Param> &params,
                          unsigned keyword, bool isRun,
                          std::vector<bool> &assigned) {
  PyObject *name = PyTuple_GET_ITEM(plan.keywords, keyword);
  plan.parameterOfKeyword.push_back(-1);
  int parameter = parameterNamed(params, name);
  if (parameter >= 0) {
    if (assigned[parameter])
      return false;
    assigned[parameter] = true;
    plan.parameterOfKeyword.back() = parameter;
    return true;
  }
  if (isRun && PyUnicode_CompareWithASCIIString(name, "grid") == 0) {
    plan.gridKeyword = int(keyword);
    return true;
  }
  if (isRun && PyUnicode_CompareWithASCIIString(name, "warmup") == 0) {
    plan.warmupKeyword = int(keyword);
    return true;
  }
  uint64_t number = optionNumber(name);
  if (number == 0 || plan.options.size() == maxOptions) {
    PyErr_Clear();
    return false;
  }
  plan.options.push_back({number, keyword, name});
  return true;
}

static std::unique_ptr<Plan> makePlan(const std::vector<Param> &params,
                                      Py_ssize_t numPositional,
                                      PyObject *keywords, bool isRun) {
  std::unique_ptr<Plan> plan(new Plan);
  Py_XINCREF(keywords);
  plan->keywords = keywords;
  plan->numPositional = numPositional;
  if (params.size() > maxLeaves)
    return nullptr;
  std::vector<bool> assigned(params.size(), false);
  for (size_t i = 0; i != params.size(); ++i)
    if (params[i].variadic) {
      plan->variadic = int(i);
      assigned[i] = true;
    }
  for (Py_ssize_t i = 0; i != numPositional; ++i) {
    if (plan->variadic >= 0 && i >= plan->variadic)
      break; // the rest goes to `*args`
    if (i >= Py_ssize_t(params.size()) || params[i].keywordOnly)
      return nullptr;
    assigned[i] = true;
  }
  Py_ssize_t numKeywords = keywords ? PyTuple_GET_SIZE(keywords) : 0;
  for (Py_ssize_t i = 0; i != numKeywords; ++i)
    if (!assignKeyword(*plan, params, unsigned(i), isRun, assigned))
      return nullptr;
  for (size_t i = 0; i != params.size(); ++i) {
    if (assigned[i])
      continue;
    if (!params[i].defaultValue)
      return nullptr;
    plan->defaulted.push_back(int(i));
  }
  std::sort(plan->options.begin(), plan->options.end(),
            [](const Plan::Option &a, const Plan::Option &b) {
              return a.number < b.number;
            });
  return plan;
}

TRITON_COLD const Plan *Plans::findSlowly(const std::vector<Param> &params,
                                          Py_ssize_t numPositional,
                                          PyObject *keywords, bool isRun,
                                          Slot &slot) {
  for (auto &known : plans) {
    Plan *plan = known.second.get();
    if (known.first != isRun || plan->numPositional != numPositional ||
        !sameKeywords(plan->keywords, keywords))
      continue;
    // Another call site, or a `**dict` with a new tuple per call: only a tuple
    // that the plan holds may be found by its address.
    if (plan->keywords == keywords)
      slot = {keywords, numPositional, isRun, plan};
    return plan;
  }
  std::unique_ptr<Plan> plan = makePlan(params, numPositional, keywords, isRun);
  if (!plan)
    return nullptr;
  plans.emplace_back(isRun, std::move(plan));
  const Plan *made = plans.back().second.get();
  slot = {keywords, numPositional, isRun, made};
  return made;
}

} // namespace triton::native
