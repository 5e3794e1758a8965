"""What kernels can use on the CPU beyond the core language."""

from . import libdevice

__all__ = ["libdevice"]
