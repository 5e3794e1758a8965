"""How the functions of libdevice are written: plain Python that takes the semantic and tensors."""

from __future__ import annotations

from triton.language import core
from triton.language.core import _unwrap_if_constexpr, builtin, tensor
from triton.language.extra.libdevice import in_order


def define(name: str, function, module: str):
    """Builtin `name` whose arguments arrive as tensors in `function(semantic, *args)`."""

    def libdevice_function(*args, _semantic=None, **named):
        args = in_order(name, args, named)
        return function(_semantic, *(_semantic.to_tensor(_unwrap_if_constexpr(a)) for a in args))

    libdevice_function.__name__ = libdevice_function.__qualname__ = name
    libdevice_function.__module__ = module
    libdevice_function.__doc__ = f"libdevice's {name}."
    return builtin(libdevice_function)


def as_float(semantic, x: tensor) -> tensor:
    """`x` as fp32 or fp64; narrower floats widen. TypeError for anything else."""
    if x.dtype in (core.float32, core.float64):
        return x
    if x.dtype.is_floating():
        return semantic.cast(x, core.float32)
    raise TypeError(f"expected a floating-point number, got {x.dtype}; use .to(tl.float32)")


def common_float(semantic, *args: tensor) -> list[tensor]:
    """All arguments in one shape and one type of fp32 and fp64; integers become the type of the others."""
    floats = [as_float(semantic, a) for a in args if a.dtype.is_floating()]
    if not floats:
        raise TypeError(f"expected floating-point numbers, got {', '.join(str(a.dtype) for a in args)}")
    dtype = core.float64 if any(f.dtype == core.float64 for f in floats) else core.float32
    args = [semantic.cast(a, dtype) for a in args]
    return same_shape(semantic, *args)


def same_shape(semantic, *args: tensor) -> list[tensor]:
    shaped = args[0]
    for a in args[1:]:
        shaped, _ = semantic.broadcast_pair(shaped, a)
    shape = shaped.type.get_block_shapes()
    return [semantic.broadcast_to(a, shape) if shape else a for a in args]


def libm(semantic, symbol: str, arguments: str, result: str, args) -> tensor:
    """Call a function of libm. Kinds of arguments and result: "f" the floating-point type, "i" int32."""
    floats = common_float(semantic, *(a for a, kind in zip(args, arguments) if kind == "f"))
    dtype = floats[0].dtype
    floats.reverse()
    args = [floats.pop() if kind == "f" else semantic.cast(a, core.int32) for a, kind in zip(args, arguments)]
    args = same_shape(semantic, *args)
    signature = tuple(a.dtype for a in args)
    name = symbol + ("f" if dtype == core.float32 else "")
    return semantic.extern_elementwise("", "", args, {signature: (name, dtype if result == "f" else core.int32)}, True)


def constant(semantic, like: tensor, value, dtype=None) -> tensor:
    return semantic.full(like.type.get_block_shapes(), value, dtype or like.dtype)
