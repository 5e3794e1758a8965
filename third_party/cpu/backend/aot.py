"""Files of a kernel that was compiled ahead of time for a CPU: an object file, and C code that calls it.

Link ``NAME.o`` and compile ``NAME.c`` (with ``-fopenmp`` to use all processors). The kernel may call functions of the
C and math libraries: link with ``-lm``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from triton.tools.aot import Variant, link_line

# Of the compile: additions are collected by libtriton, which the C program does not have.
OPTIONS = {"collect_adds": False}

_SCALARS = {
    "i1": "int8_t",
    "u1": "uint8_t",
    "fp32": "float",
    "fp64": "double",
    **{f"{sign}{bits}": f"{'u' if sign == 'u' else ''}int{bits}_t" for sign in "iu" for bits in (8, 16, 32, 64)},
}

_HEADER = """\
#pragma once
#include <stdint.h>

#ifndef TT_AOT_TYPES
#define TT_AOT_TYPES
/* 0 or a TT_... code. There are no streams on a CPU: pass NULL. */
typedef int tt_result;
typedef void *tt_stream;
#define TT_NO_VARIANT 1
#define TT_NO_MEMORY 2
#define TT_BAD_GRID 3
#endif

{link_line}
#ifdef __cplusplus
extern "C" {{
#endif
tt_result load_{symbol}(void);
tt_result unload_{symbol}(void);
tt_result {symbol}(tt_stream stream{parameters});
#ifdef __cplusplus
}}
#endif
"""

_SOURCE = """\
#include "{header}"
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

/* Runs the programs lo <= p < hi of the grid, x first. Scratch is one program's, aligned to 64 bytes. */
extern void {kernel}(const uint64_t *args, const uint32_t *grid, int64_t lo, int64_t hi, void *scratch);

enum {{ scratch_stride = {scratch} }}; /* bytes per thread */

/* Nothing to load: the code is linked in. */
tt_result load_{symbol}(void) {{ return 0; }}
tt_result unload_{symbol}(void) {{ return 0; }}

tt_result {symbol}(tt_stream stream{parameters}) {{
  (void)stream;
  const int64_t gx = (int64_t)({grid[0]}), gy = (int64_t)({grid[1]}), gz = (int64_t)({grid[2]});
  if (gx < 0 || gy < 0 || gz < 0 || gx > INT32_MAX || gy > INT32_MAX || gz > INT32_MAX)
    return TT_BAD_GRID;
  uint64_t args[{slots}] = {{0}};
{packing}
  const uint32_t grid[3] = {{(uint32_t)gx, (uint32_t)gy, (uint32_t)gz}};
  const int64_t programs = gx * gy * gz;
  int threads = 1;
#ifdef _OPENMP
  threads = omp_get_max_threads();
#endif
  char *scratch = scratch_stride ? aligned_alloc(64, (size_t)scratch_stride * threads) : NULL;
  if (scratch_stride && !scratch)
    return TT_NO_MEMORY;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) if (programs > 1)
#endif
  for (int64_t p = 0; p < programs; ++p) {{
    int thread = 0;
#ifdef _OPENMP
    thread = omp_get_thread_num();
#endif
    {kernel}(args, grid, p, p + 1, scratch_stride ? scratch + (size_t)scratch_stride * thread : NULL);
  }}
  free(scratch);
  return 0;
}}
"""


def c_type(type_name: str) -> str:
    """C type of an argument. ValueError for types that C has no name for."""
    if type_name.startswith("*"):
        pointee = type_name[1:].removeprefix("k")
        const = "const " if type_name.startswith("*k") else ""
        return f"{const}{_SCALARS.get(pointee, 'void')} *"
    if type_name not in _SCALARS:
        raise ValueError(
            f"arguments of type {type_name} cannot be passed from C; use a pointer, an integer, fp32 or fp64"
        )
    return _SCALARS[type_name]


def _packing(variant: Variant) -> tuple[str, int]:
    """Statements that put the live arguments into 8 bytes each, and their number."""
    live = [argument for argument in variant.arguments if argument.is_live]
    lines = [f"  memcpy(&args[{i}], &{a.name}, sizeof {a.name});" for i, a in enumerate(live)]
    return "\n".join(lines), max(1, len(live))


def write(compiled: Any, variant: Variant, out: Path) -> list[Path]:
    """Writes ``out.h``, ``out.c`` and ``out.o``. ValueError for a kernel that checks its accesses."""
    if compiled.metadata.python_launch:
        raise ValueError("kernels that check their accesses (TRITON_CPU_SANITIZE) run under Python only")
    header, source, binary = (out.with_name(f"{out.name}.{ext}") for ext in ("h", "c", "o"))
    names = {"symbol": variant.symbol, "parameters": variant.c_parameters(c_type)}
    packing, slots = _packing(variant)
    header.write_text(_HEADER.format(link_line=link_line(variant, c_type), **names), encoding="utf-8")
    source.write_text(
        _SOURCE.format(
            header=header.name,
            kernel=compiled.metadata.name,
            scratch=-(-compiled.metadata.shared // 64) * 64,
            grid=variant.grid,
            packing=packing,
            slots=slots,
            **names,
        ),
        encoding="utf-8",
    )
    binary.write_bytes(compiled.asm["obj"])
    return [header, source, binary]
