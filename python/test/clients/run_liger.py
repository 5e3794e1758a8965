"""Runs operators of liger-kernel on CPU tensors, forward and backward, and compares them with their formulas in torch.

python python/test/clients/run_liger.py [NAME ...]
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from report import report

Case = Callable[[], tuple[Callable, Callable, list[torch.Tensor]]]
CASES: dict[str, Case] = {}


def _function(module: str, name: str) -> Any:
    return getattr(importlib.import_module(f"liger_kernel.ops.{module}"), name).apply


def _case(name: str, module: str, function: str, formula: Callable, *shapes: Any, extra: tuple = ()) -> None:
    """`extra` follows the tensors in the call of the operator; `formula` gets the tensors only."""

    def make() -> tuple[Callable, Callable, list[torch.Tensor]]:
        tensors = [s() if callable(s) else torch.randn(*s).requires_grad_() for s in shapes]
        operator = _function(module, function)
        return lambda *args: operator(*args, *extra), formula, tensors

    CASES[name] = make


def _rms(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * weight


def _classes(high: int, count: int) -> Callable[[], torch.Tensor]:
    return lambda: torch.randint(0, high, (count,))


def _log_probabilities() -> torch.Tensor:
    return torch.randn(16, 128).log_softmax(-1).requires_grad_()


def _probabilities() -> torch.Tensor:
    return torch.randn(16, 128).softmax(-1)


def _jsd(p: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
    mean = (0.5 * (p.exp() + q.exp())).log()
    return 0.5 * (
        F.kl_div(mean, p, log_target=True, reduction="batchmean")
        + F.kl_div(mean, q, log_target=True, reduction="batchmean")
    )


_case("rms_norm", "rms_norm", "LigerRMSNormFunction", _rms, (16, 100), (100,), extra=(1e-6, 0.0, "llama", False))
_case(
    "layer_norm",
    "layer_norm",
    "LigerLayerNormFunction",
    lambda x, w, b: F.layer_norm(x, (100,), w, b, 1e-5),
    (16, 100),
    (100,),
    (100,),
    extra=(1e-5,),
)
_case(
    "group_norm",
    "group_norm",
    "LigerGroupNormFunction",
    lambda x, w, b: F.group_norm(x, 4, w, b, 1e-5),
    (2, 8, 16),
    (8,),
    (8,),
    extra=(8, 4, 1e-5),
)
_case("swiglu", "swiglu", "LigerSiLUMulFunction", lambda a, b: F.silu(a) * b, (16, 100), (16, 100))
_case("geglu", "geglu", "LigerGELUMulFunction", lambda a, b: F.gelu(a, approximate="tanh") * b, (16, 100), (16, 100))
_case("softmax", "softmax", "LigerSoftmaxFunction", lambda x: x.softmax(-1), (16, 100))
_case("relu_squared", "relu_squared", "LigerReLUSquaredFunction", lambda x: F.relu(x) ** 2, (16, 100))
_case(
    "kl_div",
    "kl_div",
    "LigerKLDivLossFunction",
    lambda x, t: F.kl_div(x, t, reduction="batchmean"),
    _log_probabilities,
    _probabilities,
    extra=("batchmean", False, 1e-10),
)
_case(
    "tvd",
    "tvd",
    "LigerTVDLossFunction",
    lambda p, q: (0.5 * (p - q).abs()).sum(-1).mean(),
    lambda: _probabilities().requires_grad_(),
    _probabilities,
    extra=(None, "batchmean"),
)
_case("jsd", "jsd", "LigerJSDFunction", _jsd, _log_probabilities, lambda: _log_probabilities().detach())
_case(
    "cross_entropy",
    "cross_entropy",
    "LigerCrossEntropyFunction",
    F.cross_entropy,
    (16, 128),
    _classes(128, 16),
    extra=(None,),
)
_case(
    "fused_linear_cross_entropy",
    "fused_linear_cross_entropy",
    "LigerFusedLinearCrossEntropyFunction",
    lambda x, w, t: F.cross_entropy(x @ w.T, t),
    (16, 32),
    (100, 32),
    _classes(100, 16),
)


def _gradients(function: Callable, tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    copies = [t.detach().clone().requires_grad_(t.requires_grad) for t in tensors]
    result = function(*copies)
    result = result[0] if isinstance(result, tuple) else result
    weights = torch.linspace(0.5, 1.5, result.numel()).view_as(result)
    grads = torch.autograd.grad((result * weights).sum(), [c for c in copies if c.requires_grad])
    return [result.detach(), *grads]


def check(name: str) -> str:
    """What is wrong with the operator; empty if nothing is."""
    torch.manual_seed(0)
    operator, formula, tensors = CASES[name]()
    for i, (a, e) in enumerate(zip(_gradients(operator, tensors), _gradients(formula, tensors), strict=True)):
        if not torch.allclose(a, e, rtol=1e-3, atol=1e-4):
            what = "the result" if i == 0 else f"gradient {i}"
            return f"{what} is off by up to {(a - e).abs().max().item():.3g}"
    return ""


def main(names: list[str]) -> int:
    warnings.simplefilter("ignore")
    return report(names or CASES, check, "operators of liger-kernel agree with torch")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
