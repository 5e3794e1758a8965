"""What `triton.jit` makes under `TRITON_INTERPRET=1`."""

from __future__ import annotations

from typing import Any

from ..jit import JITFunction


class InterpretedFunction(JITFunction):
    """A kernel that runs in Python, or a helper of such kernels. Launched like a `JITFunction`.

    Launches return None: there is no compiled kernel. Errors in the kernel raise `InterpreterError`.
    """

    def run(self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> None:
        """Runs the programs of `grid` one after another, x fastest. A warmup has nothing to do."""
        if warmup:
            return
        from .launch import launch

        launch(self, args, kwargs, grid)

    def __getitem__(self, grid: Any) -> Any:
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)

    def __repr__(self) -> str:
        return f"InterpretedFunction({self._fn_name})"
