"""Checks of the Triton that is there, with messages that say what to install."""

from __future__ import annotations

from ..profiles import profile


class TritonBackendMissing(RuntimeError):
    """This Triton compiles nothing for the device."""


def require_triton_backend() -> None:
    """TritonBackendMissing unless the active Triton has the backend of this platform."""
    import triton
    from triton.backends import backends

    key = profile().triton_key
    if key not in backends:
        raise TritonBackendMissing(
            f"torch.compile on flagos needs a Triton with the backend {key!r}; triton {triton.__version__} at "
            f"{triton.__path__[0]} has: {', '.join(backends) or 'none'}. Install the flagtree wheel in its place"
        )
