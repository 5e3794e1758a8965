"""What else the key of Inductor's caches depends on.

Torch without CUDA puts nothing about the compiler into it, so code generated for another Triton would be taken again.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .. import flagos
from ..profiles import Profile, profile
from .require import missing_backends

_MARK = "_torch_fl_describes"


def described(system: Mapping[str, Any], device: str, target: str, triton_version: str) -> dict[str, Any]:
    """`system`, as Inductor knows it, with the device, what kernels are compiled for and the compiler in its hash."""
    details = {"device": {"name": device}, "version": {"triton": triton_version, "target": target}}
    text = json.dumps([system["hash"], details], sort_keys=True)
    return {**system, **details, "hash": hashlib.sha256(text.encode()).hexdigest()}


def describe_device(cache_base: Any, profile: Profile, details: Callable[[], tuple[str, str, str]]) -> None:
    """Has ``CacheBase.get_system`` describe the device; `details` gives its name, target and compiler, once.

    Where the hardware is known to `torch.cuda`, Inductor describes it already.
    """
    if profile.is_cuda_like or hasattr(cache_base, _MARK):
        return
    original = cache_base.get_system
    cache_base.get_system = staticmethod(functools.cache(lambda: described(original(), *details())))
    setattr(cache_base, _MARK, True)


def current_details() -> tuple[str, str, str]:
    """Name of the device, target of kernels and version of the compiler with this package, in this process.

    Inductor asks for every graph, so those of the CPU compile in a process whose Triton knows nothing of the device.
    """
    if missing_backends():
        return flagos.get_device_name(), "none", "none"
    from torch._inductor.runtime.triton_compat import triton_key
    from triton.backends import backends

    target = backends[profile().triton_key].driver().get_current_target()
    return flagos.get_device_name(), repr(target), f"{triton_key()} {package_digest()}"


def package_digest() -> str:
    """SHA-256 of this package's files: code that was generated for one build says which strides another gives."""
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for file in sorted([*package.rglob("*.py"), *package.glob("_C.*.so")]):
        digest.update(f"{file.relative_to(package)} {file.stat().st_size} ".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()
