"""Compiles a kernel ahead of time, into files that a C program can use without Python.

    python -m triton.tools.compile kernels.py -n add \\
        -s "*fp32:16, *fp32:16, *fp32:16, i32, 1024" -g "(n + 1023) / 1024, 1, 1"

The signature has one item per parameter: a type, a type with a hint (``:16`` divisible by 16, ``:1`` always 1), or a
constant. The grid is three C expressions over the arguments. What is written is up to the target's backend; the names
start with ``<output>.<hash>_<hints>``. `triton.tools.link` joins several variants.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..backends import backends
from ..backends.compiler import GPUTarget
from .aot import DIVISIBLE_BY_16, Variant, parse_signature


class AotError(Exception):
    """A request that cannot be compiled ahead of time, with what to change."""


def load_kernel(path: Path, name: str) -> Any:
    """The jit function `name` of the Python file `path`, without its tuners."""
    if not path.is_file():
        raise AotError(f"{path}: no such file")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent.resolve()))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent.resolve()))
    kernel = getattr(module, name, None)
    while kernel is not None and not hasattr(kernel, "params") and hasattr(kernel, "fn"):
        kernel = kernel.fn
    if not hasattr(kernel, "params"):
        found = [key for key, value in vars(module).items() if hasattr(value, "params") and hasattr(value, "src")]
        raise AotError(f"{path}: no kernel {name!r}; it has {found}")
    return kernel


def parse_target(text: str | None) -> GPUTarget:
    """``backend:arch:warp_size``; without it the target of the current device."""
    if text is None:
        from ..runtime.driver import driver

        return driver.active.get_current_target()
    parts = text.split(":")
    if len(parts) != 3 or not parts[2].isdigit():
        raise AotError(f"target {text!r}: expected backend:arch:warp_size")
    arch: int | str = int(parts[1]) if parts[1].isdigit() else parts[1]
    return GPUTarget(parts[0], arch, int(parts[2]))


def compile_variant(kernel: Any, variant: Variant, target: GPUTarget) -> Any:
    """The `CompiledKernel` of a variant; its symbol is that of the variant."""
    from ..compiler import ASTSource
    from ..compiler import compile as compile_source

    signature, constants, attributes = {}, {}, {}
    for index, argument in enumerate(variant.arguments):
        signature[argument.name] = argument.type if argument.is_live else "constexpr"
        if not argument.is_live:
            constants[(index,)] = argument.constant if argument.is_constant else 1
        elif argument.hint == DIVISIBLE_BY_16:
            attributes[(index,)] = [["tt.divisibility", 16]]
    own_name = kernel.repr
    kernel.repr = lambda _: f"{variant.symbol}_kernel"
    try:
        source = ASTSource(kernel, signature, constants, attributes)
        options = {"num_warps": variant.num_warps, "num_stages": variant.num_stages}
        options |= getattr(writer_for(target), "OPTIONS", {})  # what code outside of this process cannot have
        return compile_source(source, target=target, options=options)
    finally:
        kernel.repr = own_name


def writer_for(target: GPUTarget) -> Any:
    """The module of the backend that writes C files: its package's `aot`, with ``write(...)`` and ``c_type(...)``."""
    for backend in backends.for_target(target)[0]:
        try:
            return importlib.import_module(f"{backend.package}.aot")
        except ModuleNotFoundError as error:
            if error.name != f"{backend.package}.aot":
                raise
            raise AotError(f"backend {backend.name!r} cannot compile ahead of time: it has no module aot") from None
    raise AotError(f"no backend of this installation compiles for {target}; it has {list(backends)}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m triton.tools.compile",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("path", type=Path, help="Python file that defines the kernel")
    parser.add_argument("-n", "--kernel-name", required=True, help="name of the kernel in the file")
    parser.add_argument("-s", "--signature", required=True, help="comma-separated types, hints and constants")
    parser.add_argument("-g", "--grid", required=True, help="three comma-separated C expressions")
    parser.add_argument("-t", "--target", help="backend:arch:warp_size; the current device if left out")
    parser.add_argument("-w", "--num-warps", type=int, default=1)
    parser.add_argument("-ns", "--num-stages", type=int, default=3)
    parser.add_argument("-on", "--out-name", help="name of the C function; that of the kernel if left out")
    parser.add_argument(
        "-o", "--out-path", type=Path, help="start of the file names; the C function's name if left out"
    )
    return parser


def compile_kernel(arguments: argparse.Namespace) -> list[Path]:
    """Compiles as the command line says and returns the files that were written. AotError or ValueError."""
    kernel = load_kernel(arguments.path, arguments.kernel_name)
    grid = tuple(size.strip() for size in arguments.grid.split(","))
    if len(grid) != 3 or not all(grid):
        raise AotError(f"grid {arguments.grid!r}: expected three comma-separated expressions")
    name = arguments.out_name or arguments.kernel_name
    items = parse_signature(arguments.signature, kernel.arg_names)
    for param, item in zip(kernel.params, items):
        if param.is_constexpr and not item.is_constant:
            raise AotError(f"parameter {param.name!r} is a tl.constexpr and needs a constant, got {item.type!r}")
    variant = Variant(name, tuple(items), arguments.num_warps, arguments.num_stages, grid)
    target = parse_target(arguments.target)
    writer = writer_for(target)
    compiled = compile_variant(kernel, variant, target)
    out = arguments.out_path or Path(name)
    suffix = variant.symbol[len(name) + 1 :]
    return writer.write(compiled, variant, out.with_name(f"{out.name}.{suffix}"))


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parser().parse_args(argv)
    try:
        written = compile_kernel(arguments)
    except (AotError, ValueError) as error:
        print(f"triton.tools.compile: {error}", file=sys.stderr)
        return 1
    for path in written:
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
