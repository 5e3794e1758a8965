"""Gluon: kernels that spell out how their tensors lie on the threads of a GPU.

Libraries import it together with `triton`, whether they launch one of its kernels or not, so its decorators and types
are here. No backend of the trunk compiles its kernels: they can be defined, and launching one raises.
"""

from triton.runtime.jit import constexpr_function

from . import language
from ._runtime import GluonJITFunction, jit

__all__ = ["GluonJITFunction", "constexpr_function", "jit", "language"]
