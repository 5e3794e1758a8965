"""Settings of TorchInductor for one compilation. Nothing global is changed."""

from __future__ import annotations

import difflib
import os
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


def config_patches(profile: Profile, mode: str | None = None, options: dict[str, Any] | None = None) -> dict[str, Any]:
    """What `mode` stands for, then `options`, with what the platform cannot do taken out.

    RuntimeError for an option that TorchInductor does not have.
    """
    from torch._inductor import config, list_mode_options

    patches = dict(list_mode_options(mode)) if mode and mode != "default" else {}
    if not profile.tunes:
        patches |= _NO_TUNING
    if profile.compile_threads is not None and "TORCHINDUCTOR_COMPILE_THREADS" not in os.environ:
        patches["compile_threads"] = profile.compile_threads
    patches |= _checked(options or {}, set(config.get_config_copy()))
    patches["triton.cudagraphs"] = False
    if not hasattr(torch._C, "_StaticCudaLauncher"):
        patches["use_static_cuda_launcher"] = False
    return patches


def _checked(options: dict[str, Any], known: set[str]) -> dict[str, Any]:
    checked = {name.replace("-", "_"): value for name, value in options.items()}
    for name in checked.keys() - known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f". Did you mean {near[0]!r}?" if near else ""
        raise RuntimeError(f"torch.compile: {name!r} is no option of TorchInductor{hint}")
    return checked
