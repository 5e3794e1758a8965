"""Writes a module of the language for the functions of a library in LLVM bitcode.

``python -m triton.tools.build_extern --lib-path math.bc --lib-name math --output DIR [--llvm-dis PATH]`` writes
``DIR/math.py``. Each function there takes the types of all symbols that are one function: ``sin`` calls ``sinf`` for
float32 and ``sin`` for float64, ``min`` any of ``min``, ``umin``, ``llmin``, ``ullmin``, ``fminf`` and ``fmin``.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_TYPES = {"i32": "int32", "u32": "uint32", "i64": "int64", "u64": "uint64", "float": "fp32", "double": "fp64"}
_DEFINITION = re.compile(
    r"^define\b(?P<attributes>[^@(]*?)(?P<type>[\w.*]+) @(?P<name>[\w.$]+)\((?P<arguments>[^)]*)\)"
)
_HIDDEN = frozenset(("internal", "private"))
# Of names like "ullmin": what is left without the prefix has to be a function, too.
_PREFIXES = {"ull": True, "ll": False, "u": True, "f": False}


def convert_type(type_str: str) -> str | None:
    """The name of the language for a type of LLVM's (or "u32", "u64"); None for those that it has no functions of."""
    return _TYPES.get(type_str)


def to_unsigned(type_str: str) -> str:
    """``i32`` and ``i64`` without sign; other types as they are."""
    return {"i32": "u32", "i64": "u64"}.get(type_str, type_str)


@dataclass
class Symbol:
    """A function `name` of the library, which is `op_name` for its types; these are names of the language."""

    name: str
    op_name: str
    ret_type: str
    arg_names: list[str]
    arg_types: list[str]


class LLVMDisassembler:
    """`llvm-dis` at `path`; `disasm` makes a text of bitcode, whose place is `ll_file`."""

    def __init__(self, path: str):
        self.path = path
        self.ll_file = os.path.join(tempfile.gettempdir(), f"extern_lib.{os.getpid()}.ll")

    def disasm(self, lib_path: str) -> None:
        """ValueError, with what the tool says, if it does not read the file; FileNotFoundError without the tool."""
        if shutil.which(self.path) is None:
            raise FileNotFoundError(f"{self.path} is not there: name LLVM's disassembler with --llvm-dis")
        done = subprocess.run([self.path, lib_path, "-o", self.ll_file], capture_output=True, text=True)
        if done.returncode:
            raise ValueError(f"{self.path} does not read {lib_path}: {done.stderr.strip()}")


class ExternLibrary(ABC):
    """The functions of a library `name` at `path`: `symbols` by name, after `parse_symbols`."""

    def __init__(self, name: str, path: str, format: bool = True, grouping: bool = True):
        self.name = name
        self.path = path
        self.format = format  # for callers of other versions; the text is formatted in any case
        self.grouping = grouping
        self.symbols: dict[str, Symbol] = {}

    @abstractmethod
    def parse_symbols(self, input_file: str) -> None:
        """Reads the functions from the text of the library."""

    def _functions(self) -> dict[str, list[Symbol]]:
        functions: dict[str, list[Symbol]] = {}
        for symbol in self.symbols.values():
            functions.setdefault(symbol.op_name if self.grouping else symbol.name, []).append(symbol)
        return functions

    def generate_stub_file(self, output_dir: str) -> None:
        """Writes ``<name>.py`` into `output_dir`."""
        parts = [
            f'"""Functions of {self.name}. Made by triton.tools.build_extern."""\n\nfrom triton.language import core\n'
        ]
        parts += [_function_text(name, self.name, self.path, group) for name, group in self._functions().items()]
        os.makedirs(output_dir, exist_ok=True)
        with open(os.path.join(output_dir, f"{self.name}.py"), "w", encoding="utf-8") as file:
            file.write("\n\n".join(parts))


def _dtype(name: str) -> str:
    return f'core.dtype("{name}")'


def _table_row(symbol: Symbol) -> str:
    types = "".join(f"{_dtype(t)}, " for t in symbol.arg_types)
    return f'({types.rstrip()}): ("{symbol.name}", {_dtype(symbol.ret_type)})'


def _function_text(name: str, library: str, path: str, symbols: list[Symbol]) -> str:
    count = max(len(symbol.arg_types) for symbol in symbols)
    arguments = [f"arg{i}" for i in range(count)]
    rows = "".join(f"            {_table_row(s)},\n" for s in symbols if len(s.arg_types) == count)
    return (
        f"@core.extern\ndef {name}({', '.join([*arguments, '_semantic=None'])}):\n"
        f"    return core.extern_elementwise(\n        {library!r},\n        {path!r},\n"
        f"        [{', '.join(arguments)}],\n        {{\n{rows}        }},\n"
        "        is_pure=True,\n        _semantic=_semantic,\n    )\n"
    )


class Libdevice(ExternLibrary):
    """Math of C in bitcode: names as in C, after an optional ``__nv_``."""

    def __init__(self, path: str):
        super().__init__("libdevice", path)

    def parse_symbols(self, input_file: str) -> None:
        with open(input_file, encoding="utf-8", errors="replace") as file:
            found = dict(_definitions(file))
        plain = {name: name.removeprefix("__nv_") for name in found}
        known = set(plain.values())
        for name, (result, arguments) in found.items():
            op_name, unsigned = _operation(plain[name], result, known)
            types = [to_unsigned(t) if unsigned else t for t in (result, *arguments)]
            names = [convert_type(t) for t in types]
            if None not in names:
                self.symbols[name] = Symbol(
                    name, op_name, names[0], [f"arg{i}" for i in range(len(arguments))], names[1:]
                )


def _definitions(lines: Iterable[str]) -> Iterable[tuple[str, tuple[str, list[str]]]]:
    """Name, type of the result and types of the arguments of each function that others see."""
    for line in lines:
        match = _DEFINITION.match(line)
        if match is None or _HIDDEN & set(match["attributes"].split()):
            continue
        arguments = [part.split()[0] for part in match["arguments"].split(",") if part.strip()]
        yield match["name"], (match["type"], arguments)


def _operation(name: str, result: str, known: set[str]) -> tuple[str, bool]:
    """What `name` is called for all types, and whether its integers have no sign."""
    if name.endswith("f") and result == "float" and name[:-1] in known:
        name = name[:-1]  # sinf
    if name.endswith("ll") and name[:-2] in known:
        return name[:-2], False  # clzll
    for prefix, unsigned in _PREFIXES.items():
        if name.startswith(prefix) and name.removeprefix(prefix) in known:
            return name.removeprefix(prefix), unsigned
    return name, False


_LIBRARIES: Mapping[str, type[ExternLibrary]] = {"libdevice": Libdevice}


def build(llvm_dis_path: str, lib_path: str, lib_name: str, output_dir: str) -> None:
    """Writes ``<lib_name>.py`` for the library at `lib_path`: bitcode, or its text in a file that ends in ``.ll``."""
    library = _LIBRARIES.get(lib_name, Libdevice)(lib_path)
    library.name = lib_name
    if lib_path.endswith(".ll"):
        library.parse_symbols(lib_path)
    else:
        disassembler = LLVMDisassembler(llvm_dis_path)
        try:
            disassembler.disasm(lib_path)
            library.parse_symbols(disassembler.ll_file)
        finally:
            if os.path.exists(disassembler.ll_file):
                os.remove(disassembler.ll_file)
    if not library.symbols:
        raise ValueError(f"{lib_path} defines no function of 32-bit or 64-bit numbers")
    library.generate_stub_file(output_dir)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="triton.tools.build_extern", description=__doc__.partition("\n")[0])
    parser.add_argument("--llvm-dis", dest="llvm_dis_path", default="llvm-dis", help="LLVM's disassembler")
    parser.add_argument("--lib-path", required=True, help="the library: bitcode, or its text (.ll)")
    parser.add_argument("--lib-name", required=True, help="name of the module and of the library")
    parser.add_argument("--output", dest="output_dir", default=".", help="folder that the module is written to")
    given = parser.parse_args(arguments)
    try:
        build(given.llvm_dis_path, given.lib_path, given.lib_name, given.output_dir)
    except (OSError, ValueError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
