"""A launch: arguments become values, and every program of the grid runs."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ... import knobs
from ...compiler.code_generator import ModuleState, _KernelArgument
from ...compiler.errors import CompilationError, CompileTimeAssertionFailure, UnsupportedLanguageConstruct
from ...language._values import constexpr
from ..binder import bind, check_options, constants, normalize_grid, specialize
from ..errors import InterpreterError
from .builder import DeviceAssertion, NumpyBuilder
from .debugging import hide_frames
from .elements import Value
from .evaluator import Evaluator, InterpreterSemantic
from .memory import Memory, ReadOnlyArgument


class KernelError(InterpreterError, CompilationError):
    """An error at a place in a kernel. Whoever expects the error of the compiler catches it as well."""

    def __init__(self, src: str | None, node: Any, error_message: str | None = None):
        CompilationError.__init__(self, src, node, error_message)

    __str__ = CompilationError.__str__
    __reduce__ = CompilationError.__reduce__


class KernelStaticAssertion(KernelError, CompileTimeAssertionFailure):
    """A `tl.static_assert` of an interpreted kernel does not hold."""


class KernelConstructError(KernelError, UnsupportedLanguageConstruct):
    """An interpreted kernel uses a part of Python that kernels cannot use."""


class KernelDeviceAssertion(KernelError, RuntimeError):
    """A `tl.device_assert` of an interpreted kernel does not hold."""


def _as_kernel_error(fn: Any, error: CompilationError, program: tuple[int, int, int]) -> KernelError:
    """`error` with the place in the file and in the grid."""
    kind: type[KernelError] = KernelError
    if isinstance(error, CompileTimeAssertionFailure):
        kind = KernelStaticAssertion
    elif isinstance(error, UnsupportedLanguageConstruct):
        kind = KernelConstructError
    elif isinstance(root_cause(error), DeviceAssertion):
        kind = KernelDeviceAssertion
    line = fn.starting_line_number - 1 + getattr(error.node, "lineno", 1)
    where = f"in program {program} of {fn.__name__}, {fn.fn.__code__.co_filename}:{line}"
    return kind(error.src, error.node, f"{error.error_message}\n{where}")


def root_cause(error: BaseException) -> BaseException:
    while error.__cause__ is not None:
        error = error.__cause__
    return error


@functools.cache
def _backend() -> Any:
    """The backend whose options, and whose implementations of device-neutral functions, kernels get."""
    from ...backends import backends

    cpu = backends["cpu"]
    return cpu.compiler(cpu.driver().get_current_target())


# --- arguments ---
# Torch's names of devices whose tensors lie in the memory of this process. The package of such a device adds its own.
HOST_DEVICES = {"cpu", "meta"}


def _address(what: str, value: Any) -> int:
    """Where a tensor is. ValueError when it is not in the memory of this process."""
    device = getattr(getattr(value, "device", None), "type", "cpu")
    if device not in HOST_DEVICES:
        raise ValueError(f"{what} is on {value.device}; the interpreter runs on arrays and tensors of the CPU")
    address = value.data_ptr() if hasattr(value, "data_ptr") else value.__array_interface__["data"][0]
    if not address and hasattr(value, "numel") and value.numel():
        raise ValueError(f"{what}, of type {type(value).__name__}, has no memory")
    return address


def _read_only_range(what: str, value: Any) -> list[tuple[int, int, str]]:
    if getattr(getattr(value, "flags", None), "writeable", True) or not getattr(value, "size", 0):
        return []
    spans = [(size - 1) * stride for size, stride in zip(value.shape, value.strides)]
    start = value.__array_interface__["data"][0]
    low, high = sum(min(s, 0) for s in spans), sum(max(s, 0) for s in spans)
    return [(start + low, start + high + value.itemsize, what)]


class _Arguments:
    """Collects the values of a launch's arguments in the order of their types, and what must not be written."""

    def __init__(self, builder: NumpyBuilder):
        self.builder = builder
        self.read_only: list[tuple[int, int, str]] = []

    def handles(self, what: str, type_name: Any, argument: Any, value: Any) -> list[Value]:
        if isinstance(type_name, (tuple, list)):
            found = []
            for i, (t, child, v) in enumerate(zip(type_name, argument.children, value)):
                found += self.handles(f"{what}[{i}]", t, child, v)
            return found
        if type_name == "constexpr":
            return []
        ir_types: list = []
        argument.type.flatten_ir_types(self.builder, ir_types)
        if type_name.startswith("tensordesc<"):
            numbers = [_address(what, value.base), *value.shape, *value.strides[:-1]]
        elif type_name.startswith("*"):
            numbers = [_address(what, value)]
            self.read_only += _read_only_range(what, value)
        else:
            numbers = [value]
        return [self.builder.create_constant(t, n) for t, n in zip(ir_types, numbers)]


# --- running ---
def _state(fn: Any, given: dict[str, Any], builder: NumpyBuilder) -> ModuleState:
    backend = _backend()
    options = backend.parse_options(given)
    check_options(fn, given, options)
    codegen_fns = backend.get_codegen_implementation(options)
    builder.options, builder.codegen_fns, builder.module_map = options, codegen_fns, backend.get_module_map()
    semantic = InterpreterSemantic(builder, options, codegen_fns)
    state = ModuleState(builder, None, semantic, dict(builder.module_map))
    state.prototypes, state.tried = {}, set()
    state.active.append(fn)
    return state


def _run_program(state: ModuleState, fn: Any, scope: dict[str, Any]) -> None:
    evaluator = Evaluator.of(state, fn)
    try:
        result = evaluator.trace_inline(dict(scope))
        if not (isinstance(result, constexpr) and result.value is None):
            message = f"a kernel cannot return a value ({result}); write results through pointers with tl.store"
            raise CompilationError(evaluator.src, evaluator.current_node, message)
    except CompilationError as error:
        cause = root_cause(error)
        if isinstance(cause, ReadOnlyArgument):
            raise cause.with_traceback(None) from None
        hide_frames(error)
        raise _as_kernel_error(fn, error, state.builder.program) from error.__cause__


def launch(fn: Any, args: tuple, kwargs: dict[str, Any], grid: Any) -> None:
    """Runs kernel `fn`. Raises what a compiled launch raises for wrong arguments, InterpreterError for the kernel."""
    for hook in fn.pre_run_hooks:
        hook(*args, **kwargs)
    with np.errstate(all="ignore"):
        _launch(fn, args, kwargs, grid)


def _launch(fn: Any, args: tuple, kwargs: dict[str, Any], grid: Any) -> None:
    values, given = bind(fn, args, kwargs)
    given = {**given, "debug": given.get("debug", fn.debug) or knobs.runtime.debug}
    spec = specialize(fn, _backend(), values)
    sizes = normalize_grid(fn, grid, dict(zip(fn.arg_names, values)))
    builder = NumpyBuilder(Memory([]), sizes)
    state = _state(fn, given, builder)
    constant_values = constants(spec, values)
    arguments = _Arguments(builder)
    scope = {}
    for i, (name, type_name, value) in enumerate(zip(fn.arg_names, spec.types, values)):
        argument = _KernelArgument(type_name, (i,), constant_values, name)
        handles = arguments.handles(f"{fn.__name__}(): argument {i} ({name!r})", type_name, argument, value)
        scope[name] = argument.type.unflatten_ir(handles, 0)[0]
    builder.memory.read_only = arguments.read_only
    described = _described(fn, sizes, values)
    if described is not None and knobs.runtime.launch_enter_hook:
        knobs.runtime.launch_enter_hook(described)
    for z in range(sizes[2]):
        for y in range(sizes[1]):
            for x in range(sizes[0]):
                builder.program = (x, y, z)
                _run_program(state, fn, scope)
    if described is not None and knobs.runtime.launch_exit_hook:
        knobs.runtime.launch_exit_hook(described)


def _described(fn: Any, grid: tuple[int, int, int], values: list[Any]) -> Any:
    """What the launch hooks get; None while there are none."""
    if not knobs.runtime.launch_enter_hook and not knobs.runtime.launch_exit_hook:
        return None
    from ...compiler.compiled_kernel import LazyDict

    described = LazyDict({"name": fn.__name__, "function": None, "stream": None})
    if fn.launch_metadata is not None:
        described.add(fn.launch_metadata, (grid, None, dict(zip(fn.arg_names, values))))
    return described
