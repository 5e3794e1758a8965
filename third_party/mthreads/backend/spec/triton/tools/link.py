"""Joins kernels that were compiled ahead of time under one C function per kernel.

    python -m triton.tools.link add.*.h -o add

For MUSA, unlike elsewhere, variants may be for several architectures: the function takes the one for the device of the
current context, and loads no other. It speaks the driver's types. For a kernel ``add`` there are
``add(stream, arguments..., algo_id)``, ``add_default``, ``load_add``, ``unload_add`` and ``add_get_num_algos``. An
*algorithm* is a choice of constants and options; within one, the variant with the most hints that hold is started.
Headers of other targets are joined as the trunk does.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from triton.backends.mthreads.aot import ARCH_LINE
from triton.flagtree_spec import replaced

_trunk = replaced("triton.tools.link")
Linked, LinkerError = _trunk.Linked, _trunk.LinkerError
Kernels = dict[str, dict[str, list[Any]]]  # kernel, algorithm: variants, those with more hints first

_HEADER = """\
#ifndef {guard}
#define {guard}

#include <musa.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif
/* Each returns MUSA_SUCCESS, the error of a driver call, MUSA_ERROR_INVALID_VALUE where no variant fits the arguments,
   or MUSA_ERROR_INVALID_DEVICE where none is for the current device. */
{declarations}
#ifdef __cplusplus
}}
#endif

#endif
"""
_ARCH = """\
static MUresult tt_current_arch(int *arch) {
  MUdevice device;
  int major = 0, minor = 0;
  MUresult tt_status = muCtxGetDevice(&device);
  if (tt_status == MUSA_SUCCESS)
    tt_status = muDeviceGetAttribute(&major, MU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  if (tt_status == MUSA_SUCCESS)
    tt_status = muDeviceGetAttribute(&minor, MU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  *arch = 10 * major + minor;
  return tt_status;
}
"""
_BEGIN = """\
  int tt_arch;
  MUresult tt_status = tt_current_arch(&tt_arch);
  if (tt_status != MUSA_SUCCESS)
    return tt_status;"""


def __getattr__(name: str) -> Any:
    """What is not changed here is the trunk's."""
    return getattr(_trunk, name)


def architectures(headers: Sequence[Path]) -> dict[str, int]:
    """The architecture of each variant that is for MUSA, by symbol. LinkerError where other targets are among them."""
    found: dict[str, int] = {}
    others = []
    for header in headers:
        lines = [line for line in header.read_text(encoding="utf-8").splitlines() if line.startswith(ARCH_LINE)]
        if not lines:
            others.append(header)
        for line in lines:
            symbol, _, arch = line.removeprefix(ARCH_LINE).strip().partition("|")
            if not arch.isdecimal():
                raise LinkerError(f"{header}: cannot read the line {line!r}")
            found[symbol] = int(arch)
    if found and others:
        raise LinkerError(f"{others[0]} is not for MUSA, unlike others that are named: join them separately")
    return found


def link(headers: Sequence[Path], out: Path, prefix: str = "") -> list[Path]:
    """Writes ``out.h`` and ``out.c`` for the variants in `headers`. `prefix` goes before the names of the functions."""
    archs = architectures(headers)
    if not archs:
        return _trunk.link(headers, out, prefix)
    kernels: Kernels = _trunk.group([variant for path in headers for variant in _trunk.read_header(path)])
    header, source = out.with_name(f"{out.name}.h"), out.with_name(f"{out.name}.c")
    guard = "".join(c if c.isalnum() else "_" for c in f"TT_{out.name}_H").upper()
    declarations = [line for name, kernel in kernels.items() for line in _declarations(prefix + name, kernel)]
    definitions = [_definitions(prefix + name, kernel, archs) for name, kernel in kernels.items()]
    includes = "\n".join(f'#include "{path.name}"' for path in (header, *headers))
    header.write_text(_HEADER.format(guard=guard, declarations="\n".join(declarations)), encoding="utf-8")
    source.write_text("\n\n".join([includes, _ARCH.rstrip(), *definitions]) + "\n", encoding="utf-8")
    return [header, source]


def _parameters(kernel: dict[str, list[Any]]) -> str:
    first = next(iter(kernel.values()))[0]
    return "".join(f", {parameter.type} {parameter.name}" for parameter in first.parameters)


def _names(variant: Any) -> str:
    return "".join(f", {parameter.name}" for parameter in variant.parameters)


def _declarations(name: str, kernel: dict[str, list[Any]]) -> list[str]:
    parameters = _parameters(kernel)
    return [
        f"MUresult load_{name}(void);",
        f"MUresult unload_{name}(void);",
        f"int {name}_get_num_algos(void); /* they are numbered from 0 */",
        f"MUresult {name}_default(MUstream stream{parameters});",
        f"MUresult {name}(MUstream stream{parameters}, int algo_id);",
    ]


def _definitions(name: str, kernel: dict[str, list[Any]], archs: dict[str, int]) -> str:
    parameters, names = _parameters(kernel), _names(next(iter(kernel.values()))[0])
    parts = [
        _algorithm(f"{name}_algo_{index}", parameters, variants, archs)
        for index, variants in enumerate(kernel.values())
    ]
    cases = [f"  case {index}:\n    return {name}_algo_{index}(stream{names});" for index in range(len(kernel))]
    every = [variant.symbol for variants in kernel.values() for variant in variants]
    return "\n\n".join(
        [
            *parts,
            f"MUresult {name}(MUstream stream{parameters}, int algo_id) {{\n  switch (algo_id) {{\n"
            + "\n".join([*cases, "  default:", "    return MUSA_ERROR_INVALID_VALUE;", "  }", "}"]),
            f"MUresult {name}_default(MUstream stream{parameters}) {{ return {name}(stream{names}, 0); }}",
            f"int {name}_get_num_algos(void) {{ return {len(kernel)}; }}",
            _load(name, every, archs),
            _unload(name, every),
        ]
    )


def _algorithm(name: str, parameters: str, variants: Sequence[Any], archs: dict[str, int]) -> str:
    lines = [f"static MUresult {name}(MUstream stream{parameters}) {{", _BEGIN]
    for arch in sorted({archs[variant.symbol] for variant in variants}):
        lines.append(f"  if (tt_arch == {arch}) {{")
        for variant in variants:
            if archs[variant.symbol] == arch:
                lines += [f"    if ({variant.condition()})", f"      return {variant.symbol}(stream{_names(variant)});"]
        lines += ["    return MUSA_ERROR_INVALID_VALUE;", "  }"]
    return "\n".join([*lines, "  return MUSA_ERROR_INVALID_DEVICE;", "}"])


def _load(name: str, symbols: Sequence[str], archs: dict[str, int]) -> str:
    """Loads what the current device can run; all of it or, where a call fails, nothing."""
    lines = [f"MUresult load_{name}(void) {{", _BEGIN, "  tt_status = MUSA_ERROR_INVALID_DEVICE;"]
    for arch in sorted(set(map(archs.__getitem__, symbols))):
        lines += [f"  if (tt_arch == {arch}) {{", "    tt_status = MUSA_SUCCESS;"]
        for symbol in symbols:
            if archs[symbol] == arch:
                lines += ["    if (tt_status == MUSA_SUCCESS)", f"      tt_status = load_{symbol}();"]
        lines.append("  }")
    lines += ["  if (tt_status != MUSA_SUCCESS)", f"    unload_{name}();"]
    return "\n".join([*lines, "  return tt_status;", "}"])


def _unload(name: str, symbols: Sequence[str]) -> str:
    """Unloads everything, also after a failure, and returns the first error."""
    lines = [f"MUresult unload_{name}(void) {{", "  MUresult first = MUSA_SUCCESS, tt_status;"]
    for symbol in symbols:
        lines += [f"  tt_status = unload_{symbol}();", "  if (first == MUSA_SUCCESS)", "    first = tt_status;"]
    return "\n".join([*lines, "  return first;", "}"])


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m triton.tools.link",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("headers", nargs="+", type=Path, help="headers that triton.tools.compile wrote")
    parser.add_argument("-o", "--out", type=Path, required=True, help="output, without suffix")
    parser.add_argument("--prefix", default="", help="put before the names of the functions")
    arguments = parser.parse_args(argv)
    try:
        for path in link(arguments.headers, arguments.out, arguments.prefix):
            print(path)
    except (LinkerError, OSError) as error:
        print(f"triton.tools.link: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
