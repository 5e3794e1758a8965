"""`jit` and the objects that it makes."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable, Iterable
from typing import Any, Generic, NamedTuple, TypeVar

from .. import knobs
from ._async_compile import FutureKernel, active_mode
from .fork_guard import guard
from .kernel_param import KernelParam, parameters_of
from .kernel_source import (
    BoundConstexprFunction,
    ConstexprFunction,
    JITCallable,
    constexpr_function,
)
from .specialize import mangle_type, native_specialize_impl
from .tensor_wrapper import MockTensor, TensorWrapper, reinterpret

__all__ = [
    "BoundConstexprFunction",
    "ConstexprFunction",
    "JITCallable",
    "JITFunction",
    "KernelInterface",
    "KernelParam",
    "MockTensor",
    "TensorWrapper",
    "constexpr_function",
    "jit",
    "mangle_type",
    "native_specialize_impl",
    "reinterpret",
]

T = TypeVar("T")


class KernelInterface(Generic[T]):
    """What can be launched: `kernel[grid](*args, **kwargs)` calls `run` with the grid."""

    run: T

    def warmup(self, *args: Any, grid: Any, **kwargs: Any) -> Any:
        """Compiles for these arguments without launching. Dtypes may stand for tensors."""
        return self.run(*map(MockTensor.wrap_dtype, args), grid=grid, warmup=True, **kwargs)

    def run(self, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not define run()")

    def __getitem__(self, grid: Any) -> T:
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)


class DeviceCache(NamedTuple):
    """Kernels of a jit function for one device, and what they were compiled with."""

    kernels: dict[str, Any]
    target: Any
    backend: Any


class _FixedName:
    """The default `repr` of a jit function; a class, because jit functions are pickled."""

    def __init__(self, name: str):
        self.name = name

    def __call__(self, _: Any) -> str:
        return self.name


def _selected(names: Iterable[str | int] | None, params: list[str]) -> set[int]:
    """Positions that a `do_not_specialize` list of names and positions selects.

    What is no parameter is left out without an error: libraries give one list to kernels with different parameters.
    """
    listed = set(names or ())
    return {i for i, name in enumerate(params) if i in listed or name in listed}


class NativeSlot:
    """Holds the native half of a kernel at a fixed place in the object, where libtriton finds it."""

    __slots__ = ("_native",)


class KernelCache(dict):
    """Kernels by key. Removing one, or all, also makes the native launcher forget what it knows."""

    def __init__(self, forget: Callable[[], None]):
        super().__init__()
        self._forget = forget

    def clear(self) -> None:
        super().clear()
        self._forget()

    def __delitem__(self, key: Any) -> None:
        super().__delitem__(key)
        self._forget()

    def pop(self, *args: Any) -> Any:
        value = super().pop(*args)
        self._forget()
        return value

    def __reduce__(self) -> tuple:
        return dict, ()  # kernels are not pickled


class JITFunction(JITCallable, KernelInterface[T], NativeSlot):
    """A kernel, or a helper that kernels call. `fn[grid](*args, **kwargs)` compiles it when needed and launches it.

    Keyword arguments that are no parameters are options of the backend (``num_warps``, ...).
    """

    def __init__(
        self,
        fn: Callable,
        version: Any = None,
        do_not_specialize: Iterable[str | int] | None = None,
        do_not_specialize_on_alignment: Iterable[str | int] | None = None,
        debug: bool | None = None,
        noinline: bool | None = None,
        repr: Callable[[Any], str] | None = None,
        launch_metadata: Callable | None = None,
    ):
        super().__init__(fn)
        declared = parameters_of(fn)
        names = [name for name, *_ in declared]
        no_spec = _selected(do_not_specialize, names)
        no_align = _selected(do_not_specialize_on_alignment, names)
        self.version = version
        self.do_not_specialize = do_not_specialize
        self.do_not_specialize_on_alignment = do_not_specialize_on_alignment
        self.params = [
            KernelParam(i, name, default, annotation, kind, i in no_spec, i in no_align)
            for i, (name, default, annotation, kind) in enumerate(declared)
        ]
        self.arg_names = names
        self.constexprs = [p.num for p in self.params if p.is_constexpr]
        self.debug = debug
        self.noinline = bool(noinline)
        self.repr = repr if repr is not None else _FixedName(fn.__name__)
        self.launch_metadata = launch_metadata
        self.pre_run_hooks: list[Callable] = []
        self.kernel = None
        self.device_caches: dict[int, DeviceCache] = KernelCache(self._forget_native)

    @property
    def signature(self) -> inspect.Signature:
        """The parameters as `inspect` describes them."""
        return inspect.signature(self.fn)

    # -- the native half ------------------------------------------------------------------------------------------

    _native: Any

    def _make_native(self) -> Any:
        """Called by the launcher when it meets this function for the first time."""
        from .native_bridge import make_function

        return make_function(self)

    def _forget_native(self) -> None:
        native = getattr(self, "_native", None)
        if native is not None:
            native.clear()

    def _compile_for_launch(self, values: list[Any], given: dict[str, Any], device: int) -> tuple | None:
        """Called by the launcher for a kernel that it does not know. None: launch through Python."""
        from .native_bridge import launch_description, publish_globals

        kernel = self._find_or_compile(values, given, device, False)
        publish_globals(self._native, self.used_global_vals)
        if kernel is None or isinstance(kernel, FutureKernel):
            return None
        if getattr(kernel.metadata, "python_launch", False):  # its backend does more than the native launcher
            return None
        return launch_description(kernel)

    def add_pre_run_hook(self, hook: Callable) -> None:
        """`hook(*args, **kwargs)` runs before every launch, with the arguments of the launch."""
        if not callable(hook):
            raise TypeError(f"add_pre_run_hook(): expected a function, got {type(hook).__name__}")
        self.pre_run_hooks.append(hook)

    def is_gluon(self) -> bool:
        return False

    def _key_prefix(self) -> str:
        constexprs = ",".join(p.name for p in self.params if p.is_constexpr)
        return f"version={self.version!r};noinline={self.noinline};constexpr={constexprs}"

    # -- compiling ------------------------------------------------------------------------------------------------

    @property
    def ASTSource(self) -> type:
        from ..compiler.source import ASTSource

        return ASTSource

    def _device_cache(self, device: int) -> DeviceCache:
        """The cache of `device`; a new one when the active driver has another target than before."""
        from ..compiler.compiler import make_backend
        from .driver import driver

        target = driver.active.get_current_target()
        cache = self.device_caches.get(device)
        if cache is None or cache.target != target:
            cache = self.device_caches[device] = DeviceCache(
                KernelCache(self._forget_native), target, make_backend(target)
            )
        return cache

    def create_binder(self) -> tuple[dict, dict, Any, Any, Callable]:
        """For tools: ``(kernels, {}, target, backend, binder)`` of the current device.

        ``binder(*args, **kwargs)`` binds the arguments of a launch. It returns them by name, a pair of type and key for
        each, and the keywords that are options.
        """
        from .binder import bind, specialize
        from .driver import driver

        cache = self._device_cache(driver.active.get_current_device())

        def binder(*args: Any, **kwargs: Any) -> tuple[dict[str, Any], list[tuple], dict[str, Any]]:
            values, options = bind(self, args, kwargs)
            return dict(zip(self.arg_names, values)), list(zip(*specialize(self, cache.backend, values))), options

        return cache.kernels, {}, cache.target, cache.backend, binder

    def _find_or_compile(self, values: list[Any], given: dict[str, Any], device: int, warmup: bool) -> Any:
        """The kernel for these arguments and options, from memory or by compiling; None if a hook skips it."""
        with guard.compiling():
            return self._find_or_compile_guarded(values, given, device, warmup)

    def _find_or_compile_guarded(self, values: list[Any], given: dict[str, Any], device: int, warmup: bool) -> Any:
        from .binder import attributes, check_options, constants, specialize

        self.cache_key  # noqa: B018  (the globals to check are known from here on)
        self.check_globals()
        cache = self._device_cache(device)
        spec = specialize(self, cache.backend, values)
        given = {**given, "debug": given.get("debug", self.debug) or knobs.runtime.debug}
        constant_values = constants(spec, values)
        key = self._memory_key(spec, constant_values, given)
        kernel = cache.kernels.get(key)
        if kernel is not None:
            return kernel
        options = cache.backend.parse_options(given)
        check_options(self, given, options)
        signature = dict(zip(self.arg_names, spec.types))
        src = self.ASTSource(self, signature, constant_values, attributes(spec, cache.backend))
        return self._compile(key, src, options, given, device, warmup)

    def _memory_key(self, spec: Any, constant_values: dict, given: dict[str, Any]) -> str:
        from ..compiler.source import constant_text

        texts = [f"{path}={constant_text(value)}" for path, value in constant_values.items()]
        options = sorted((name, constant_text(value)) for name, value in given.items())
        keys = ["" if type_name == "constexpr" else key for type_name, key in zip(*spec)]
        return f"{spec.types}{keys}{texts}{options}{knobs.code_state()}"

    def _compile(self, key: str, src: Any, options: Any, given: dict, device: int, warmup: bool) -> Any:
        from ..compiler.compiler import compile

        cache = self.device_caches[device]

        def call(hook: Any, done: bool) -> bool:
            """Calls `hook`, if there is one; true if it asks to skip the compile."""
            if not hook:
                return False
            from .jit_hooks import call_hook

            return call_hook(hook, self, key, src, options, cache.target, device, warmup, done)

        if call(knobs.runtime.jit_cache_hook, done=False):
            return None

        def finish(kernel: Any) -> Any:
            first = cache.kernels.setdefault(key, kernel)  # another thread may have been faster
            call(knobs.runtime.jit_post_compile_hook, done=True)
            return first

        mode = active_mode()
        if mode is None:
            return finish(compile(src, target=cache.target, options=given))
        return mode.submit(self, key, lambda: compile(src, target=cache.target, options=given), finish)

    def preload(self, specialization_data: str) -> Any:
        """Compiles what the hooks' ``specialization_data`` describes, so that a later launch finds it."""
        from .driver import driver
        from .jit_hooks import deserialize

        data = json.loads(specialization_data)
        device = driver.active.get_current_device()
        cache = self._device_cache(device)
        src = deserialize(self, data, cache.target)
        given = dict(data["options"])
        return self._compile(data["key"], src, cache.backend.parse_options(given), given, device, True)

    # -- launching ------------------------------------------------------------------------------------------------

    def __getitem__(self, grid: Any) -> Any:
        """What is called to launch over `grid`. The native launcher takes the place of this, at the first launch."""
        activate()
        return JITFunction.__getitem__(self, grid)

    def run(self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> Any:
        """Compiles if needed and, unless `warmup`, launches over `grid`. Returns the CompiledKernel."""
        return self._run_python(*args, grid=grid, warmup=warmup, **kwargs)

    def _run_python(self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> Any:
        """`run` without the native launcher, for what that does not decide. The first launch comes here, too."""
        if activate():
            # The class's own `run`, which is native now: an override that led here has run already.
            run = JITFunction.__dict__["run"].__get__(self, type(self))
            return run(*args, grid=grid, warmup=warmup, **kwargs)

        from .binder import bind
        from .driver import driver

        for hook in self.pre_run_hooks:
            hook(*args, **kwargs)
        active = driver.active
        device = active.get_current_device()
        values, given = bind(self, args, kwargs)
        kernel = self._find_or_compile(values, given, device, warmup)
        if kernel is not None and not warmup:
            kernel = kernel.result() if isinstance(kernel, FutureKernel) else kernel
            self._launch(active, device, kernel, grid, values)
        return kernel

    def _launch(self, active: Any, device: int, kernel: Any, grid: Any, values: list[Any]) -> None:
        from .binder import check_writable, normalize_grid

        check_writable(self, kernel, values)
        sizes = normalize_grid(self, grid, dict(zip(self.arg_names, values)))
        if 0 in sizes:
            return
        stream = active.get_current_stream(device)
        enter, leave = knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook
        described = kernel.launch_metadata(sizes, stream, *values)
        kernel.run(*sizes, stream, kernel.function, kernel.packed_metadata, described, enter, leave, *values)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            f"{self.__name__}() is a @triton.jit function and cannot be called from Python like this. "
            f"Launch it with {self.__name__}[grid](...), or call it from another @triton.jit function"
        )

    def __reduce_ex__(self, protocol: int) -> Any:
        """Pickled by name, like the Python function that it replaces, where the name leads to it."""
        found = sys.modules.get(self.module)
        for name in self.__qualname__.split("."):
            found = getattr(found, name, None)
        return self.__qualname__ if found is self and self.fn is not None else super().__reduce_ex__(protocol)

    def __repr__(self) -> str:
        return f"JITFunction({self._fn_name})"


def activate() -> bool:
    """Makes launches native, which loads what they need. True if this call changed anything."""
    with guard.compiling():
        from . import binder, native_bridge  # noqa: F401  (a fork must not fall into the import of either)

        return native_bridge.activate(JITFunction)


def jit(
    fn: Callable | None = None,
    *,
    version: Any = None,
    repr: Callable[[Any], str] | None = None,
    launch_metadata: Callable | None = None,
    do_not_specialize: Iterable[str | int] | None = None,
    do_not_specialize_on_alignment: Iterable[str | int] | None = None,
    debug: bool | None = None,
    noinline: bool | None = None,
) -> Any:
    """Decorator: compile `fn` for the device instead of running it in Python.

    `do_not_specialize` names parameters whose value must not lead to separate kernels, and
    `do_not_specialize_on_alignment` those for which divisibility by 16 must not. `repr` maps a specialization to the
    name of the kernel's symbol, `launch_metadata(grid, metadata, args)` adds to what launch hooks see. `debug`
    turns device asserts on, `noinline` keeps a helper a function of its own.
    """

    def decorator(function: Callable) -> JITFunction:
        make = JITFunction
        if knobs.runtime.interpret:
            from .interpreter import InterpretedFunction as make
        return make(
            function,
            version=version,
            do_not_specialize=do_not_specialize,
            do_not_specialize_on_alignment=do_not_specialize_on_alignment,
            debug=debug,
            noinline=noinline,
            repr=repr,
            launch_metadata=launch_metadata,
        )

    return decorator if fn is None else decorator(fn)
