"""The names of `triton.language.extra.libdevice`, which every target binds to its own library."""

from triton.language.extra.libdevice import *  # noqa: F403
from triton.language.extra.libdevice import __all__  # noqa: F401
