"""Runs operators of fla-core (flash linear attention) on CPU tensors, forward and backward, against its own formulas.

python python/test/clients/run_fla.py [NAME ...]
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from report import difference, report

TOKENS, HEADS, SIZE = 100, 2, 32
#: Operator, formula, and what makes their arguments. Both get the same ones, but for the formulas of `HEADS_FIRST`.
CASES: dict[str, tuple[str, str, Callable[[], dict[str, torch.Tensor]]]] = {}

#: Their tensors are (batch, heads, tokens, ...).
HEADS_FIRST = ("retention.naive:naive_retention", "delta_rule.naive:delta_rule_recurrence")


def _normal(*shape: int) -> torch.Tensor:
    return torch.randn(1, TOKENS, HEADS, *shape)


def _attention() -> dict[str, torch.Tensor]:
    return {"q": _normal(SIZE), "k": _normal(SIZE), "v": _normal(SIZE)}


def _unit_keys() -> dict[str, torch.Tensor]:
    return {name: F.normalize(t, dim=-1) if name != "v" else t for name, t in _attention().items()}


def _beta() -> torch.Tensor:
    return _normal().sigmoid()


def _decay(*shape: int) -> torch.Tensor:
    return F.logsigmoid(_normal(*shape) + 2)


def _scan() -> dict[str, torch.Tensor]:
    return {"x": torch.randn(1, TOKENS, 64), "g": F.logsigmoid(torch.randn(1, TOKENS, 64))}


CASES["chunk_retention"] = "retention.chunk:chunk_retention", "retention.naive:naive_retention", _attention
CASES["fused_recurrent_delta_rule"] = (
    "delta_rule.fused_recurrent:fused_recurrent_delta_rule",
    "delta_rule.naive:delta_rule_recurrence",
    lambda: {**_unit_keys(), "beta": _beta()},
)
CASES["chunk_simple_gla"] = (
    "simple_gla.chunk:chunk_simple_gla",
    "simple_gla.naive:naive_recurrent_simple_gla",
    lambda: {**_attention(), "g": _decay()},
)
CASES["fused_recurrent_hgrn"] = "hgrn.fused_recurrent:fused_recurrent_hgrn", "hgrn.naive:naive_recurrent_hgrn", _scan
CASES["parallel_forgetting_attn"] = (
    "forgetting_attn.parallel:parallel_forgetting_attn",
    "forgetting_attn.naive:naive_forgetting_attn",
    lambda: {**_attention(), "g": _decay()},
)


def _found(place: str) -> Callable:
    module, name = place.split(":")
    function = getattr(importlib.import_module(f"fla.ops.{module}"), name)
    if place not in HEADS_FIRST:
        return function

    def tokens_first(**arguments: torch.Tensor) -> torch.Tensor:
        result = function(**{name: t.transpose(1, 2) for name, t in arguments.items()})
        return (result[0] if isinstance(result, tuple) else result).transpose(1, 2)

    return tokens_first


def _results(function: Callable, arguments: dict[str, torch.Tensor]) -> list[Any]:
    """The result and the gradients of all arguments."""
    copies = {name: t.clone().requires_grad_() for name, t in arguments.items()}
    result = function(**copies)
    result = result[0] if isinstance(result, tuple) else result
    weights = torch.linspace(0.5, 1.5, result.numel()).view_as(result)
    return [result.detach(), *torch.autograd.grad((result.float() * weights).sum(), list(copies.values()))]


def check(name: str) -> str:
    """What is wrong with the operator; empty if nothing is."""
    torch.manual_seed(0)
    operator, formula, make = CASES[name]
    arguments = make()
    return difference(_results(_found(operator), arguments), _results(_found(formula), arguments), 1e-2)


def main(names: list[str]) -> int:
    warnings.simplefilter("ignore")
    return report(names or CASES, check, "operators of fla agree with their formulas")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
