"""Files of a kernel that was compiled ahead of time for MUSA: C code that holds the binary and starts it.

``NAME.h`` and ``NAME.c`` need <musa.h> and the driver library, neither Python nor a compiler at run time. The names of
the functions end with the architecture, so that variants for several architectures go into one program:
`triton.tools.link` joins them under one function, which takes the variant of the current device.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from triton.tools.aot import Variant, link_line

from .driver import c_type

ARCH_LINE = "// tt-musa: "  # followed by SYMBOL|ARCHITECTURE
# Names that an argument cannot have in C, and those that the generated functions use themselves.
_C_WORDS = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while".split()
)
_OWN_WORDS = frozenset(("stream", "algo_id", "tt_status", "tt_grid", "tt_slots", "tt_arch"))

_HEADER = """\
#ifndef {guard}
#define {guard}

#include <musa.h>
#include <stdint.h>

#ifndef TT_AOT_TYPES
#define TT_AOT_TYPES
/* The names that the trunk's triton.tools.link uses. */
typedef MUresult tt_result;
typedef MUstream tt_stream;
#define TT_NO_VARIANT MUSA_ERROR_INVALID_VALUE
#endif

{link_line}
{arch_line}
#ifdef __cplusplus
extern "C" {{
#endif
/* Each returns MUSA_SUCCESS or the error of the driver call that failed. The kernel is loaded into the context that is
   current at the first call of load_... or of the kernel itself; call the former before threads share it. */
MUresult load_{symbol}(void);
MUresult unload_{symbol}(void);
MUresult {symbol}(MUstream stream{parameters});
#ifdef __cplusplus
}}
#endif

#endif
"""

_SOURCE = """\
/* {kernel} for mp_{arch}: {algorithm}. */
#include "{header}"

enum {{ tt_threads = {threads}, tt_shared = {shared} }}; /* of one program; bytes of shared memory */
static const _Alignas(16) unsigned char tt_image[] = {{
{bytes}
}};
static MUmodule tt_module;
static MUfunction tt_function;

MUresult load_{symbol}(void) {{
  MUmodule module;
  MUfunction function;
  MUresult tt_status;
  if (tt_function)
    return MUSA_SUCCESS;
  tt_status = muModuleLoadData(&module, tt_image);
  if (tt_status != MUSA_SUCCESS)
    return tt_status;
  tt_status = muModuleGetFunction(&function, module, "{entry}");
  if (tt_status == MUSA_SUCCESS && tt_shared > {static_shared})
    tt_status = muFuncSetAttribute(function, MU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, tt_shared);
  if (tt_status != MUSA_SUCCESS) {{
    muModuleUnload(module); /* what failed is reported, not that */
    return tt_status;
  }}
  tt_module = module;
  tt_function = function;
  return MUSA_SUCCESS;
}}

MUresult unload_{symbol}(void) {{
  if (!tt_function)
    return MUSA_SUCCESS;
  tt_function = 0;
  return muModuleUnload(tt_module);
}}

MUresult {symbol}(MUstream stream{parameters}) {{
  const int64_t tt_grid[3] = {{(int64_t)({grid[0]}), (int64_t)({grid[1]}), (int64_t)({grid[2]})}};
  void *tt_slots[] = {{{slots}}};
  MUresult tt_status;
{unused}  for (int i = 0; i < 3; ++i)
    if (tt_grid[i] < 0 || tt_grid[i] > INT32_MAX)
      return MUSA_ERROR_INVALID_VALUE;
  if (tt_grid[0] == 0 || tt_grid[1] == 0 || tt_grid[2] == 0)
    return MUSA_SUCCESS;
  tt_status = load_{symbol}();
  if (tt_status != MUSA_SUCCESS)
    return tt_status;
  return muLaunchKernel(tt_function, (unsigned)tt_grid[0], (unsigned)tt_grid[1], (unsigned)tt_grid[2], tt_threads, 1, 1,
                        tt_shared, stream, tt_slots, 0);
}}
"""
_STATIC_SHARED = 48 * 1024  # bytes that a kernel may have without asking for more


def _c_type(type_name: str) -> str:
    try:
        return c_type(type_name)
    except TypeError as error:
        raise ValueError(str(error)) from None


def symbol_of(variant: Variant, arch: int | str) -> str:
    """The name of the variant's launch function."""
    return f"{variant.symbol}_mp{arch}"


def write(compiled: Any, variant: Variant, out: Path) -> list[Path]:
    """Writes ``<out>_mp<arch>.h`` and ``.c``.

    ValueError for names that C code cannot have, and for kernels that need memory which only a launcher provides.
    """
    _check_names(variant)
    if getattr(compiled.metadata, "global_scratch_size", 0):
        raise ValueError(f"kernel {variant.name!r} needs scratch memory at launch, which C code does not provide")
    arch = compiled.metadata.target.arch
    symbol = symbol_of(variant, arch)
    header, source = (out.with_name(f"{out.name}_mp{arch}.{ending}") for ending in ("h", "c"))
    live = [argument for argument in variant.arguments if argument.is_live]
    common = {"symbol": symbol, "parameters": variant.c_parameters(_c_type)}
    header_text = _HEADER.format(
        guard=f"{symbol.upper()}_H",
        link_line=link_line(variant, _c_type).replace(variant.symbol, symbol, 1),
        arch_line=f"{ARCH_LINE}{symbol}|{arch}",
        **common,
    )
    source_text = _SOURCE.format(
        kernel=variant.name,
        arch=arch,
        algorithm=variant.algorithm,
        header=header.name,
        threads=compiled.metadata.num_warps * compiled.metadata.target.warp_size,
        shared=compiled.metadata.shared,
        static_shared=_STATIC_SHARED,
        bytes=_byte_rows(compiled.kernel),
        entry=compiled.metadata.name,
        grid=variant.grid,
        slots=", ".join(f"(void *)&{argument.name}" for argument in live) or "0",
        unused="".join(f"  (void){a.name}; /* is always 1 */\n" for a in variant.passed() if not a.is_live),
        **common,
    )
    header.write_text(header_text, encoding="utf-8")
    source.write_text(source_text, encoding="utf-8")
    return [header, source]


def _check_names(variant: Variant) -> None:
    if not (variant.name.isidentifier() and variant.name.isascii()) or variant.name in _C_WORDS:
        raise ValueError(f"{variant.name!r} is no name of a C function: choose another with --out-name")
    for argument in variant.passed():
        if argument.name in _C_WORDS | _OWN_WORDS:
            what = "a word of C" if argument.name in _C_WORDS else "used by the generated code"
            raise ValueError(f"parameter {argument.name!r} of kernel {variant.name!r} is {what}: rename it")


def _byte_rows(data: bytes, per_row: int = 20) -> str:
    rows = (data[start : start + per_row] for start in range(0, len(data), per_row))
    return ",\n".join("    " + ", ".join(f"0x{byte:02x}" for byte in row) for row in rows)
