"""What ahead-of-time tools share: signatures as users write them, and names of variants."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

DIVISIBLE_BY_16, EQUAL_TO_1 = 16, 1


@dataclass(frozen=True)
class Argument:
    """One item of a signature: a type with an optional hint, or a compile-time constant."""

    name: str
    type: str = ""
    hint: int = 0
    constant: Any = None

    @property
    def is_constant(self) -> bool:
        return not self.type

    @property
    def is_passed(self) -> bool:
        """True if the caller passes it: constants are left out."""
        return not self.is_constant

    @property
    def is_live(self) -> bool:
        """True if the kernel reads it: an argument that is always 1 is compiled in."""
        return self.is_passed and self.hint != EQUAL_TO_1


def parse_argument(name: str, text: str) -> Argument:
    """``*fp32:16``, ``i32:1``, ``i64`` or a Python literal. ValueError names the item."""
    text = text.strip()
    try:
        return Argument(name, constant=ast.literal_eval(text))
    except (ValueError, SyntaxError):
        pass
    type_name, _, hint = text.partition(":")
    if hint not in ("", "1", "16"):
        raise ValueError(
            f"argument {name!r}: hint {hint!r} of {text!r} is neither 16 (divisible by it) nor 1 (equal to it)"
        )
    if not type_name.replace("*", "").replace("_", "").isalnum():
        raise ValueError(f"argument {name!r}: {text!r} is neither a type, such as *fp32:16, nor a constant")
    return Argument(name, type_name, int(hint or 0))


def parse_signature(text: str, names: list[str]) -> list[Argument]:
    """One `Argument` per parameter. ValueError if their numbers differ."""
    items = [item for item in text.split(",") if item.strip()]
    if len(items) != len(names):
        raise ValueError(f"the signature has {len(items)} items, but the kernel has {len(names)} parameters: {names}")
    return [parse_argument(name, item) for name, item in zip(names, items)]


@dataclass(frozen=True)
class Variant:
    """A kernel for one signature and set of options."""

    name: str
    arguments: tuple[Argument, ...]
    num_warps: int
    num_stages: int
    grid: tuple[str, str, str]

    @property
    def suffix(self) -> str:
        """Positions of the arguments with their hints: ``0d1d2`` (d: divisible by 16, c: equal to 1)."""
        letters = {0: "", DIVISIBLE_BY_16: "d", EQUAL_TO_1: "c"}
        return "".join(f"{i}{letters[a.hint]}" for i, a in enumerate(self.arguments) if a.is_passed)

    @property
    def symbol(self) -> str:
        """``NAME_<8 hex digits>_<suffix>``; the digits stand for types, constants and options."""
        parts = [f"{a.type or repr(a.constant)}" for a in self.arguments]
        text = ",".join(parts) + f";{self.num_warps};{self.num_stages};{self.grid}"
        return f"{self.name}_{hashlib.sha256(text.encode()).hexdigest()[:8]}_{self.suffix}"

    @property
    def algorithm(self) -> str:
        """Names the choices that differ between variants of the same function: constants and options."""
        constants = [f"{a.name}={a.constant}" for a in self.arguments if a.is_constant]
        return ",".join([*constants, f"warps={self.num_warps}", f"stages={self.num_stages}"])

    def passed(self) -> list[Argument]:
        return [a for a in self.arguments if a.is_passed]

    def c_parameters(self, c_type: Callable[[str], str]) -> str:
        """``, float *x, int32_t n``: what follows the stream in C declarations."""
        return "".join(f", {c_type(a.type)} {a.name}" for a in self.passed())


LINK_PREFIX = "// tt-linker: "


def link_line(variant: Variant, c_type: Callable[[str], str]) -> str:
    """The line of a header that `triton.tools.link` reads."""
    parameters = ";".join(f"{c_type(a.type)}:{a.hint}:{a.name}" for a in variant.passed())
    return f"{LINK_PREFIX}{variant.symbol}|{variant.name}|{parameters}|{variant.algorithm}"
