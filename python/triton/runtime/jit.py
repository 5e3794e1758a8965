"""`jit` and the objects that it makes."""

from __future__ import annotations

from typing import Any, Callable, Generic, Iterable, TypeVar

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
        return self.run(grid=grid, warmup=True, *map(MockTensor.wrap_dtype, args), **kwargs)

    def run(self, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not define run()")

    def __getitem__(self, grid: Any) -> T:
        return lambda *args, **kwargs: self.run(grid=grid, warmup=False, *args, **kwargs)


class _FixedName:
    """The default `repr` of a jit function; a class, because jit functions are pickled."""

    def __init__(self, name: str):
        self.name = name

    def __call__(self, _: Any) -> str:
        return self.name


def _selected(option: str, fn_name: str, names: Iterable[str | int] | None, params: list[str]) -> set[int]:
    """Positions that a `do_not_specialize` list of names and positions selects."""
    result = set()
    for name in names or ():
        if isinstance(name, int) and 0 <= name < len(params):
            result.add(name)
        elif name in params:
            result.add(params.index(name))
        else:
            raise ValueError(f"jit({option}=...): {fn_name}() has no parameter {name!r}; it has {params}")
    return result


class JITFunction(JITCallable, KernelInterface[T]):
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
        no_spec = _selected("do_not_specialize", fn.__name__, do_not_specialize, names)
        no_align = _selected(
            "do_not_specialize_on_alignment", fn.__name__, do_not_specialize_on_alignment, names
        )
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

    def is_gluon(self) -> bool:
        return False

    def _key_prefix(self) -> str:
        constexprs = ",".join(p.name for p in self.params if p.is_constexpr)
        return f"{self._fn_name};version={self.version!r};noinline={self.noinline};constexpr={constexprs}"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            f"{self.__name__}() is a @triton.jit function and cannot be called from Python like this. "
            f"Launch it with {self.__name__}[grid](...), or call it from another @triton.jit function"
        )

    def __repr__(self) -> str:
        return f"JITFunction({self._fn_name})"


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
        return JITFunction(
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
