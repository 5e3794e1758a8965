"""Joins kernels that were compiled ahead of time under one C function per kernel.

    python -m triton.tools.link *.h -o kernels

writes ``kernels.h`` and ``kernels.c``. For kernel ``add``: ``load_add()``, ``unload_add()``, ``add_get_num_algos()``,
``add(stream, ..., algo_id)`` and ``add_default(stream, ...)``, which is algorithm 0. An *algorithm* is a choice of
constants and options; within one, the variant whose hints (divisible by 16, equal to 1) fit the arguments is called.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .aot import DIVISIBLE_BY_16, EQUAL_TO_1, LINK_PREFIX

_HEADER = """\
#pragma once
{includes}
#ifdef __cplusplus
extern "C" {{
#endif
{declarations}
#ifdef __cplusplus
}}
#endif
"""


class LinkerError(Exception):
    """Headers that cannot be joined."""


@dataclass(frozen=True)
class Parameter:
    type: str
    hint: int
    name: str


@dataclass(frozen=True)
class Linked:
    """One variant, as its header describes it."""

    symbol: str
    kernel: str
    parameters: tuple[Parameter, ...]
    algorithm: str
    header: str

    def condition(self) -> str:
        """C expression that is true for the arguments that the variant was compiled for."""
        tests = {DIVISIBLE_BY_16: "((uintptr_t)({0}) % 16 == 0)", EQUAL_TO_1: "({0} == 1)"}
        return " && ".join(tests[p.hint].format(p.name) for p in self.parameters if p.hint) or "1"

    @property
    def specificity(self) -> int:
        """Variants with more hints are tried first; 'equal to 1' says more than 'divisible'."""
        return sum({DIVISIBLE_BY_16: 1, EQUAL_TO_1: 2}.get(p.hint, 0) for p in self.parameters)


def read_header(path: Path) -> list[Linked]:
    """The variants that a header describes. LinkerError for a line that cannot be read, or none."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith(LINK_PREFIX):
            continue
        try:
            symbol, kernel, parameters, algorithm = line[len(LINK_PREFIX) :].split("|")
            parsed = tuple(
                Parameter(c_type, int(hint), name)
                for c_type, hint, name in (item.split(":") for item in parameters.split(";") if item)
            )
        except ValueError:
            raise LinkerError(f"{path}: cannot read the line {line!r}") from None
        found.append(Linked(symbol, kernel, parsed, algorithm, path.name))
    if not found:
        raise LinkerError(f"{path}: no line starts with {LINK_PREFIX!r}; is it a header of triton.tools.compile?")
    return found


def group(variants: list[Linked]) -> dict[str, dict[str, list[Linked]]]:
    """Kernel, then algorithm, to variants. LinkerError if the variants of a kernel have different parameters."""
    kernels: dict[str, dict[str, list[Linked]]] = {}
    for variant in variants:
        algorithms = kernels.setdefault(variant.kernel, {})
        for known in (v for vs in algorithms.values() for v in vs):
            if [(p.type, p.name) for p in known.parameters] != [(p.type, p.name) for p in variant.parameters]:
                raise LinkerError(
                    f"kernel {variant.kernel!r} has different parameters in {known.header} and {variant.header}"
                )
        same = algorithms.setdefault(variant.algorithm, [])
        if any(known.symbol == variant.symbol for known in same):
            raise LinkerError(f"{variant.symbol} is in both {same[0].header} and {variant.header}")
        same.append(variant)
    return {
        kernel: {name: sorted(vs, key=lambda v: -v.specificity) for name, vs in algorithms.items()}
        for kernel, algorithms in kernels.items()
    }


def _parameters(variant: Linked) -> str:
    return "".join(f", {p.type} {p.name}" for p in variant.parameters)


def _names(variant: Linked) -> str:
    return "".join(f", {p.name}" for p in variant.parameters)


def _declarations(kernel: str, first: Linked) -> list[str]:
    return [
        f"tt_result load_{kernel}(void);",
        f"tt_result unload_{kernel}(void);",
        f"int {kernel}_get_num_algos(void);",
        f"tt_result {kernel}_default(tt_stream stream{_parameters(first)});",
        f"tt_result {kernel}(tt_stream stream{_parameters(first)}, int algo_id);",
    ]


def _for_all(kernel: str, action: str, symbols: list[str]) -> list[str]:
    """A function that loads or unloads every variant and stops at the first error."""
    lines = [f"tt_result {action}_{kernel}(void) {{", "  tt_result status = 0;"]
    lines += [f"  if (status == 0) status = {action}_{symbol}();" for symbol in symbols]
    return [*lines, "  return status;", "}"]


def _dispatcher(kernel: str, index: int, algorithm: str, variants: list[Linked]) -> list[str]:
    lines = [f"/* {algorithm} */"]
    lines.append(f"static tt_result {kernel}_algo_{index}(tt_stream stream{_parameters(variants[0])}) {{")
    for variant in variants:
        lines.append(f"  if ({variant.condition()}) return {variant.symbol}(stream{_names(variant)});")
    return [*lines, "  return TT_NO_VARIANT; /* no variant was compiled for such arguments */", "}"]


def _definitions(kernel: str, algorithms: dict[str, list[Linked]]) -> list[str]:
    every = [variant for variants in algorithms.values() for variant in variants]
    first, symbols = every[0], [variant.symbol for variant in every]
    lines = _for_all(kernel, "load", symbols) + _for_all(kernel, "unload", symbols)
    for index, (algorithm, variants) in enumerate(algorithms.items()):
        lines += _dispatcher(kernel, index, algorithm, variants)
    lines += [f"int {kernel}_get_num_algos(void) {{ return {len(algorithms)}; }}"]
    lines += [f"tt_result {kernel}(tt_stream stream{_parameters(first)}, int algo_id) {{", "  switch (algo_id) {"]
    for index in range(len(algorithms)):
        lines.append(f"  case {index}: return {kernel}_algo_{index}(stream{_names(first)});")
    lines += ["  default: return TT_NO_VARIANT;", "  }", "}"]
    lines.append(f"tt_result {kernel}_default(tt_stream stream{_parameters(first)}) {{")
    return [*lines, f"  return {kernel}(stream{_names(first)}, 0);", "}"]


def link(headers: Sequence[Path], out: Path, prefix: str = "") -> list[Path]:
    """Writes ``out.h`` and ``out.c`` for the variants in `headers`. `prefix` goes before the names of the functions."""
    kernels = group([variant for path in headers for variant in read_header(path)])
    includes = "\n".join(f'#include "{path.name}"' for path in headers)
    declarations, definitions = [], []
    for kernel, algorithms in kernels.items():
        first = next(iter(algorithms.values()))[0]
        declarations += _declarations(prefix + kernel, first)
        definitions += _definitions(prefix + kernel, algorithms)
    header, source = out.with_name(f"{out.name}.h"), out.with_name(f"{out.name}.c")
    header.write_text(_HEADER.format(includes=includes, declarations="\n".join(declarations)), encoding="utf-8")
    source.write_text(f'#include "{header.name}"\n\n' + "\n".join(definitions) + "\n", encoding="utf-8")
    return [header, source]


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
