"""Settings of TorchInductor for one compilation. Nothing global is changed."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable
from typing import Any

import torch

from ..profiles import Profile

_NO_TUNING = {
    "use_joint_graph_passes": False,
    "max_autotune": False,
    "max_autotune_pointwise": False,
    "max_autotune_gemm": False,
    "coordinate_descent_tuning": False,
    "max_autotune_gemm_backends": "TRITON",
}


# Types of settings that a value is checked for. Others are unions, or functions of the user's.
_PLAIN = {bool: (bool,), int: (int,), float: (float, int), str: (str,)}


class BadSetting(RuntimeError):
    """A mode or an option that there is not: a mistake of the caller, not a failed compilation."""


def config_patches(profile: Profile, mode: str | None = None, options: dict[str, Any] | None = None) -> dict[str, Any]:
    """What `mode` stands for, then `options`, with what the platform cannot do taken out.

    BadSetting for what TorchInductor does not have, for a value of another type than the option's, and for its C++
    wrapper where the platform has none.
    """
    from torch._inductor import config, list_mode_options

    modes = list_mode_options()
    if mode and mode not in modes:
        raise _unknown("mode", mode, modes)
    patches = dict(modes[mode]) if mode else {}
    if not profile.tunes:
        patches |= _NO_TUNING
    if profile.compile_threads is not None and "TORCHINDUCTOR_COMPILE_THREADS" not in os.environ:
        patches["compile_threads"] = profile.compile_threads
    patches |= _checked(options or {}, config)
    if patches.get("cpp_wrapper", config.cpp_wrapper):
        raise no_cpp_wrapper(profile)
    patches["triton.cudagraphs"] = False
    if not hasattr(torch._C, "_StaticCudaLauncher"):
        patches["use_static_cuda_launcher"] = False
    return patches


def no_cpp_wrapper(profile: Profile) -> BadSetting:
    return BadSetting(
        f"torch.compile: platform {profile.name!r} of flagos has no C++ wrapper, and so no ahead-of-time compilation; "
        f"leave option cpp_wrapper and variable TORCHINDUCTOR_CPP_WRAPPER out"
    )


def _checked(options: dict[str, Any], config: Any) -> dict[str, Any]:
    known = set(config.get_config_copy())
    checked = {name.replace("-", "_"): value for name, value in options.items()}
    for name in checked.keys() - known:
        raise _unknown("option", name, known)
    for name, value in checked.items():
        declared = config.get_type(name)
        if declared in _PLAIN and type(value) not in _PLAIN[declared]:
            raise BadSetting(f"torch.compile: option {name!r} is of type {declared.__name__}, got {value!r}")
    return checked


def _unknown(what: str, name: str, known: Iterable[str]) -> BadSetting:
    near = difflib.get_close_matches(name, list(known), n=1)
    hint = f". Did you mean {near[0]!r}?" if near else ""
    return BadSetting(f"torch.compile: {name!r} is no {what} of TorchInductor{hint}")
