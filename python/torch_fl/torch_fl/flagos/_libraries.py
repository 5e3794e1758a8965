"""Operators of libraries that autocast knows on other devices, and nobody told it about on this one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map

_ELSEWHERE = ("AutocastCPU", "AutocastCUDA")
_HERE = "AutocastPrivateUse1"
_NARROW = (torch.float16, torch.bfloat16)


def compute_in_float32(namespace: str) -> torch.library.Library | None:
    """Has autocast run the operators of `namespace` that it treats on other devices in float32 on this one, too.

    Their kernels want one type for all arguments, and under autocast a layer before them makes some narrower. Results
    have the type of the first argument. What has a kernel for the device already keeps it. None if there are none.
    """
    known = {name for key in _ELSEWHERE for name in torch._C._dispatch_get_registrations_for_dispatch_key(key)}
    names = [name for name in sorted(known) if name.startswith(f"{namespace}::") and not _has_kernel(name)]
    if not names:
        return None
    library = torch.library.Library(namespace, "IMPL")
    for name in names:
        library.impl(name.removeprefix(f"{namespace}::"), _widened(_operator(name)), _HERE)
    return library


def _has_kernel(name: str) -> bool:
    return torch._C._dispatch_has_kernel_for_dispatch_key(name, _HERE)


def _operator(name: str) -> Any:
    namespace, _, rest = name.partition("::")
    packet, _, overload = rest.partition(".")
    return getattr(getattr(getattr(torch.ops, namespace), packet), overload or "default")


def _widened(operator: Any) -> Callable[..., Any]:
    def run(*arguments: Any, **named: Any) -> Any:
        given = (arguments, named)
        floats = [value for value in tree_leaves(given) if _is_float(value)]
        arguments, named = tree_map(lambda value: value.float() if _is_narrow(value) else value, given)
        with torch._C._ExcludeDispatchKeyGuard(torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastPrivateUse1)):
            results = operator(*arguments, **named)
        return tree_map(lambda value: value.to(floats[0].dtype) if floats and _is_float(value) else value, results)

    return run


def _is_float(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def _is_narrow(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.dtype in _NARROW
