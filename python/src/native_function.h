//===- native_function.h - the native half of a jit function ----*- C++ -*-===//

#ifndef TRITON_PYTHON_NATIVE_FUNCTION_H
#define TRITON_PYTHON_NATIVE_FUNCTION_H

#include "native_plan.h"
#include "native_table.h"

namespace triton::native {

/// A global that kernels of a function were compiled with.
struct Global {
  PyObject *scope; // strong dict
  PyObject *name;  // strong
  PyObject *value; // strong
};

/// The type `Function`. A JITFunction holds one and is its `owner`.
struct Function {
  PyObject_HEAD
      /// The JITFunction; the two form a cycle, which the collector sees.
      PyObject *owner;
  PyObject *preRunHooks; // strong list
  struct Body {
    std::vector<Param> params;
    Plans plans;
    std::vector<Global> globals;
    std::vector<std::unique_ptr<Table>> tables; // by device
    uint64_t generation = 0;
  } *body;

  /// Kernels for `device` and the current driver.
  Table &table(int device);
  void clearTables();
};

extern PyTypeObject *functionType;

/// The arguments of one call.
struct CallArguments {
  PyObject *const *args;
  Py_ssize_t numPositional;
  PyObject *keywords; // tuple or null
  bool isRun;         // a call of `run`, which has the grid among the keywords
};

/// Launches `function`. `grid` is the grid object, or null if it is among the
/// keywords; `sizes` its sizes if they are known, else null. Sets `kernel` to
/// the kernel (a new reference) on success.
Result launch(Function *function, const CallArguments &call, PyObject *grid,
              const uint32_t *sizes, PyObject *&kernel);

/// Puts `run` and `__getitem__` of the class JITFunction to work; see
/// native_bound.cc. The native half of `jit`; null, with or without an
/// exception, if there is none.
Function *functionOf(PyObject *jit);

/// True unless a class derived from JITFunction, or someone at run time,
/// replaced `run`.
bool hasPlainRun(PyTypeObject *type);

/// For a call into Python that failed: ends the traceback at the launch if the
/// mistake is the user's. The exception stays set.
void hideLaunchFrames();

/// Starts a kernel. The interpreter stays locked only for kernels that wait
/// for nobody and took little time before. Updates `lastCost`.
const char *start(const TritonDriverAbi &driver, uint64_t function,
                  const uint32_t sizes[3], uint64_t stream,
                  const uint64_t *slots, uint32_t numSlots,
                  const TritonLaunchInfo &info, uint64_t &lastCost);

} // namespace triton::native

#endif // TRITON_PYTHON_NATIVE_FUNCTION_H
