"""`Config`: one choice of constants and options of a kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_OPTIONS = ("num_warps", "num_ctas", "num_stages", "maxnreg", "ir_override")


class Config:
    """Values for some parameters of a kernel (`kwargs`) and options of the compile.

    `pre_hook(args)` runs before a launch with this configuration; `args` are all arguments by name.
    """

    def __init__(
        self,
        kwargs: dict[str, Any],
        num_warps: int = 4,
        num_stages: int = 3,
        num_ctas: int = 1,
        maxnreg: int | None = None,
        pre_hook: Callable | None = None,
        ir_override: str | None = None,
    ):
        self.kwargs = kwargs
        self.num_warps = num_warps
        self.num_ctas = num_ctas
        self.num_stages = num_stages
        self.maxnreg = maxnreg
        self.pre_hook = pre_hook
        self.ir_override = ir_override

    def __setstate__(self, state: dict[str, Any]) -> None:
        defaults = {"num_warps": 4, "num_stages": 3, "num_ctas": 1}
        for name in ("kwargs", *_OPTIONS, "pre_hook"):
            setattr(self, name, state.get(name, {} if name == "kwargs" else defaults.get(name)))
        self.__dict__.update(state)

    def all_kwargs(self) -> dict[str, Any]:
        """Launch keywords of this configuration; options that are None are left out."""
        options = {name: getattr(self, name) for name in _OPTIONS}
        return {**self.kwargs, **{name: value for name, value in options.items() if value is not None}}

    def _identity(self) -> tuple:
        return (*self.all_kwargs().items(), self.pre_hook)

    def __str__(self) -> str:
        items = [f"{k}: {v}" for k, v in self.kwargs.items()]
        items += [f"{name}: {getattr(self, name)}" for name in ("num_warps", "num_ctas", "num_stages", "maxnreg")]
        return ", ".join(items)

    def __hash__(self) -> int:
        return hash(self._identity())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Config) and self._identity() == other._identity()
