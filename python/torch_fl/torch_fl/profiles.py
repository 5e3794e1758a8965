"""What differs between the platforms that `flagos` runs on: one frozen record each."""

from __future__ import annotations

import difflib
import functools
import os
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

ENVIRONMENT = "ACCELERATOR"


@dataclass(frozen=True)
class Profile:
    """One platform.

    `triton_type` is the device type that kernels are compiled for (`GPUTarget.backend`), `triton_key` the name of that
    backend in `triton.backends.backends`. `is_cuda_like` says that `torch.cuda` describes the same hardware.
    `compile_threads` is the default number of compile workers, None torch's own. `warp_size` None means that the
    driver is asked. The host has no such thing; 32 is what Inductor's thresholds for splitting reductions fit.
    `workarounds` are modules of `torch_fl.workarounds`, installed in this order. `minimum_xblock` is preferred among
    the configurations of a platform that cannot time kernels.
    """

    name: str
    vendor: str
    triton_type: str
    triton_key: str
    is_cuda_like: bool
    warp_size: int | None = None
    compile_threads: int | None = None
    tunes: bool = True
    minimum_xblock: int = 1
    workarounds: tuple[str, ...] = ()

    @property
    def memory(self) -> str:
        """The type of torch's device whose memory is the device's, and whose operators run on it."""
        return "cuda" if self.is_cuda_like else "cpu"


_RECORDS = (
    Profile("host", "host", "flagos", "flagos", is_cuda_like=False, warp_size=32),
    Profile("cuda", "nvidia", "cuda", "nvidia", is_cuda_like=True, warp_size=32),
    Profile("ppu", "ppu", "cuda", "nvidia", is_cuda_like=True, warp_size=32, compile_threads=1),
    Profile("hcu", "hcu", "hip", "hcu", is_cuda_like=True, warp_size=64),
    Profile("maca", "metax", "maca", "metax", is_cuda_like=True, warp_size=64),
    Profile(
        "npu",
        "ascend",
        "npu",
        "ascend",
        is_cuda_like=False,
        compile_threads=1,
        tunes=False,
        workarounds=("libdevice", "resource_limits", "byte_loads"),
    ),
    Profile("musa", "mthreads", "musa", "mthreads", is_cuda_like=False, compile_threads=1, tunes=False),
    Profile(
        "gcu",
        "gcu",
        "gcu",
        "gcu",
        is_cuda_like=False,
        compile_threads=1,
        tunes=False,
        minimum_xblock=4,
        workarounds=("guard_64bit",),
    ),
    Profile("txda", "tsingmicro", "txda", "tsingmicro", is_cuda_like=False, compile_threads=1, tunes=False),
)

PROFILES: Mapping[str, Profile] = MappingProxyType({record.name: record for record in _RECORDS})


def find(name: str) -> Profile:
    """The profile of a name. ValueError, with the nearest one, for a name that there is not."""
    if name not in PROFILES:
        near = difflib.get_close_matches(name, PROFILES, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"{ENVIRONMENT}={name!r} is no platform of torch_fl; there are: {', '.join(PROFILES)}.{hint}")
    return PROFILES[name]


def _default() -> str:
    """The name of the platform that this torch has hardware for. Does not start that hardware."""
    import torch

    return "cuda" if torch.version.cuda and torch.cuda.device_count() > 0 else "host"


@functools.cache
def profile() -> Profile:
    """The platform of this process: that of variable ``ACCELERATOR``, else that of the hardware that torch sees."""
    return find(os.environ.get(ENVIRONMENT) or _default())
