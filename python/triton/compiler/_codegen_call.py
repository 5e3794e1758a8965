"""Calls in a kernel: builtins, jit functions, classes, functions of Python. Part of the code generator."""

from __future__ import annotations

import builtins as py
from inspect import Parameter
from types import BuiltinFunctionType, FunctionType, MethodType

from ..language import _values as V
from ..language import core
from ..language._builtin import BoundJITMethod, is_builtin
from ..language._tensor import tensor
from ..language._values import _unwrap_if_constexpr, base_value, constexpr, flatten_values
from ..runtime.jit import BoundConstexprFunction, ConstexprFunction, JITFunction
from .errors import CompilationError


class Calls:
    """Evaluates calls. Functions of the user become private functions of the module, one per combination of argument
    types and constants; functions of the language library are traced in place.
    """

    max_call_depth = 200  # more is taken for recursion

    def visit_Call(self, node):
        fn = self.visit(node.func)
        # A host function that the user made a constant, `tl.constexpr(f)`, is meant to run at compile time.
        is_constant = isinstance(fn, constexpr) and isinstance(fn.value, FunctionType)
        fn = _unwrap_if_constexpr(fn)
        args = self._elements(node.args)
        kwargs = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                raise self.unsupported(node, "`**` in a call is not supported; name each argument")
            kwargs[keyword.arg] = self.visit(keyword.value)
        self.locate(node)
        if is_constant and not is_builtin(fn):
            plain_kwargs = {k: _unwrap_if_constexpr(v) for k, v in kwargs.items()}
            return self.as_kernel_value(fn(*(_unwrap_if_constexpr(a) for a in args), **plain_kwargs))
        return self.call(fn, args, kwargs, node)

    def call(self, fn, args: list, kwargs: dict, node=None):
        """The result of `fn(*args, **kwargs)`, as a language value or host object."""
        if isinstance(fn, BoundJITMethod):
            args = [fn.self_value, *args]
            fn = fn.fn
        fn = self.redirect(fn)
        if isinstance(fn, JITFunction):
            return self.call_jit(fn, args, kwargs)
        if is_builtin(fn):
            return self._call_builtin(fn, args, kwargs)
        if isinstance(fn, (ConstexprFunction, BoundConstexprFunction)):
            return self._call_constexpr_function(fn, args, kwargs)
        if isinstance(fn, type):
            return self._call_class(fn, args, kwargs)
        handler = _PYTHON.get(fn) if getattr(fn, "__hash__", None) else None
        if handler is not None:
            self._check_count(fn, args, kwargs)
            return handler(self, args, kwargs)
        return self._call_host_function(fn, args, kwargs, node)

    def _call_builtin(self, fn, args, kwargs):
        kwargs["_semantic"] = self.semantic
        takes_generator = getattr(fn, "_takes_generator", None)
        if takes_generator is None:
            takes_generator = _takes_generator(fn)
        if takes_generator:
            kwargs["_generator"] = self
        result = fn(*args, **kwargs)
        return V.as_value(result) if isinstance(result, (tuple, list)) else result

    def _call_constexpr_function(self, fn, args, kwargs):
        return self.as_kernel_value(fn(*args, _semantic=self.semantic, **kwargs))

    def _call_class(self, cls, args, kwargs):
        if cls in _CLASSES:
            self._check_count(cls, args, kwargs)
            return _CLASSES[cls](self, args, kwargs)
        if getattr(cls, "__triton_aggregate__", False):
            return self._make_aggregate(cls, args, kwargs)
        if issubclass(cls, tuple) and hasattr(cls, "_fields"):
            return V.tuple(cls(*args, **kwargs))
        plain_args = [_unwrap_if_constexpr(a) for a in args]
        plain_kwargs = {k: _unwrap_if_constexpr(v) for k, v in kwargs.items()}
        made = cls(*plain_args, **plain_kwargs)
        return made if isinstance(made, (base_value, core.dtype)) else self.as_kernel_value(made)

    def _make_aggregate(self, cls, args, kwargs):
        user_init = getattr(cls.__init__, "_user_init", None)
        if not isinstance(user_init, JITFunction):
            return cls(*args, **kwargs)
        instance = object.__new__(cls)
        self.inline_call(user_init, [instance, *args], kwargs)
        missing = [f for f in cls._field_names if f not in instance.__dict__]
        if missing:
            raise AttributeError(f"{cls.__name__}.__init__ did not set: {', '.join(missing)}")
        return instance

    def _call_host_function(self, fn, args, kwargs, node):
        values = [*args, *kwargs.values()]
        known = not any(isinstance(v, base_value) and not isinstance(v, (constexpr, V.tuple)) for v in values)
        is_method = isinstance(fn, MethodType) and not isinstance(fn.__self__, base_value)
        is_own = getattr(fn, "__module__", None) is not None and fn.__module__.startswith("triton.")
        if known and (isinstance(fn, BuiltinFunctionType) or is_method or is_own):
            plain_args = [_unwrap_if_constexpr(a) for a in args]
            plain_kwargs = {k: _unwrap_if_constexpr(v) for k, v in kwargs.items()}
            return self.as_kernel_value(fn(*plain_args, **plain_kwargs))
        name = getattr(fn, "__name__", repr(fn))
        if isinstance(fn, FunctionType):
            raise self.unsupported(
                node,
                f"{name}() is a plain Python function. Decorate it with @triton.jit to compile it, or with "
                "@triton.constexpr_function to run it at compile time on constants",
            )
        raise TypeError(f"{name} cannot be called in a kernel")

    # --- functions of Python ---
    @staticmethod
    def _check_count(fn, args, kwargs):
        """TypeError unless `fn` takes as many arguments."""
        least, most = _COUNTS.get(fn, (0, None))
        if len(args) < least or (most is not None and (kwargs or len(args) > most)):
            expected = f"{least}" if least == most else f"{least} to {most}" if most else f"at least {least}"
            raise TypeError(
                f"{fn.__name__}() takes {expected} positional arguments, got {len(args)} and {len(kwargs)} named"
            )

    def _py_print(self, args, kwargs):
        prefix = ""
        if args and isinstance(args[0], constexpr) and isinstance(args[0].value, str):
            prefix, args = args[0].value, args[1:]
        return core.device_print(prefix, *args, _semantic=self.semantic, **kwargs)

    def _py_len(self, args, kwargs):
        (value,) = args
        if isinstance(value, tensor):
            shape = value.type.get_block_shapes()
            if not shape:
                raise TypeError("a scalar has no len()")
            return constexpr(shape[0])
        return constexpr(len(value if isinstance(value, V.tuple) else _unwrap_if_constexpr(value)))

    def _extremum(self, python, on_tensors, args):
        if len(args) == 1 and isinstance(args[0], V.tuple):
            args = args[0].values
        if not any(isinstance(a, tensor) for a in args):
            return constexpr(python(*(_unwrap_if_constexpr(a) for a in args)))
        result = args[0]
        for a in args[1:]:
            result = on_tensors(result, a, _semantic=self.semantic)
        return result

    def _py_min(self, args, kwargs):
        return self._extremum(min, core.minimum, args)

    def _py_max(self, args, kwargs):
        return self._extremum(max, core.maximum, args)

    def _py_abs(self, args, kwargs):
        (value,) = args
        return self.semantic.abs(value) if isinstance(value, tensor) else constexpr(abs(_unwrap_if_constexpr(value)))

    def _py_isinstance(self, args, kwargs):
        value, classes = args
        classes = _unwrap_if_constexpr(classes)
        classes = classes if isinstance(classes, tuple) else (classes,)
        # A constant is an instance of constexpr as well as of the class of its value.
        return constexpr(any(isinstance(value, c) or isinstance(_unwrap_if_constexpr(value), c) for c in classes))

    def _py_hasattr(self, args, kwargs):
        value, name = args
        value = value.value if isinstance(value, constexpr) else value
        return constexpr(hasattr(value, _unwrap_if_constexpr(name)))

    def _py_getattr(self, args, kwargs):
        name = _unwrap_if_constexpr(args[1])
        try:
            return self.attribute(args[0], name)
        except AttributeError:
            if len(args) == 3:
                return args[2]
            raise

    def _number(self, python, dtype, args):
        (value,) = args
        if isinstance(value, tensor):
            return self.semantic.cast(value, dtype)
        return constexpr(python(_unwrap_if_constexpr(value)))

    def _py_zip(self, args, kwargs):
        return V.tuple([V.tuple(items) for items in zip(*(self.static_items(a, None) for a in args))])

    def _py_enumerate(self, args, kwargs):
        start = _unwrap_if_constexpr(args[1]) if len(args) > 1 else 0
        return V.tuple([V.tuple([constexpr(i), v]) for i, v in enumerate(self.static_items(args[0], None), start)])

    def _py_sum(self, args, kwargs):
        result = args[1] if len(args) > 1 else constexpr(0)
        for item in self.static_items(args[0], None):
            if isinstance(item, tensor) or isinstance(result, tensor):
                result = self.semantic.add(_unwrap_if_constexpr(result), _unwrap_if_constexpr(item))
            else:
                result = constexpr(_unwrap_if_constexpr(result) + _unwrap_if_constexpr(item))
        return result

    # --- jit functions ---
    def bind(self, fn: JITFunction, args: list, kwargs: dict) -> dict:
        """Parameter names of `fn` and their values. TypeError as Python would raise for a wrong call."""
        bound = {}
        rest = list(args)
        for param in fn.params:
            kind = getattr(param, "kind", Parameter.POSITIONAL_OR_KEYWORD)
            if kind is Parameter.VAR_POSITIONAL:
                bound[param.name] = V.tuple(rest)
                rest = []
                continue
            if rest and kind is not Parameter.KEYWORD_ONLY:
                if param.name in kwargs:
                    raise TypeError(f"{fn.__name__}() got multiple values for argument '{param.name}'")
                value = rest.pop(0)
            elif param.name in kwargs:
                value = kwargs.pop(param.name)
            elif param.has_default:
                value = param.default
            else:
                raise TypeError(f"{fn.__name__}() is missing the argument '{param.name}'")
            value = self._argument(value)
            # A value of the run time may stand for a tl.constexpr: where it has to be a constant, its use says so.
            bound[param.name] = value
        if rest:
            raise TypeError(f"{fn.__name__}() takes {len(fn.params)} arguments but {len(args)} were given")
        if kwargs:
            names = ", ".join(f"'{k}'" for k in kwargs)
            raise TypeError(f"{fn.__name__}() got an unexpected keyword argument {names}")
        return bound

    @staticmethod
    def _argument(value):
        if isinstance(value, BoundJITMethod):
            raise TypeError(f"the method {value.fn.__name__} cannot be passed as an argument")
        return value if isinstance(value, base_value) else V.as_value(value)

    def call_jit(self, fn: JITFunction, args: list, kwargs: dict):
        """Call `fn` through a function of the module, made once per combination of argument types and constants."""
        if fn.__module__.startswith("triton.language.") and not fn.noinline:
            return self.inline_call(fn, args, kwargs)
        bound = self.bind(fn, args, dict(kwargs))
        types = [v.type for v in bound.values()]
        mangled = "_".join(t.mangle() for t in types)
        key = (fn, mangled, tuple(t for t in types if _is_hashable(t)))
        callee = self.state.functions.get(key)
        if callee is None:
            if fn in self.state.active:
                raise TypeError(f"{fn.__name__}() calls itself; recursion is not supported in kernels")
            symbol = self.state.unique_symbol(f"{fn.module}.{fn.__name__}__{mangled}")
            callee = self._define(fn, symbol, bound)
            self.state.functions[key] = callee
        symbol, result_type = callee
        result_types: list = []
        if result_type is not None:
            result_type.flatten_ir_types(self.builder, result_types)
        handles = self.builder.create_call(symbol, result_types, flatten_values(bound.values()))
        return constexpr(None) if result_type is None else result_type.unflatten_ir(handles, 0)[0]

    def _define(self, fn: JITFunction, symbol: str, bound: dict):
        generator = type(self)(self.state, fn)
        position, loc = self.builder.get_insertion_point(), self.builder.get_loc()
        self.state.active.append(fn)
        try:
            result_type = generator.define_function(symbol, bound)
        except CompilationError as e:
            raise self.callee_error(fn, e) from e
        finally:
            self.state.active.pop()
        self.builder.restore_insertion_point(position)
        self.builder.set_loc(loc)
        return symbol, result_type

    def callee_of(self, fn: JITFunction):
        """A generator for the body of `fn`, to be traced at the current position."""
        return type(self)(self.state, fn)

    def inline_call(self, fn, args: list, kwargs: dict):
        """Trace `fn` at the current position and return its result; `fn` may be a builtin as well."""
        fn = _unwrap_if_constexpr(fn)
        if not isinstance(fn, JITFunction):
            return self.call(fn, args, kwargs)
        if len(self.state.active) > self.max_call_depth:
            raise TypeError(f"{fn.__name__}() calls itself; recursion is not supported in kernels")
        callee = self.callee_of(fn)
        loc = callee.call_site = self.builder.get_loc()
        self.state.active.append(fn)
        try:
            result = callee.trace_inline(self.bind(fn, args, dict(kwargs)))
        except CompilationError as e:
            raise self.callee_error(fn, e) from e
        finally:
            self.state.active.pop()
        self.builder.set_loc(loc)
        return result

    def callee_error(self, fn: JITFunction, error: CompilationError) -> CompilationError:
        """The error at the call for an error in what is called."""
        message = f"in {fn.__name__}(), called here: {error.error_message or ''}"
        return CompilationError(self.src, self.current_node, message.rstrip(": "))


def _is_hashable(t) -> bool:
    try:
        hash(t)
    except TypeError:
        return False
    return True


def _takes_generator(fn) -> bool:
    """For functions that carry the mark of a builtin without being made by the decorator."""
    import inspect

    try:
        return "_generator" in inspect.signature(fn).parameters
    except (TypeError, ValueError):
        return False


_PYTHON = {
    py.print: Calls._py_print,
    py.len: Calls._py_len,
    py.min: Calls._py_min,
    py.max: Calls._py_max,
    py.abs: Calls._py_abs,
    py.isinstance: Calls._py_isinstance,
    py.hasattr: Calls._py_hasattr,
    py.getattr: Calls._py_getattr,
    py.sum: Calls._py_sum,
}
# Least and greatest number of positional arguments.
_COUNTS = {
    **dict.fromkeys((py.len, py.abs, int, float, bool), (1, 1)),
    **dict.fromkeys((py.isinstance, py.hasattr), (2, 2)),
    **dict.fromkeys((py.min, py.max), (1, None)),
    py.getattr: (2, 3),
    py.sum: (1, 2),
    enumerate: (1, 2),
}
_CLASSES = {
    int: lambda self, args, kwargs: self._number(int, core.int32, args),
    float: lambda self, args, kwargs: self._number(float, core.float32, args),
    bool: lambda self, args, kwargs: self._number(bool, core.int1, args),
    zip: Calls._py_zip,
    enumerate: Calls._py_enumerate,
    list: lambda self, args, kwargs: V.tuple(self.static_items(args[0], None) if args else []),
    tuple: lambda self, args, kwargs: V.tuple(self.static_items(args[0], None) if args else []),
    V.tuple: lambda self, args, kwargs: V.tuple(self.static_items(args[0], None) if args else []),
    range: lambda self, args, kwargs: core.range(*args, **kwargs),
    core.range: lambda self, args, kwargs: core.range(*args, **kwargs),
    core.static_range: lambda self, args, kwargs: core.static_range(*args, **kwargs),
    core.condition: lambda self, args, kwargs: core.condition(*args, **kwargs),
    constexpr: lambda self, args, kwargs: constexpr(*args, **kwargs),
}
