"""Settings of the compiler and the runtime, as typed attributes: ``knobs.cache.dir``, ``knobs.runtime.debug``.

Each follows an environment variable until it is assigned. ``knobs.<group>.scope()`` limits assignments to a ``with``
block, ``reset()`` undoes them, ``copy()`` gives a group of one's own.
"""

from __future__ import annotations

import difflib
import os
from typing import Any

from ._knob_types import (
    Env,
    ForeignKnobs,
    HookChain,
    Knob,
    KnobGroup,
    Setting,
    bool_knob,
    class_knob,
    env,
    int_knob,
    path_knob,
    str_knob,
)
from ._lazy import lazy_export
from .flagtree_spec import spec

__all__ = [
    "Env",
    "HookChain",
    "autotuning",
    "build",
    "cache",
    "compilation",
    "env",
    "language",
    "propagate_env",
    "redis",
    "refresh_knobs",
    "runtime",
]


# Whether assigning a knob sets its variable, too. May be assigned.
propagate_env = True
KnobGroup._propagate = staticmethod(lambda: propagate_env)

# What backends declare knobs of their own with, and what annotations of hooks name.
_EXPORTS: dict[str, str] = dict.fromkeys(
    (
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
    ),
    "triton._knob_declarations",
)


def _under_home(name: str) -> Any:
    return lambda group: group.get_triton_dir(name)


def _home(_: Any) -> str:
    home = os.path.expanduser("~")
    if os.path.isabs(home):
        return home
    from ._temporary_home import temporary_home

    return temporary_home()


def _default_cache_manager(_: Any) -> type:
    from .runtime.cache import FileCacheManager

    return FileCacheManager


class build_knobs(KnobGroup):
    """How C code is compiled for tools; kernels need no C compiler."""

    cc = str_knob("CC")
    # for software that sets them; nothing here compiles C for a launch
    impl = Setting(lambda: None)
    backend_dirs = Setting(set)


class redis_knobs(KnobGroup):
    key_format = str_knob("TRITON_REDIS_KEY_FORMAT", "triton:{key}:{filename}")
    host = str_knob("TRITON_REDIS_HOST", "localhost")
    port = int_knob("TRITON_REDIS_PORT", 6379)


class cache_knobs(KnobGroup):
    """Where compiled kernels are kept."""

    home_dir = path_knob("TRITON_HOME", _home)
    dir = path_knob("TRITON_CACHE_DIR", _under_home("cache"))
    dump_dir = path_knob("TRITON_DUMP_DIR", _under_home("dump"))
    override_dir = path_knob("TRITON_OVERRIDE_DIR", _under_home("override"))
    manager_class = class_knob("TRITON_CACHE_MANAGER", _default_cache_manager, "triton.runtime.cache:CacheManager")
    remote_manager_class = class_knob("TRITON_REMOTE_CACHE_BACKEND", base="triton.runtime.cache:RemoteCacheBackend")

    def get_triton_dir(self, name: str) -> str:
        """The folder `name` below that of this package in the home folder."""
        return os.path.join(self.home_dir, ".triton", name)

    def get_file_manager(self, key: str) -> Any:
        """Cache manager for the files of `key`."""
        return self.manager_class(key)


class compilation_knobs(KnobGroup):
    override = bool_knob("TRITON_KERNEL_OVERRIDE")
    dump_ir = bool_knob("TRITON_KERNEL_DUMP")
    dump_ir_extract_di_local_variables = bool_knob("LLVM_EXTRACT_DI_LOCAL_VARIABLES")
    store_binary_only = bool_knob("TRITON_STORE_BINARY_ONLY")
    always_compile = bool_knob("TRITON_ALWAYS_COMPILE")
    use_ir_loc = str_knob("USE_IR_LOC")
    enable_asan = bool_knob("TRITON_ENABLE_ASAN")
    disable_line_info = bool_knob("TRITON_DISABLE_LINE_INFO")
    front_end_debugging = bool_knob("TRITON_FRONT_END_DEBUGGING")
    allow_non_constexpr_globals = bool_knob("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS")
    instrumentation_mode = Knob("TRITON_INSTRUMENTATION_MODE", str, "", once=True)
    # called as listener(src, metadata, metadata_group, times, cache_hit)
    listener = Setting(lambda: None)


class autotuning_knobs(KnobGroup):
    cache = bool_knob("TRITON_CACHE_AUTOTUNING")
    print = bool_knob("TRITON_PRINT_AUTOTUNING")
    listener = Setting(lambda: None)


class runtime_knobs(KnobGroup):
    """Hooks are `HookChain`s that are false while empty; assigning a function or None replaces the chain."""

    interpret = bool_knob("TRITON_INTERPRET")
    debug = bool_knob("TRITON_DEBUG", once=True)
    override_arch = str_knob("TRITON_OVERRIDE_ARCH")
    # hook(lazy_dict) around every launch
    launch_enter_hook = Setting(HookChain)
    launch_exit_hook = Setting(lambda: HookChain(reversed=True))
    # hook(module, function, name, metadata_group, hash) around the load of a binary, and before it is unloaded: when
    # its kernel is collected, which one that can be launched is not
    kernel_load_start_hook = Setting(HookChain)
    kernel_load_end_hook = Setting(lambda: HookChain(reversed=True))
    kernel_unload_hook = Setting(HookChain)
    # hook(key=, repr=, fn=, compile=, is_manual_warmup=, already_compiled=); a true result skips the compile
    jit_cache_hook = Setting(lambda: None)
    jit_post_compile_hook = Setting(lambda: None)
    # hook(backend, stages, options, language, capability) may edit the stages of a compile
    add_stages_inspection_hook = Setting(lambda: None)


class language_knobs(KnobGroup):
    fp32_default = str_knob("TRITON_F32_DEFAULT")
    default_fp_fusion = bool_knob("TRITON_DEFAULT_FP_FUSION", True)
    force_disable_fp_fusion = bool_knob("TRITON_FORCE_DISABLE_FP_FUSION")


build = build_knobs()
redis = redis_knobs()
cache = cache_knobs()
compilation = compilation_knobs()
autotuning = autotuning_knobs()
runtime = runtime_knobs()
language = language_knobs()

# A backend may add groups of its own.
spec("knobs_extend_globals", globals())

_GROUPS = [group for group in list(globals().values()) if isinstance(group, KnobGroup)]

# Knobs that change generated code besides what a backend's options hold. Their variables are part of the key of a
# compiled kernel.
_CODE_KNOBS: tuple[tuple[KnobGroup, str], ...] = (
    (compilation, "enable_asan"),
    (compilation, "disable_line_info"),
    (compilation, "instrumentation_mode"),
    (compilation, "use_ir_loc"),
    (compilation, "allow_non_constexpr_globals"),
    (language, "fp32_default"),
    (language, "default_fp_fusion"),
    (language, "force_disable_fp_fusion"),
    (runtime, "debug"),
    (runtime, "override_arch"),
)
# The same of backends, which come and go: they count only where they are set.
_backend_code_knobs: list[tuple[KnobGroup, Knob]] = []

_foreign: dict[str, ForeignKnobs] = {}


def add_group(name: str, group: KnobGroup, code: tuple[str, ...] = ()) -> None:
    """Makes the knobs of the backend `name` known as ``knobs.<name>``. Those named in `code` change generated code.

    A backend calls this where its module `compiler` is imported.
    """
    globals()[name] = group
    _GROUPS.append(group)
    _backend_code_knobs.extend((group, getattr(type(group), knob)) for knob in code)
    group._changed()


def __getattr__(name: str) -> KnobGroup | ForeignKnobs:
    """The group of a backend, or of a device that is not there. AttributeError for a misspelled group."""
    if name in _EXPORTS:
        return lazy_export(globals(), _EXPORTS, name)
    groups = [group for group in __all__ if group.islower()]
    near = difflib.get_close_matches(name, groups, n=1, cutoff=0.75)
    if name.startswith("_") or near or not name.islower():
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise AttributeError(f"triton.knobs has no {name!r}{hint}")
    from .backends import backends

    if name in backends and name not in _foreign:
        backends[name].compiler  # noqa: B018  (adds its group)
    return globals().get(name) or _foreign.setdefault(name, ForeignKnobs())


def code_state() -> tuple:
    """Values of the knobs that change generated code."""
    of_backends = ((knob.env, getattr(group, knob.name)) for group, knob in _backend_code_knobs)
    changed = tuple((env, value) for env, value in of_backends if value)
    return (*(getattr(group, name) for group, name in _CODE_KNOBS), *changed)


def code_variables() -> list[str]:
    """The variables of these knobs."""
    own = [getattr(type(group), name).env for group, name in _CODE_KNOBS]
    return own + [knob.env for _, knob in _backend_code_knobs]


def refresh_knobs() -> None:
    """Makes knobs that read their variable once read it again."""
    for group in _GROUPS:
        group._read_once.clear()
        group._changed()
