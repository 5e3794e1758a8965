"""Connects jit functions with the native binder and launcher, `libtriton.native`.

Importing triton must not load libtriton, so the first launch of the process does it: `activate` replaces
`JITFunction.__getitem__` and `JITFunction.run` by native ones. From then on a launch of a known kernel runs no
Python; what the native code does not decide comes back to `JITFunction._run_python`.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from functools import reduce
from operator import or_
from types import FunctionType
from typing import Any

from .. import knobs
from .._knob_types import HookChain, KnobGroup
from .driver import driver as _driver_object
from .driver import listeners
from .specialize import is_descriptor_type

_BLOCKING = 1
_ALL_DEVICES = 2**64 - 1

_lock = threading.Lock()
_native: Any = None
_words: dict[tuple, int] = {}


def native_module() -> Any:
    """libtriton's launcher. ImportError says what to do where an installation lacks it."""
    try:
        from triton._C.libtriton import native
    except ModuleNotFoundError as error:
        raise ImportError(
            "triton/_C/libtriton is missing, so this installation is incomplete. Install the wheel again, or build the "
            "checkout with `pip install --no-build-isolation -e .`"
        ) from error
    return native


def activate(jit_type: type) -> bool:
    """Makes launches of `jit_type` native. True if this call changed anything, so that the launch starts again."""
    global _native
    if _native is not None:
        return _refresh_driver()
    with _lock:
        if _native is None:
            _install(native_module(), jit_type)
    return _refresh_driver()


def _install(native: Any, jit_type: type) -> None:
    global _native
    slot = next(c.__dict__["_native"] for c in jit_type.__mro__ if "_native" in c.__dict__)
    # Where `run` is overridden, `kernel[grid]` is what it is for every kernel interface.
    plain = next(c.__dict__["__getitem__"] for c in jit_type.__mro__[1:] if "__getitem__" in c.__dict__)
    getitem, run = native.install(jit_type, slot, plain, jit_type._run_python)
    listeners.append(_set_driver)
    KnobGroup._listeners += (_publish_knobs,)
    _native = native
    native.watch_environment(os.environ._data, _publish_knobs)  # an object that changes with each assignment
    _publish_knobs()
    jit_type.__getitem__ = getitem
    jit_type.run = run


def activate_tuner(tuner_type: type) -> None:
    """Makes launches of autotuned kernels native, after those of others: their `__getitem__` is replaced."""
    with _lock:
        if isinstance(tuner_type.__dict__.get("__getitem__"), FunctionType):
            plain = next(c.__dict__["__getitem__"] for c in tuner_type.__mro__[1:] if "__getitem__" in c.__dict__)
            tuner_type.__getitem__ = _native.install_tuner(tuner_type, plain)


_current_driver: Any = None


def _refresh_driver() -> bool:
    active = _driver_object.active
    if active is _current_driver:
        return False
    _set_driver(active)
    return True


def _set_driver(active: Any) -> None:
    """Launches go to `active`; without a C interface, or for None, they go through Python."""
    global _current_driver
    _current_driver = active
    capsule = getattr(active, "driver_abi", None) if active is not None else None
    accepted = getattr(active, "dlpack_device_types", None)
    _native.set_driver(capsule, _ALL_DEVICES if accepted is None else _mask(accepted))


def _mask(device_types: Iterable[int]) -> int:
    """A bit for each DLPack device type; one that is named twice is one bit."""
    return reduce(or_, (1 << kind for kind in device_types), 0)


def _publish_knobs() -> None:
    """Tells the launcher which hooks are set, and a number that stands for the knobs that change code."""
    word = _words.setdefault(knobs.code_state(), len(_words))
    enter, leave = knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook
    _native.set_knobs(word, enter, _calls(enter), leave, _calls(leave))


def _calls(hook: Any) -> list | None:
    return hook.calls if isinstance(hook, HookChain) else None


def make_function(fn: Any) -> Any:
    """The native half of JITFunction `fn`."""
    described = [
        (
            p.name,
            p.has_default,
            p.default if p.has_default else None,
            p.is_constexpr,
            not p.do_not_specialize,
            not p.do_not_specialize_on_alignment,
            "KEYWORD_ONLY" in p.kind.name,
            p.annotation_type,
            p.is_variadic,
        )
        for p in fn.params
    ]
    return native_module().Function(fn, fn.pre_run_hooks, described)


def publish_globals(function: Any, used: dict[tuple[str, int], tuple[Any, dict]] | None) -> None:
    """Has every launch check the globals that the kernels of `function` depend on."""
    function.set_globals([(scope, name, value) for (name, _), (value, scope) in (used or {}).items()])


def _count_live(types: Any) -> int:
    """Number of values that a kernel with arguments of these types gets."""
    return sum(_count_live(t) if isinstance(t, (tuple, list)) else _width(t) for t in types)


def _width(type_name: str) -> int:
    if is_descriptor_type(type_name):
        rank = 1 + type_name.partition("[")[2].partition("]")[0].count(",")
        return 2 * rank  # base, shape, and strides without the last one
    return int(type_name != "constexpr")


def launch_description(kernel: Any) -> tuple[Any, int, int, int, int, int, int]:
    """What the launcher keeps of a kernel: itself, function, shared memory, warps, flags, number of arguments, and
    the bits of those (of the first 64) that it writes through."""
    metadata = kernel.metadata
    flags = _BLOCKING if getattr(metadata, "blocking", True) else 0
    live = _count_live(kernel.src.signature.values())
    written = sum(1 << index for index in getattr(metadata, "written_arguments", ()) if index < 64)
    return kernel, kernel.function, metadata.shared, metadata.num_warps, flags, live, written


def abi_launcher(driver: Any) -> Any:
    """`launcher_cls` of a driver with a C interface: makes `CompiledKernel.run`."""
    capsule = driver.driver_abi

    def make(src: Any, metadata: Any) -> Any:
        flags = _BLOCKING if getattr(metadata, "blocking", True) else 0
        names, types = list(src.signature), list(src.signature.values())
        return native_module().Runner(
            capsule, metadata.name, list(map(str, names)), types, metadata.shared, metadata.num_warps, flags
        )

    return make
