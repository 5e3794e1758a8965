"""Checks of the Triton that is there, with messages that say what to install."""

from __future__ import annotations

import importlib.util
from types import ModuleType

from .._claim import NAME
from ..flagtree import backend_name, is_flagtree
from ..profiles import profile

_WHEEL = "Install the flagtree wheel"


class TritonBackendMissing(RuntimeError):
    """This Triton compiles nothing for the device."""


def needed_backends() -> tuple[str, ...]:
    """Names of Triton's backends that compile for this platform; the device in host memory needs the CPU's, too."""
    key = profile().triton_key
    return (key, "cpu") if key == NAME else (key,)


def installed_backends() -> list[str]:
    """Names of the backends of the active Triton."""
    from triton.backends import backends

    return list(backends)


def missing_backends() -> str | None:
    """What Triton lacks, and what to do; None if kernels of the device can be compiled."""
    if importlib.util.find_spec("triton") is None:
        return f"torch.compile on flagos needs Triton, which is not installed. {_WHEEL}"
    import triton

    installed = installed_backends()
    missing = [name for name in needed_backends() if name not in installed]
    if not missing:
        return None
    return (
        f"torch.compile on flagos needs a Triton with the backend {missing[0]!r}; {_active_triton(triton)} at "
        f"{triton.__path__[0]} has: {', '.join(installed) or 'none'}. "
        f"{_WHEEL} {f'for {missing[0]!r}' if is_flagtree() else 'in its place'}"
    )


def require_triton_backend() -> None:
    """TritonBackendMissing unless the active Triton has the backend of this platform."""
    message = missing_backends()
    if message:
        raise TritonBackendMissing(message)


def _active_triton(triton: ModuleType) -> str:
    if not is_flagtree():
        return f"triton {triton.__version__}"
    return f"FlagTree {triton.__version__}, built for {backend_name() or 'no backend'},"
