"""Join kernels that ``triton.tools.compile`` made for MUSA: one C function that picks the right variant.

    python -m triton.tools.link add.*.h -o add

writes ``add.h`` and ``add.c``. For a kernel ``add`` they hold ``add(stream, arguments…, algorithm)``, ``add_default``,
``load_add``, ``unload_add`` and ``add_get_num_algos``. An *algorithm* is one choice of warps, stages and constants;
within one, the variant with the most hints that hold for the arguments at hand is started.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from triton.tools.aot_signature import DIVISIBLE, LINE_START, ONE, Variant


class LinkerError(Exception):
    """Headers that cannot be joined; the message names the header or the kernel."""


def read_variants(headers: Iterable[Path]) -> dict[str, list[Variant]]:
    """Variants by kernel name, in the order of the headers. Raises LinkerError."""
    kernels: dict[str, list[Variant]] = {}
    for header in headers:
        lines = [line for line in _text(header).splitlines() if line.startswith(LINE_START)]
        if not lines:
            raise LinkerError(
                f"{header} was not written by triton.tools.compile: it has no line that starts with {LINE_START}"
            )
        for line in lines:
            try:
                variant = Variant.from_line(line)
            except ValueError as error:
                raise LinkerError(f"{header}: {error}") from None
            kernels.setdefault(variant.kernel, []).append(variant)
    for variants in kernels.values():
        _check(variants)
    return kernels


def render_header(kernels: dict[str, list[Variant]], guard: str) -> str:
    """Text of the joint header."""
    lines = [f"#ifndef {guard}", f"#define {guard}", "", "#include <musa.h>", "#include <stdint.h>", ""]
    lines += ["#ifdef __cplusplus", 'extern "C" {', "#endif"]
    for name, variants in kernels.items():
        parameters = _parameters(variants[0])
        lines += [
            f"MUresult load_{name}(void);",
            f"MUresult unload_{name}(void);",
            f"/* Number of algorithms of {name}; they are numbered from 0. */",
            f"int {name}_get_num_algos(void);",
            f"MUresult {name}_default(MUstream stream{parameters});",
            f"MUresult {name}(MUstream stream{parameters}, int algo_id);",
        ]
    lines += ["#ifdef __cplusplus", "}", "#endif", "", "#endif", ""]
    return "\n".join(lines)


def render_source(kernels: dict[str, list[Variant]], headers: Iterable[str]) -> str:
    """Text of the joint C file; ``headers`` are included first."""
    parts = ["\n".join(f'#include "{header}"' for header in headers)]
    for name, variants in kernels.items():
        parts.append(_kernel_source(name, variants))
    return "\n\n".join(parts) + "\n"


def _kernel_source(name: str, variants: Sequence[Variant]) -> str:
    algorithms: dict[tuple[int, int, str], list[Variant]] = {}
    for variant in variants:
        algorithms.setdefault(variant.algorithm, []).append(variant)
    parameters = _parameters(variants[0])
    names = "".join(f", {argument}" for _, argument, _ in variants[0].arguments)
    functions = [_algorithm(f"{name}_algo{index}", group) for index, group in enumerate(algorithms.values())]
    cases = "\n".join(
        f"  case {index}:\n    return {name}_algo{index}(stream{names});" for index in range(len(algorithms))
    )
    return "\n\n".join(
        [
            *functions,
            f"MUresult {name}(MUstream stream{parameters}, int algo_id) {{\n  switch (algo_id) {{\n{cases}\n"
            f"  default:\n    return MUSA_ERROR_INVALID_VALUE;\n  }}\n}}",
            f"MUresult {name}_default(MUstream stream{parameters}) {{\n  return {name}(stream{names}, 0);\n}}",
            f"int {name}_get_num_algos(void) {{ return {len(algorithms)}; }}",
            _all_of("load", name, variants),
            _all_of("unload", name, variants),
        ]
    )


def _algorithm(name: str, variants: Sequence[Variant]) -> str:
    """A C function that starts the first variant whose hints hold; those with more hints are asked first."""
    ordered = sorted(variants, key=lambda variant: -sum(hint != "" for _, _, hint in variant.arguments))
    lines = [f"static MUresult {name}(MUstream stream{_parameters(variants[0])}) {{"]
    for variant in ordered:
        passed = "".join(f", {argument}" for _, argument, hint in variant.arguments if hint != ONE)
        conditions = [_condition(kind, argument, hint) for kind, argument, hint in variant.arguments if hint]
        lines.append(f"  if ({' && '.join(conditions) or '1'})")
        lines.append(f"    return {variant.symbol}(stream{passed});")
    return "\n".join([*lines, "  return MUSA_ERROR_INVALID_VALUE;", "}"])


def _condition(kind: str, name: str, hint: str) -> str:
    return f"({name} == 1)" if hint == ONE else f"({name} % {DIVISIBLE} == 0)"


def _all_of(action: str, name: str, variants: Sequence[Variant]) -> str:
    lines = [f"MUresult {action}_{name}(void) {{", "  MUresult status = MUSA_SUCCESS;"]
    lines += [f"  if (status == MUSA_SUCCESS)\n    status = {action}_{variant.symbol}();" for variant in variants]
    return "\n".join([*lines, "  return status;", "}"])


def _parameters(variant: Variant) -> str:
    return "".join(f", {kind} {name}" for kind, name, _ in variant.arguments)


def _check(variants: Sequence[Variant]) -> None:
    first = variants[0]
    wanted = [argument[:2] for argument in first.arguments]
    symbols = set()
    for variant in variants:
        if [argument[:2] for argument in variant.arguments] != wanted:
            raise LinkerError(
                f"kernel {first.kernel!r}: {variant.symbol} takes ({_parameters(variant)[2:]}), "
                f"but {first.symbol} takes ({_parameters(first)[2:]})"
            )
        if variant.symbol in symbols:
            raise LinkerError(f"kernel {first.kernel!r}: {variant.symbol} is given twice")
        symbols.add(variant.symbol)


def _text(header: Path) -> str:
    try:
        return header.read_text(encoding="utf-8")
    except OSError as error:
        raise LinkerError(f"{header} cannot be read: {error.strerror}") from None


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="triton.tools.link", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("headers", nargs="+", type=Path, help="headers that triton.tools.compile wrote")
    parser.add_argument("-o", "--out", required=True, type=Path, help="path of the result without suffix")
    parser.add_argument("--prefix", default="", help="text before the names of the joint functions")
    options = parser.parse_args(argv)
    try:
        kernels = {options.prefix + name: variants for name, variants in read_variants(options.headers).items()}
    except LinkerError as error:
        parser.error(str(error))
    header = options.out.with_name(options.out.name + ".h")
    header.write_text(render_header(kernels, f"{options.out.name.upper()}_H"), encoding="utf-8")
    included = [header.name, *(file.name for file in options.headers)]
    options.out.with_name(options.out.name + ".c").write_text(render_source(kernels, included), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
