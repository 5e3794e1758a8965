//===- native_grid.h - sizes of a launch ------------------------*- C++ -*-===//

#ifndef TRITON_PYTHON_NATIVE_GRID_H
#define TRITON_PYTHON_NATIVE_GRID_H

#include "native.h"

namespace triton::native {

/// Reads 1 to 3 sizes from a tuple, a list or an integer. Fallback for
/// anything else, and for sizes out of range, which Python reports.
Result parseGrid(PyObject *grid, uint32_t sizes[3]);

} // namespace triton::native

#endif // TRITON_PYTHON_NATIVE_GRID_H
