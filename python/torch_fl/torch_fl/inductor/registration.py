"""The list of registrations, each with the module of torch that it waits for."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from types import ModuleType

import torch

from .._claim import NAME
from ..launches import accept_when_imported
from ..profiles import profile
from .when_imported import when_imported

_registered = False


def register() -> None:
    """Registers the device with TorchDynamo and TorchInductor. The second call does nothing."""
    global _registered
    if _registered:
        return
    _registered = True
    _avoid_missing_static_launcher()
    when_imported("torch._dynamo.backends.registry", _compiler_name)
    when_imported("torch._dynamo.device_interface", _interface)
    when_imported("torch._dynamo.trace_rules", _not_traced)
    when_imported("torch._subclasses.fake_impls", _by("convolutions", "lay_out_as_memory"))
    when_imported("torch._decomp.decompositions", _by("networks", "trace_networks"))
    when_imported("torch._inductor.utils", _gpu_type)
    when_imported("torch._inductor.runtime.hints", _triton_type)
    when_imported("torch._inductor.codegen.common", _op_overrides)
    when_imported("torch._inductor.codegen.triton", _scheduling)
    when_imported("torch._inductor.ir", _by("codegen", "count_as_triton"))
    when_imported("torch._inductor.graph", _by("convolutions", "prefer_channels_last"))
    when_imported("torch._inductor.scheduler", _by("like_cuda", "join_reductions_of_two_orders"))
    when_imported("torch._inductor.lowering", _by("like_cuda", "align_attention"))
    when_imported("torch._inductor.fx_passes.post_grad", _by("like_cuda", "reduce_softmax_in_one_pass"))
    when_imported("torch._inductor.fx_passes.pad_mm", _by("like_cuda", "pad_products"))
    when_imported("torch._inductor.template_heuristics", _by("like_cuda", "tune_products"))
    when_imported("torch._inductor.choices", _by("like_cuda", "tune_as_cuda"))
    when_imported("torch._inductor.runtime.benchmarking", _by("timing", "install_timer"))
    when_imported("torch._inductor.codecache", _cache_key)
    when_imported("torch._inductor.runtime.triton_heuristics", _autotuner)
    when_imported("torchvision", _vision)
    if profile().triton_type == NAME:
        accept_when_imported()
    for name in profile().workarounds:
        importlib.import_module(f"torch_fl.workarounds.{name}").install_when_needed()


def _by(module: str, function: str) -> Callable[[ModuleType], None]:
    """Calls `function` of our `module`, which is imported only then, with torch's module and the platform."""

    def act(imported: ModuleType) -> None:
        getattr(importlib.import_module(f".{module}", __package__), function)(imported, profile())

    return act


def _avoid_missing_static_launcher() -> None:
    """A torch for the CPU lacks the launcher that Inductor would import for every accelerator."""
    if not hasattr(torch._C, "_StaticCudaLauncher"):
        os.environ.setdefault("TORCHINDUCTOR_USE_STATIC_CUDA_LAUNCHER", "0")


def _compiler_name(registry: ModuleType) -> None:
    from .backend import compile_graph

    registry.register_backend(compile_graph, name=NAME)


def _interface(device_interface: ModuleType) -> None:
    from .interface import FlagosInterface

    device_interface.register_interface_for_device(NAME, FlagosInterface)
    device_interface.register_interface_for_device(f"{NAME}:0", FlagosInterface)
    reported = profile().triton_type
    if reported not in (NAME, "cuda", "hip"):
        device_interface.register_interface_for_device(reported, FlagosInterface)

    if profile().is_cuda_like:
        from .older_torch import attach_raw_stream

        attach_raw_stream(device_interface)


def _vision(torchvision: ModuleType) -> None:
    from ..flagos._libraries import compute_in_float32

    torchvision._flagos_autocast = compute_in_float32("torchvision")  # for as long as its operators


def _not_traced(trace_rules: ModuleType) -> None:
    """States of generators are no part of a graph: their functions run as they are."""
    trace_rules.add("torch_fl.flagos.random")


def _cache_key(codecache: ModuleType) -> None:
    from .cache_key import current_details, describe_device

    describe_device(codecache.CacheBase, profile(), current_details)


def _autotuner(heuristics: ModuleType) -> None:
    from .choice import choose_without_timing
    from .host_blocks import prefer_host_blocks
    from .older_torch import report_warp_size

    report_warp_size(heuristics, profile())
    choose_without_timing(heuristics.CachingAutotuner, profile())
    prefer_host_blocks(heuristics, profile())


def _gpu_type(utils: ModuleType) -> None:
    """Adds the device to the list, in place: other modules hold it. The type of "the" GPU is asked for once, while
    the list has nothing but this device, because Inductor allows one kind to be available only.
    """
    types = utils.GPU_TYPES
    others = [kind for kind in types if kind != NAME]
    utils.get_gpu_type.cache_clear()
    types[:] = [NAME]
    try:
        utils.get_gpu_type()
    finally:
        types[:] = [*others, NAME]

    from .codegen import leave_out_templates

    leave_out_templates(utils, profile())


def _triton_type(hints: ModuleType) -> None:
    from .properties import report_triton_type

    report_triton_type(hints.DeviceProperties, profile())


def _op_overrides(common: ModuleType) -> None:
    from .op_overrides import make_op_overrides

    # Fills torch's table first: torch before 2.13 does that only while it is empty.
    common.get_device_op_overrides("cpu")
    common.register_device_op_overrides(NAME, make_op_overrides(common, profile()))


def _scheduling(triton_codegen: ModuleType) -> None:
    """Where there is a C++ wrapper, torch's own hook finds the classes in `torch.flagos`, when all of the compiler has
    been imported: those modules import each other.
    """
    from torch._inductor.codegen.common import register_backend_for_device

    from .codegen import codegen_classes

    if not profile().is_cuda_like:
        register_backend_for_device(NAME, *codegen_classes(profile()).values())
