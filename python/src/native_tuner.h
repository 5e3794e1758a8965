//===- native_tuner.h - launches of autotuned kernels -----------*- C++ -*-===//
//
// The type `Tuner` is the native half of an Autotuner. It remembers, by the
// values of the key arguments and the element types of the tensors, which
// configuration Python has chosen, and launches the kernel with it. Python
// decides everything else, and its `cache` stays in force: a configuration
// that is no longer there is not used.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_PYTHON_NATIVE_TUNER_H
#define TRITON_PYTHON_NATIVE_TUNER_H

#include "native_function.h"

namespace triton::native {

/// The class Autotuner.
void setTunerType(PyTypeObject *type);

/// The Tuner of an Autotuner, which has it in the slot at `offset`; borrowed.
/// Null, with or without an exception, if it must be launched through Python.
PyObject *tunerOf(PyObject *autotuner, Py_ssize_t offset);

/// Launches. `sizes` are those of `grid` if they are known.
PyObject *callTuned(PyObject *tuner, PyObject *grid, const uint32_t *sizes,
                    const CallArguments &call);

} // namespace triton::native

#endif // TRITON_PYTHON_NATIVE_TUNER_H
