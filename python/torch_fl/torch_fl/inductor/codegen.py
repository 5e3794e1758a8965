"""Which of Inductor's classes generate code for the device."""

from __future__ import annotations

from ..profiles import Profile

# The names that torch looks for in the module of a device; `torch.flagos` answers with the classes.
PUBLISHED = ("Scheduling", "PythonWrapperCodegen", "CppWrapperCodegen", "WrapperFxCodegen")


def codegen_classes(profile: Profile) -> dict[str, type]:
    """The classes by those names, in their order. Only two where there is no C++ wrapper."""
    from torch._inductor.codegen.wrapper import PythonWrapperCodegen

    if not profile.is_cuda_like:
        from torch._inductor.codegen.triton import TritonScheduling

        return dict(zip(PUBLISHED, (TritonScheduling, PythonWrapperCodegen), strict=False))
    from torch._inductor.codegen.cpp_wrapper_gpu import CppWrapperGpu
    from torch._inductor.codegen.cuda_combined_scheduling import CUDACombinedScheduling
    from torch._inductor.codegen.wrapper_fxir import WrapperFxCodegen

    classes = (CUDACombinedScheduling, PythonWrapperCodegen, CppWrapperGpu, WrapperFxCodegen)
    return dict(zip(PUBLISHED, classes, strict=True))
