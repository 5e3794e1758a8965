"""The `flagos` device of PyTorch, and its way through TorchInductor to Triton kernels.

Importing this registers, once per process: the device in torch (memory, operators, `torch.flagos`) and the device in
TorchInductor, so that both ``torch.compile(f, backend="flagos")`` and plain ``torch.compile(f)`` compile for it.
"""

from __future__ import annotations

from torch import autograd as _autograd

from ._backward import run_in_calling_thread as _run_in_calling_thread
from ._claim import claim_device_name
from ._extension import load
from .profiles import profile

__all__ = ["__version__", "profile"]
__version__ = "0.1.0"

claim_device_name()
extension = load(profile())

from . import flagos  # noqa: E402  needs the extension
from .flagos._install import install as _install  # noqa: E402
from .host_attention.operators import register as _register_attention  # noqa: E402
from .host_products.launch import register as _register_products  # noqa: E402

_install(flagos)
_register_attention(extension, profile())
_register_products(extension, profile())
_run_in_calling_thread(_autograd, profile())

from .inductor.registration import register as _register  # noqa: E402  needs torch.flagos

_register()
