"""Choices that TorchInductor makes for `cuda` by its name, and that hold for the device where it is the same hardware.

Without them kernels of the device would be others than those of `cuda`: a softmax would read its input once more, and
the gradients of a normalization would be two kernels. Each entry is one function of torch that looks at the name.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import torch

from .._claim import NAME
from ..profiles import Profile
from ..workarounds.wrapping import wrap_once


def reduce_softmax_in_one_pass(post_grad: ModuleType, profile: Profile) -> bool:
    """Has the pass that joins maximum and sum of a softmax take the device. True if this call changed anything."""

    def make(original: Callable[[Any], bool]) -> Callable[[Any], bool]:
        def prepare_softmax_extra_check(match: Any) -> bool:
            if match.kwargs["x"].meta["val"].device.type != NAME:
                return original(match)
            return post_grad.config.online_softmax and post_grad.config.cuda_backend == "triton"

        return prepare_softmax_extra_check

    return profile.is_cuda_like and wrap_once(post_grad, "prepare_softmax_extra_check", "like_cuda", make)


def join_reductions_of_two_orders(scheduler: ModuleType, profile: Profile) -> bool:
    """Has the scheduler join a reduction of rows with one of columns. True if this call changed anything."""

    def make(original: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
        def can_fuse(node1: Any, node2: Any) -> bool:
            with _named_cuda(node1), _named_cuda(node2):
                return original(node1, node2)

        return can_fuse

    # A class method, asked of the class only.
    return profile.is_cuda_like and wrap_once(scheduler.MixOrderReduction, "can_fuse", "like_cuda", make)


def pad_products(pad_mm: ModuleType, profile: Profile) -> bool:
    """Has products of sizes that the hardware is slow with be padded. True if this call changed anything."""

    def make_check(original: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
        def check_device(a: torch.Tensor, b: torch.Tensor) -> bool:
            return a.device.type == b.device.type == NAME or original(a, b)

        return check_device

    def make_product(original: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
        def pad_addmm(bias: torch.Tensor | None, a: torch.Tensor, b: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
            # Torch times without a bias, which there must be, where it does not know the device by its name.
            if bias is None and a.device.type == NAME:
                bias = _bias(b.shape[1], b.dtype, b.device)
            return original(bias, a, b, *args, **kwargs)

        return pad_addmm

    if not profile.is_cuda_like or not wrap_once(pad_mm, "check_device", "like_cuda", make_check):
        return False
    return wrap_once(pad_mm, "pad_addmm", "bias", make_product)


@functools.lru_cache(maxsize=1)
def _bias(size: int, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    """One for all calls that are timed, so that making it is not."""
    return torch.zeros(size, dtype=dtype, device=device)


def tune_products(heuristics: ModuleType, profile: Profile) -> bool:
    """Registers the templates of products with the device, with the sizes that are tried on `cuda`.

    `heuristics` is the package that registers them. True if this call changed anything.
    """
    table = heuristics.registry._TEMPLATE_HEURISTIC_REGISTRY
    of_cuda = [key for key in table if key[1] == "cuda" and (key[0], NAME, *key[2:]) not in table]
    if not profile.is_cuda_like or not of_cuda:
        return False
    for key in of_cuda:
        template, _, operator = key
        heuristics.registry.register_template_heuristic(template, NAME, op_name=operator)(table[key])
    return True


def tune_as_cuda(choices: ModuleType, profile: Profile) -> bool:
    """Has templates of convolutions and attention try the sizes of `cuda`. True if this call changed anything."""

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def get_config_heuristics(self: Any, device_type: str | None = "cuda") -> Any:
            return original(self, "cuda" if device_type == NAME else device_type)

        return get_config_heuristics

    owner = choices.InductorChoices
    return profile.is_cuda_like and wrap_once(owner, "get_config_heuristics", "like_cuda", make)


def align_attention(lowering: ModuleType, profile: Profile) -> bool:
    """Has arguments of fused attention be aligned as its kernels want them, e.g. a mask of an odd length.

    True if this call changed anything.
    """

    def make(original: Callable[..., Any]) -> Callable[..., Any]:
        def sdpa_constraint(node: Any, *args: Any, **kwargs: Any) -> Any:
            named = SimpleNamespace(
                target=node.target,
                args=tuple(_valued_on_cuda(argument) for argument in node.args),
                kwargs={name: _valued_on_cuda(argument) for name, argument in node.kwargs.items()},
            )
            return original(named, *args, **kwargs)

        return sdpa_constraint

    original = getattr(lowering, "sdpa_constraint", None)
    if not profile.is_cuda_like or not wrap_once(lowering, "sdpa_constraint", "like_cuda", make):
        return False
    # The table of operators has the function itself.
    constraints = lowering._maybe_layout_constraints
    for operator in [operator for operator, constraint in constraints.items() if constraint is original]:
        constraints[operator] = lowering.sdpa_constraint
    return True


def _valued_on_cuda(argument: Any) -> Any:
    """A stand-in for an argument of a graph, which says of its value that it is on `cuda` if it is on the device."""
    value = getattr(argument, "meta", {}).get("val")
    if not isinstance(value, torch.Tensor) or value.device.type != NAME:
        return argument
    return SimpleNamespace(meta={"val": SimpleNamespace(is_cuda=True, is_xpu=False, stride=value.stride)})


@contextlib.contextmanager
def _named_cuda(node: Any) -> Iterator[None]:
    """`node` of the scheduler says that it is on `cuda`, if it is on the device."""
    device = node.get_device()
    if device is None or device.type != NAME:
        yield
        return
    node.get_device = lambda: torch.device("cuda", device.index)
    try:
        yield
    finally:
        del node.get_device
