"""Helpers of tests: the active device, random data, kernels in another process."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import traceback
from collections.abc import Callable, Iterator
from typing import Any

from . import knobs
from .flagtree_spec import spec

int_dtypes = ["int8", "int16", "int32", "int64"]
uint_dtypes = ["uint8", "uint16", "uint32", "uint64"]
integral_dtypes = int_dtypes + uint_dtypes
float_dtypes = ["float16", "float32", "float64"]
float_dtypes_with_bfloat16 = [*float_dtypes, "bfloat16"]
dtypes = integral_dtypes + float_dtypes
dtypes_with_bfloat16 = [*dtypes, "bfloat16"]
torch_float8_dtypes = ["float8_e4m3fn", "float8_e5m2"]
torch_dtypes = ["bool", *int_dtypes, "uint8", *float_dtypes, "bfloat16"]


def is_interpreter() -> bool:
    return knobs.runtime.interpret


def get_current_target() -> Any:
    """Target of the active driver; None under the interpreter."""
    if is_interpreter():
        return None
    from .runtime.driver import driver

    return driver.active.get_current_target()


def _backend_is(name: str) -> bool:
    target = get_current_target()
    return target is not None and target.backend == name


def is_cpu() -> bool:
    return _backend_is("cpu")


def is_cuda() -> bool:
    return _backend_is("cuda")


def is_hip() -> bool:
    return _backend_is("hip")


def is_xpu() -> bool:
    return _backend_is("xpu")


def _capability() -> int:
    """Major compute capability; 0 for targets that have none."""
    return get_current_target().arch // 10 if is_cuda() else 0


def is_ampere_or_newer() -> bool:
    return _capability() >= 8


def is_hopper() -> bool:
    return _capability() == 9


def is_hopper_or_newer() -> bool:
    return _capability() >= 9


def is_blackwell() -> bool:
    return _capability() == 10


def supports_tma(byval_only: bool = False) -> bool:
    """Whether tensor descriptors work: everywhere but on older GPUs, where hardware would have to do it."""
    return is_interpreter() or not is_cuda() or is_hopper_or_newer()


def str_to_triton_dtype(name: str) -> Any:
    """The type of kernels for a name such as "float32" or "int8"."""
    from . import language

    return getattr(language, {"bool": "int1", **_FLOAT8_NAMES}.get(name, name))


_FLOAT8_NAMES = {"float8_e4m3fn": "float8e4nv", "float8_e5m2": "float8e5"}


def unwrap_tensor(x: Any) -> Any:
    """The tensor in what `reinterpret` made, or `x` itself."""
    from .runtime.jit import TensorWrapper

    return x.base if isinstance(x, TensorWrapper) else x


def numpy_random(shape: Any, dtype_str: str, rs: Any = None, low: Any = None, high: Any = None) -> Any:
    """Random values of a type; integers span the type unless limited, and zeros are avoided, for divisions."""
    import numpy as np

    shape = (shape,) if isinstance(shape, int) else shape
    rs = rs or np.random.RandomState(17)
    if dtype_str in integral_dtypes:
        limits = np.iinfo(getattr(np, dtype_str))
        low = limits.min if low is None else max(low, limits.min)
        high = limits.max if high is None else min(high, limits.max)
        values = rs.randint(low, high, shape, dtype=getattr(np, dtype_str))
        values[values == 0] = 1
        return values
    if dtype_str == "bool":
        return rs.normal(0, 1, shape) > 0
    if dtype_str == "bfloat16":
        # float32 values that bfloat16 can hold
        bits = rs.normal(0, 1, shape).astype("float32").view("uint32") & np.uint32(0xFFFF0000)
        return bits.view("float32")
    if dtype_str in float_dtypes:
        return rs.normal(0, 1, shape).astype(dtype_str)
    if "float8" in dtype_str:
        # bytes for `to_triton`: positive and finite, about 0.03 to 8, in every 8-bit format
        return rs.randint(32, 80, shape, dtype=np.int8)
    raise ValueError(f"numpy_random: unknown type {dtype_str!r}; known are {[*dtypes_with_bfloat16, 'bool']}")


def to_triton(x: Any, device: str = "cpu", dst_type: str | None = None) -> Any:
    """Array `x` as a torch tensor, or a wrapper of one, for kernels; `dst_type` may be bfloat16 or an fp8 type."""
    import torch

    from .runtime.jit import reinterpret

    name = x.dtype.name
    if name in ("uint16", "uint32", "uint64"):
        signed = torch.tensor(x.view(name[1:]), device=device)
        return reinterpret(signed, getattr(torch, name))
    tensor = torch.tensor(x, device=device)
    if dst_type and "float8" in dst_type:
        return reinterpret(tensor, getattr(torch, dst_type))
    return tensor.bfloat16() if dst_type == "bfloat16" else tensor


def to_numpy(x: Any) -> Any:
    """The values of what `to_triton` made; bfloat16 as float32."""
    import torch

    from .runtime.jit import TensorWrapper

    if isinstance(x, TensorWrapper):
        return x.base.cpu().numpy().view(str(x.dtype).rsplit(".", 1)[-1])
    if isinstance(x, torch.Tensor):
        return (x.cpu().float() if x.dtype is torch.bfloat16 else x.cpu()).numpy()
    raise TypeError(f"to_numpy: expected a tensor, got {type(x).__name__}")


def default_alloc_fn(size: int, align: int, _: Any) -> Any:
    """An allocator for `triton.set_allocator`: bytes on the active device."""
    import torch

    from .runtime.driver import driver

    return torch.empty(size, dtype=torch.int8, device=driver.active.get_active_torch_device())


def _report(connection: Any, function: Callable, args: tuple, kwargs: dict) -> None:
    try:
        connection.send((None, function(*args, **kwargs)))
    except BaseException as error:  # noqa: BLE001 (the parent gets it)
        error.__notes__ = [*getattr(error, "__notes__", ()), traceback.format_exc()]
        connection.send((error, None))


def run_in_process(client_fn: Callable, args: tuple = (), kwargs: dict | None = None) -> tuple[Any, int]:
    """``(exception or None, exit code)`` of `client_fn` in a fresh process; a crash there leaves this one alone."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_report, args=(sender, client_fn, args, kwargs or {}))
    process.start()
    sender.close()
    try:
        error, _ = receiver.recv()
    except EOFError:
        error = None
    process.join()
    return error, process.exitcode


@contextlib.contextmanager
def fresh_knobs(skipped: tuple[str, ...] = ()) -> Iterator[Any]:
    """Knobs as if no variable were set, except those of the groups in `skipped`; all is restored afterwards."""
    groups = {name: group for name, group in vars(knobs).items() if isinstance(group, knobs.KnobGroup)}
    with contextlib.ExitStack() as stack:
        for name, group in groups.items():
            stack.enter_context(group.scope())
            if name in skipped:
                continue
            group.reset()
            for knob in group.knob_descriptors.values():
                os.environ.pop(knob.env, None)
        yield knobs


def _fresh_knobs_impl(skipped_attr: Any = ()) -> tuple[Callable[[], Any], Callable[[], None]]:
    """``(start, stop)`` of `fresh_knobs`, for fixtures."""
    stack = contextlib.ExitStack()
    return lambda: stack.enter_context(fresh_knobs(tuple(skipped_attr or ()))), stack.close


# A backend may add helpers of its own, such as a test whether its device is the current one.
spec("testing_extend_globals", globals())
