"""What `triton.knobs` offers to backends that declare knobs of their own, and to annotations of hooks.

Loaded at first use: neither a launch nor a compile needs it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypedDict, Union

from ._knob_types import Knob, KnobGroup, _set_env, _text, bool_knob, class_knob, int_knob, str_knob
from .compiler.compiler import CompileTimes

__all__ = [
    "BuildImpl",
    "CompilationListener",
    "CompileTimes",
    "InitHandleHook",
    "JITHook",
    "JITHookCompileInfo",
    "KernelAttr",
    "LaunchHook",
    "PipelineStagesHook",
    "base_knobs",
    "env_base",
    "env_bool",
    "env_class",
    "env_int",
    "env_opt_bool",
    "env_opt_str",
    "env_str",
    "env_str_callable_default",
    "setenv",
    "toenv",
]

base_knobs = KnobGroup
env_base = Knob


def env_bool(key: str, default: bool = False) -> Knob[bool]:
    """A knob that is true or false."""
    return bool_knob(key, default)


def env_opt_bool(key: str) -> Knob[bool]:
    """A knob that is true, false or, where nothing is set, None."""
    return bool_knob(key, None)


def env_int(key: str, default: int = 0) -> Knob[int]:
    """A knob that is an integer."""
    return int_knob(key, default)


def env_str(key: str, default: str) -> Knob[str]:
    """A knob that is a text."""
    return str_knob(key, default)


def env_opt_str(key: str) -> Knob[str]:
    """A knob that is a text or None."""
    return str_knob(key)


def env_str_callable_default(key: str, default_factory: Callable[[], str]) -> Knob[str]:
    """A knob that is a text, by default what the function returns at each access."""
    return str_knob(key, lambda _: default_factory())


def env_class(key: str, type: str) -> Knob[type]:
    """A knob that is a class (``package.module:Class``) or None; `type` names the class that it is derived from."""

    def parse(text: str) -> Any:
        found = class_knob(key).parse(text)
        if type not in (base.__name__ for base in getattr(found, "__mro__", ())):
            raise ValueError(f"it is not a class derived from {type}")
        return found

    return Knob(key, parse)


def toenv(val: Any) -> tuple[str | None] | None:
    """The text of a knob's value in a tuple, or None for a value that a variable cannot hold."""
    if val is None:
        return (None,)
    return (_text(val),) if isinstance(val, (bool, int, str, type)) else None


def setenv(key: str, value: str | None) -> None:
    """Sets the environment variable `key`, or removes it for None."""
    _set_env(key, value)


KernelAttr = list[Union[str, int]]


class JITHookCompileInfo(TypedDict):
    """The argument `compile` of a `JITHook`."""

    key: str
    signature: dict[Any, str]
    device: int
    constants: None
    num_warps: int
    num_ctas: int
    num_stages: int
    enable_fp_fusion: bool
    launch_cooperative_grid: bool
    extern_libs: tuple[tuple[str, str], ...]
    configs: list[dict[tuple[int, ...], list[KernelAttr]]]
    specialization_data: str
    is_warmup: bool


class JITHook(Protocol):
    """`knobs.runtime.jit_cache_hook` (a true result skips the compile) and `jit_post_compile_hook`."""

    def __call__(
        self,
        *,
        key: str,
        repr: str,
        fn: Any,
        compile: JITHookCompileInfo,
        is_manual_warmup: bool,
        already_compiled: bool,
    ) -> bool | None: ...


class LaunchHook(Protocol):
    """`knobs.runtime.launch_enter_hook` and `launch_exit_hook`; `metadata.get()` is a dict."""

    def __call__(self, metadata: Any) -> None: ...


class InitHandleHook(Protocol):
    """`knobs.runtime.kernel_load_start_hook`, `kernel_load_end_hook` and `kernel_unload_hook`."""

    def __call__(
        self,
        module: object | None,
        function: Callable | None,
        name: str,
        metadata_group: dict[str, str],
        hash: str,
    ) -> None: ...


class CompilationListener(Protocol):
    """`knobs.compilation.listener`."""

    def __call__(
        self,
        *,
        src: Any,
        metadata: dict[str, Any],
        metadata_group: dict[str, str],
        times: CompileTimes,
        cache_hit: bool,
    ) -> None: ...


class PipelineStagesHook(Protocol):
    """`knobs.runtime.add_stages_inspection_hook`; may change the dict `stages`."""

    def __call__(self, stages: Any, options: Any, language: Any, capability: Any) -> Any: ...


class BuildImpl(Protocol):
    """`knobs.build.impl`; returns the path of the shared library that it made."""

    def __call__(
        self,
        name: str,
        src: str,
        srcdir: str,
        library_dirs: list[str],
        include_dirs: list[str],
        libraries: list[str],
        /,
    ) -> str: ...
