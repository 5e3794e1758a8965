"""What ahead-of-time compiler and linker agree on: signatures, hints, symbols, the line that describes a variant."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

LINE_START = "// tt-linker:"
DIVISIBLE, ONE = "16", "1"
_HINT_LETTERS = {"": "", DIVISIBLE: "d", ONE: "c"}


@dataclass(frozen=True)
class Argument:
    """One runtime argument: ``type`` is canonical (``*fp32``), ``hint`` is "", "16" (divisible) or "1" (equals one)."""

    name: str
    type: str
    hint: str = ""


@dataclass(frozen=True)
class Signature:
    """The runtime arguments in order, and the values of all other parameters."""

    arguments: tuple[Argument, ...]
    constants: dict[str, Any]

    @property
    def passed(self) -> tuple[Argument, ...]:
        """Arguments that the kernel itself takes: what always equals one is compiled in."""
        return tuple(argument for argument in self.arguments if argument.hint != ONE)


@dataclass(frozen=True)
class Variant:
    """One compiled kernel, as the linker sees it."""

    kernel: str
    symbol: str
    arguments: tuple[tuple[str, str, str], ...]  # C type, name, hint
    warps: int
    stages: int
    constants: str

    @property
    def algorithm(self) -> tuple[int, int, str]:
        """Variants that differ in hints only belong to one algorithm."""
        return self.warps, self.stages, self.constants

    def line(self) -> str:
        return f"{LINE_START} {json.dumps(asdict(self))}"

    @staticmethod
    def from_line(line: str) -> Variant:
        """Undo ``line``. Raises ValueError for anything else."""
        try:
            content = json.loads(line.removeprefix(LINE_START))
            content["arguments"] = tuple(tuple(argument) for argument in content["arguments"])
            return Variant(**content)
        except (json.JSONDecodeError, KeyError, TypeError) as error:
            raise ValueError(f"not a line of this compiler: {line.strip()!r} ({error})") from None


def parse_signature(names: Sequence[str], text: str) -> Signature:
    """Read ``"*fp32:16, i32, 1024"`` for parameters ``names``: a type with an optional hint, or a constant's value.

    Raises ValueError naming the item and the parameter.
    """
    items = [item.strip() for item in text.split(",")]
    if len(items) != len(names):
        raise ValueError(
            f"the signature {text!r} has {len(items)} items, the kernel {len(names)} parameters: {', '.join(names)}"
        )
    arguments, constants = [], {}
    for name, item in zip(names, items, strict=True):
        value = _constant(item)
        if value is not None:
            constants[name] = value
            continue
        type_, _, hint = (part.strip() for part in item.partition(":"))
        if hint not in _HINT_LETTERS:
            raise ValueError(f"parameter {name}: hint {hint!r} in {item!r} is neither {DIVISIBLE} nor {ONE}")
        if hint == ONE and type_.startswith("*"):
            raise ValueError(f"parameter {name}: {item!r} says that a pointer equals one")
        arguments.append(Argument(name, type_, hint))
    return Signature(tuple(arguments), constants)


def symbol_of(kernel: str, signature: Signature, warps: int, stages: int) -> str:
    """``NAME_<8 hex digits>_<hints>``; hints are the argument's position with d (divisible) or c (one)."""
    text = f"{signature.arguments}{sorted(signature.constants.items())}{warps}{stages}"
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    hints = "".join(f"{index}{_HINT_LETTERS[argument.hint]}" for index, argument in enumerate(signature.arguments))
    return f"{kernel}_{digest}_{hints}"


def _constant(item: str) -> int | float | bool | None:
    if item in ("True", "False"):
        return item == "True"
    for kind in (int, float):
        try:
            return kind(item)
        except ValueError:
            continue
    return None
