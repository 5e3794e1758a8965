"""When a result counts as that of the CPU.

The tolerances are those of `torch.testing.assert_close` for the type of each result. TorchInductor computes the steps
of a kernel in float32 where eager operators round to bfloat16 or float16 after each one, and adds in another order. So
an element agrees if it is close to the eager one, or to the eager result of the same inputs in the next wider type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch


@dataclass(frozen=True)
class Difference:
    """What distinguishes a result from the CPU's. `error`: how often the error of the CPU's result its error is."""

    reason: str
    error: float | None = None


def difference(
    results: list[Any], expected: list[Any], exact: list[Any] | None, values: bool = True
) -> Difference | None:
    """The first difference of `results` from `expected`. `exact` is `expected` computed in wider types.

    Only shapes and types count unless `values` is set.
    """
    if len(results) != len(expected):
        return Difference(f"{len(results)} results instead of {len(expected)}")
    if exact is None or len(exact) != len(expected):
        exact = expected
    for i, (ours, theirs, best) in enumerate(zip(results, expected, exact, strict=True)):
        both = isinstance(ours, torch.Tensor) and isinstance(theirs, torch.Tensor)
        if both and not values:
            ours, theirs, best = torch.zeros_like(ours), torch.zeros_like(theirs), torch.zeros_like(theirs)
        if found := _of_tensors(ours, theirs, best) if both else _of_others(ours, theirs):
            return Difference(f"result {i}: {found.reason}", found.error)
    return None


def _of_others(ours: Any, theirs: Any) -> Difference | None:
    agree = type(ours) is type(theirs) and ours == theirs
    if isinstance(ours, float | complex) and type(ours) is type(theirs):
        agree = bool(_close(torch.tensor(ours), torch.tensor(theirs)))
    return None if agree else Difference(f"{ours!r} instead of {theirs!r}")


def _of_tensors(ours: torch.Tensor, theirs: torch.Tensor, best: Any) -> Difference | None:
    try:
        torch.testing.assert_close(ours, theirs, equal_nan=True)
        return None
    except AssertionError as error:
        reason = " ".join(str(error).split())[:200]
    alike = ours.shape == theirs.shape and ours.dtype == theirs.dtype and ours.layout == theirs.layout
    if not alike or ours.layout != torch.strided or not isinstance(best, torch.Tensor) or best.shape != ours.shape:
        return Difference(reason)
    if bool((_close(ours, theirs) | _close(ours, best)).all()):
        return None
    return Difference(reason, _largest(ours, best) / max(_largest(theirs, best), 1e-300))


def _close(ours: torch.Tensor, theirs: torch.Tensor) -> torch.Tensor:
    rtol, atol = torch.testing._comparison.default_tolerances(ours.dtype)
    return torch.isclose(ours.to(theirs.dtype), theirs, rtol=rtol, atol=atol, equal_nan=True)


def _largest(result: torch.Tensor, best: torch.Tensor) -> float:
    """The largest error of a finite element; infinity if an element is finite in one of them only."""
    ours, exact = result.to(torch.complex128), best.to(torch.complex128)
    finite = ours.isfinite() & exact.isfinite()
    if not bool((finite | (ours == exact) | (ours.isnan() & exact.isnan())).all()):
        return float("inf")
    return float((ours - exact)[finite].abs().max()) if finite.any() else 0.0
