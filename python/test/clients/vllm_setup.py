"""Makes the kernels of vLLM importable where neither its extensions nor a GPU are.

Of vLLM, whole packages are imported for a few helpers next to the kernels. Those that no kernel needs, and other
projects' packages that they use, are replaced by modules that have any name; the files with the kernels are vLLM's own.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import os
import sys
import types
from collections.abc import Iterable
from typing import Any

#: What vLLM itself reads: the platform is the CPU. Hidden GPUs are its sign that a process uses Triton without one.
ENVIRONMENT = {
    "VLLM_TARGET_DEVICE": "cpu",
    "CUDA_VISIBLE_DEVICES": "",
    "VLLM_LOGGING_LEVEL": "ERROR",
    "VLLM_TRITON_FORCE_FIRST_CONFIG": "1",  # its autotuned kernels have up to 20 configurations
}

#: Packages that are replaced, with all below them.
ABSENT = """
    cv2 fastapi librosa llguidance lmformatenforcer mistral_common openai_harmony soundfile torchvision xgrammar
    vllm.compilation vllm.distributed vllm.engine vllm.entrypoints vllm.model_executor.model_loader
    vllm.model_executor.models vllm.multimodal vllm.parser vllm.reasoning vllm.renderers vllm.tokenizers
    vllm.tool_parsers vllm.transformers_utils vllm.v1.engine vllm.v1.structured_output
""".split()


class _Anything(types.ModuleType):
    """A module in which every name is a class that takes any arguments."""

    __path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        members = {
            "__module__": self.__name__,
            "__init__": lambda self, *args, **kwargs: None,
            "__class_getitem__": classmethod(lambda cls, item: cls),
        }
        made = type(name, (), members)
        setattr(self, name, made)
        return made


class _Absent(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, packages: Iterable[str]):
        self.packages = tuple(packages)

    def find_spec(self, name: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if any(name == package or name.startswith(package + ".") for package in self.packages):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return _Anything(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        pass


def prepare() -> None:
    """To be called before the first import of vLLM. Raises RuntimeError if vLLM then does not use Triton."""
    os.environ.update(ENVIRONMENT)
    sys.meta_path.insert(0, _Absent(ABSENT))
    import torch
    from vllm.platforms import current_platform
    from vllm.triton_utils import HAS_TRITON

    # Some functions call C++ instead of a kernel on the CPU. Wrappers of some kernels ask whether the device has
    # bfloat16 and float8, and look its name up in tables.
    torch.cuda.get_device_capability = lambda device=None: (9, 0)
    platform = type(current_platform)
    platform.is_cpu = lambda self: False
    platform.has_device_capability = classmethod(lambda cls, capability, device_id=0: True)
    platform.get_device_name = classmethod(lambda cls, device_id=0: "cpu")

    if not HAS_TRITON:
        raise RuntimeError("vllm.triton_utils finds no active Triton; its log (VLLM_LOGGING_LEVEL=INFO) says why")
