//===- lazy_module.h - submodules that are filled when used -----*- C++ -*-===//

#ifndef TRITON_PYTHON_LAZY_MODULE_H
#define TRITON_PYTHON_LAZY_MODULE_H

#include <pybind11/pybind11.h>

/// Adds submodule `name`, which `fill` fills when something in it is asked for.
///
/// Binding a function takes microseconds, and there are hundreds. A process
/// whose kernels come from the cache uses few of them.
void addLazily(pybind11::module_ &parent, const char *name,
               void (*fill)(pybind11::module_ &&));

#endif // TRITON_PYTHON_LAZY_MODULE_H
