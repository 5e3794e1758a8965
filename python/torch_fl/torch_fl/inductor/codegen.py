"""Which of Inductor's classes generate code for the device."""

from __future__ import annotations

from typing import Any, NoReturn

from .._claim import NAME
from ..profiles import Profile
from ..profiles import profile as active_profile
from ..workarounds.wrapping import wrap_once
from .host_wrapper import make_host_wrapper
from .patches import no_cpp_wrapper

# The names that torch looks for in the module of a device; `torch.flagos` answers with the classes.
PUBLISHED = ("Scheduling", "PythonWrapperCodegen", "CppWrapperCodegen", "WrapperFxCodegen")


class NoCppWrapper:
    """In place of a C++ wrapper: whoever asks for one gets BadSetting, ahead-of-time compilation, too."""

    supports_caching = False  # Inductor asks before it makes one

    @staticmethod
    def create(*_: Any, **__: Any) -> NoReturn:
        raise no_cpp_wrapper(active_profile())


def codegen_classes(profile: Profile) -> dict[str, type]:
    """The classes by those names, in their order. Only three where there is no C++ wrapper, the third says so."""
    from torch._inductor.codegen.wrapper import PythonWrapperCodegen

    if not profile.is_cuda_like:
        from torch._inductor.codegen.triton import TritonScheduling

        wrapper = make_host_wrapper() if profile.name == "host" else PythonWrapperCodegen
        return dict(zip(PUBLISHED, (TritonScheduling, wrapper, NoCppWrapper), strict=False))
    from torch._inductor.codegen.cpp_wrapper_gpu import CppWrapperGpu
    from torch._inductor.codegen.cuda_combined_scheduling import CUDACombinedScheduling
    from torch._inductor.codegen.wrapper_fxir import WrapperFxCodegen

    classes = (CUDACombinedScheduling, PythonWrapperCodegen, CppWrapperGpu, WrapperFxCodegen)
    return dict(zip(PUBLISHED, classes, strict=True))


def count_as_triton(ir: Any, profile: Profile) -> bool:
    """Has ``ir.is_triton`` say yes for the device, so that operators which Triton lacks are left to torch.

    Torch knows by name that `cuda` is such a device, because the class that schedules for it is none of Triton's own.
    True if this call changed anything.
    """
    if not profile.is_cuda_like:
        return False

    def make(original: Any) -> Any:
        def is_triton(value: Any) -> bool:
            return ir.get_device_type(value) == NAME or original(value)

        return is_triton

    return wrap_once(ir, "is_triton", "device_name", make)


def leave_out_templates(utils: Any, profile: Profile) -> bool:
    """Has ``utils.is_big_gpu``, which allows templates of products, say no for the device.

    Inductor has none for it. Otherwise it would count the processors, and warn once per process that these are too few
    for a mode that nobody may have asked for. True if this call changed anything.
    """
    if profile.is_cuda_like:
        return False

    def make(original: Any) -> Any:
        def is_big_gpu(index_or_device: Any = 0) -> bool:
            kind = getattr(index_or_device, "type", None) or utils.get_gpu_type()
            return kind != NAME and original(index_or_device)

        return is_big_gpu

    return wrap_once(utils, "is_big_gpu", "templates", make)
