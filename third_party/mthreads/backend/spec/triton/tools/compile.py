"""Compile a kernel ahead of time into C code that starts it through the MUSA driver library.

    python -m triton.tools.compile kernel.py -n add -s "*fp32:16, *fp32:16, i32, 1024" -g "n / 1024, 1, 1" -t musa:31:32

writes ``NAME.SUFFIX.h`` and ``NAME.SUFFIX.c`` with ``load_…``, ``unload_…`` and a launch function.
``triton.tools.link`` joins several of them under one name. The C code needs only <musa.h>; it neither needs Python nor
a compiler at run time.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from triton.backends.mthreads.driver import c_type
from triton.tools.aot_signature import ONE, Signature, Variant, parse_signature, symbol_of

_HEADER = """\
#ifndef {guard}
#define {guard}

#include <musa.h>
#include <stdint.h>

{line}
#ifdef __cplusplus
extern "C" {{
#endif
/* Each returns MUSA_SUCCESS or the error of the driver call that failed. */
MUresult load_{symbol}(void);
MUresult unload_{symbol}(void);
MUresult {symbol}(MUstream stream{parameters});
#ifdef __cplusplus
}}
#endif

#endif
"""

_SOURCE = """\
/* Kernel {kernel}, compiled ahead of time for mp_{arch}: {warps} warps, {stages} stages{constants}. */
#include "{header}"

static const unsigned char binary[] = {{
{bytes}
}};
static MUmodule module;
static MUfunction function;

MUresult load_{symbol}(void) {{
  if (function)
    return MUSA_SUCCESS;
  MUresult status = muModuleLoadData(&module, binary);
  if (status == MUSA_SUCCESS)
    status = muModuleGetFunction(&function, module, "{entry}");
  if (status == MUSA_SUCCESS && {shared} > 49152)
    status = muFuncSetAttribute(function, MU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, {shared});
  return status;
}}

MUresult unload_{symbol}(void) {{
  if (!function)
    return MUSA_SUCCESS;
  function = 0;
  return muModuleUnload(module);
}}

MUresult {symbol}(MUstream stream{parameters}) {{
  MUresult status = load_{symbol}();
  if (status != MUSA_SUCCESS)
    return status;
  unsigned int grid[3] = {{{grid}}};
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
    return MUSA_SUCCESS;
  void *arguments[] = {{{addresses}}};
  return muLaunchKernel(function, grid[0], grid[1], grid[2], {threads}, 1, 1, {shared}, stream, arguments, 0);
}}
"""


@dataclass(frozen=True)
class CompiledVariant:
    """Everything that the C code of one variant depends on. ``grid`` holds three C expressions over the arguments."""

    kernel: str
    signature: Signature
    grid: tuple[str, str, str]
    arch: int | str
    warps: int
    stages: int
    warp_size: int
    shared: int
    entry: str
    binary: bytes

    @property
    def symbol(self) -> str:
        return symbol_of(self.kernel, self.signature, self.warps, self.stages)

    def render(self, header_name: str) -> tuple[str, str]:
        """Text of the header and of the C file."""
        typed = [(c_type(argument.type), argument) for argument in self.signature.arguments]
        constants = ", ".join(f"{name}={value}" for name, value in self.signature.constants.items())
        variant = Variant(
            self.kernel,
            self.symbol,
            tuple((kind, argument.name, argument.hint) for kind, argument in typed),
            self.warps,
            self.stages,
            constants,
        )
        # An argument that always equals one is part of the interface, but not of the compiled kernel.
        parameters = "".join(f", {kind} {argument.name}" for kind, argument in typed if argument.hint != ONE)
        common = {"symbol": self.symbol, "parameters": parameters}
        header = _HEADER.format(guard=f"{self.symbol.upper()}_H", line=variant.line(), **common)
        source = _SOURCE.format(
            kernel=self.kernel,
            arch=self.arch,
            warps=self.warps,
            stages=self.stages,
            constants=f", {constants}" if constants else "",
            header=header_name,
            bytes=_byte_rows(self.binary),
            entry=self.entry,
            shared=self.shared,
            threads=self.warps * self.warp_size,
            grid=", ".join(f"(unsigned int)({size})" for size in self.grid),
            addresses=", ".join(f"(void *)&{argument.name}" for argument in self.signature.passed) or "0",
            **common,
        )
        return header, source


def compile_kernel(
    path: Path, kernel: str, signature: str, grid: str, target: str, warps: int, stages: int
) -> CompiledVariant:
    """Compile ``kernel`` of the Python file ``path``. Raises ValueError for wrong arguments."""
    import triton
    from triton.backends.compiler import GPUTarget

    function = _load_kernel(path, kernel)
    parsed = parse_signature(function.arg_names, signature)
    sizes = tuple(size.strip() for size in grid.split(","))
    if len(sizes) != 3 or not all(sizes):
        raise ValueError(f"the grid {grid!r} must be three expressions separated by commas")
    name, _, rest = target.partition(":")
    arch, _, threads = rest.partition(":")
    if not (name and arch.isdecimal() and threads.isdecimal()):
        raise ValueError(f"the target {target!r} is not backend:architecture:warp size, for example musa:31:32")
    types = {argument.name: "constexpr" if argument.hint == ONE else argument.type for argument in parsed.arguments}
    constants = {**parsed.constants, **{a.name: 1 for a in parsed.arguments if a.hint == ONE}}
    attributes = {
        (function.arg_names.index(argument.name),): [["tt.divisibility", 16]]
        for argument in parsed.arguments
        if argument.hint == "16"
    }
    source = triton.compiler.ASTSource(function, types, constants, attributes)
    options = {"num_warps": warps, "num_stages": stages}
    compiled = triton.compile(source, target=GPUTarget(name, int(arch), int(threads)), options=options)
    return CompiledVariant(
        kernel=kernel,
        signature=parsed,
        grid=(sizes[0], sizes[1], sizes[2]),
        arch=int(arch),
        warps=warps,
        stages=stages,
        warp_size=int(threads),
        shared=compiled.metadata.shared,
        entry=compiled.metadata.name,
        binary=compiled.kernel,
    )


def write(variant: CompiledVariant, out: Path) -> tuple[Path, Path]:
    """Write ``<out>.<suffix>.h`` and ``.c``; the suffix is that of the symbol, so that variants do not collide."""
    suffix = variant.symbol.removeprefix(variant.kernel + "_")
    header, source = (out.with_name(f"{out.name}.{suffix}.{ending}") for ending in ("h", "c"))
    texts = variant.render(header.name)
    header.write_text(texts[0], encoding="utf-8")
    source.write_text(texts[1], encoding="utf-8")
    return header, source


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="triton.tools.compile", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("path", type=Path, help="Python file that holds the kernel")
    parser.add_argument("-n", "--kernel-name", required=True)
    parser.add_argument("-s", "--signature", required=True, help="types and constants of all parameters, in order")
    parser.add_argument("-g", "--grid", required=True, help="three C expressions over the arguments")
    parser.add_argument("-t", "--target", required=True, help="backend:architecture:warp size")
    parser.add_argument("-w", "--num-warps", type=int, default=4)
    parser.add_argument("-ns", "--num-stages", type=int, default=1)
    parser.add_argument("-on", "--out-name", help="name of the kernel in C; default: its Python name")
    parser.add_argument("-o", "--out-path", type=Path, help="path and first part of the files' names")
    options = parser.parse_args(argv)
    try:
        variant = compile_kernel(
            options.path,
            options.kernel_name,
            options.signature,
            options.grid,
            options.target,
            options.num_warps,
            options.num_stages,
        )
    except ValueError as error:
        parser.error(str(error))
    if options.out_name:
        variant = CompiledVariant(**{**vars(variant), "kernel": options.out_name})
    for file in write(variant, options.out_path or Path(variant.kernel)):
        print(file)
    return 0


def _load_kernel(path: Path, name: str) -> Any:
    from triton.runtime.jit import JITFunction

    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ValueError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # the kernel's helpers are looked up in its module
    spec.loader.exec_module(module)
    kernel = getattr(module, name, None)
    while kernel is not None and not isinstance(kernel, JITFunction) and hasattr(kernel, "fn"):
        kernel = kernel.fn  # below autotune and heuristics
    if not isinstance(kernel, JITFunction):
        known = [key for key, value in vars(module).items() if isinstance(value, JITFunction)]
        raise ValueError(f"{path} has no kernel {name!r}; its kernels are: {', '.join(known) or 'none'}")
    return kernel


def _byte_rows(data: bytes, per_row: int = 16) -> str:
    rows = (data[start : start + per_row] for start in range(0, len(data), per_row))
    return ",\n".join("  " + ", ".join(f"0x{byte:02x}" for byte in row) for row in rows)


if __name__ == "__main__":
    sys.exit(main())
