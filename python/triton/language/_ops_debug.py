"""Builtins without an effect on values: hints, assertions, printing; and foreign code."""

from __future__ import annotations

from ._builtin import builtin
from ._ops_shape import _as_dtype
from ._values import _unwrap_if_constexpr
from ._values import tuple as tl_tuple


class StaticAssertionError(AssertionError):
    """A `tl.static_assert` did not hold."""


def _hint_values(values, what: str) -> list:
    values = _unwrap_if_constexpr(values)
    values = list(values) if isinstance(values, (list, tuple)) else [values]
    values = [_unwrap_if_constexpr(v) for v in values]
    for i, v in enumerate(values):
        if not isinstance(v, int) or isinstance(v, bool):
            raise TypeError(f"{what}: value {i} must be a constexpr integer, got {v!r}")
    return values


@builtin
def multiple_of(input, values, _semantic=None):
    """Promise that the first element of each run of `input` is a multiple of `values`, one number per dimension."""
    return _semantic.multiple_of(_semantic.to_tensor(input), _hint_values(values, "tl.multiple_of"))


@builtin
def max_contiguous(input, values, _semantic=None):
    """Promise that each group of `values` elements of `input` is contiguous, one number per dimension."""
    return _semantic.max_contiguous(_semantic.to_tensor(input), _hint_values(values, "tl.max_contiguous"))


@builtin
def max_constancy(input, values, _semantic=None):
    """Promise that each group of `values` elements of `input` is constant, one number per dimension."""
    return _semantic.max_constancy(_semantic.to_tensor(input), _hint_values(values, "tl.max_constancy"))


@builtin
def assume(cond, _semantic=None):
    """Promise that the scalar `cond` holds."""
    return _semantic.assume(_semantic.to_tensor(cond))


@builtin
def debug_barrier(_semantic=None):
    """Wait for all threads of the program."""
    return _semantic.debug_barrier()


@builtin
def expect_zero(x, mask, _semantic=None):
    """`x`, of which elements are zero where `mask` is false; checked only by debugging modes of later versions."""
    return x


@builtin
def static_print(*values, sep=" ", end="\n", file=None, flush=False, _semantic=None):
    """Print while the kernel is compiled."""
    print(*values, sep=_unwrap_if_constexpr(sep), end=_unwrap_if_constexpr(end), file=file, flush=flush)


@builtin
def static_assert(cond, msg="", _semantic=None):
    """Fail the compilation unless `cond`, known at compile time, holds."""
    cond = _unwrap_if_constexpr(cond)
    if not isinstance(cond, (bool, int, type(None))):
        raise TypeError(f"tl.static_assert needs a compile-time condition, got {cond}; use tl.device_assert")
    if not cond:
        raise StaticAssertionError(str(_unwrap_if_constexpr(msg)))


@builtin
def device_print(prefix, *args, hex=False, _semantic=None):
    """Print values at run time, each with the position in the grid; `prefix` is a constant string."""
    prefix = _unwrap_if_constexpr(prefix)
    if not isinstance(prefix, str):
        raise TypeError(f"tl.device_print: the prefix must be a constant string, got {prefix!r}")
    if not prefix.isascii() or not prefix.isprintable():
        raise ValueError(f"tl.device_print: the prefix must be printable ASCII, got {prefix!r}")
    flat = []
    for a in args:
        flat.extend(a.values if isinstance(a, tl_tuple) else [a])
    return _semantic.device_print(prefix, flat, bool(_unwrap_if_constexpr(hex)))


@builtin
def device_assert(cond, msg="", mask=None, _semantic=None):
    """Stop the launch if `cond` is false anywhere that `mask` is true; only when compiled with `debug`."""
    msg = _unwrap_if_constexpr(msg)
    mask = _unwrap_if_constexpr(mask)
    if mask is not None:
        mask = _semantic.to_tensor(mask)
    return _semantic.device_assert(_semantic.to_tensor(cond), str(msg), mask)


def _signature_table(arg_type_symbol_dict) -> dict:
    return {
        tuple(_as_dtype(t) for t in signature): (symbol, _as_dtype(result))
        for signature, (symbol, result) in arg_type_symbol_dict.items()
    }


def extern_elementwise(lib_name, lib_path, args, arg_type_symbol_dict, is_pure, _semantic=None):
    """Call a scalar function of a library on each element.

    `arg_type_symbol_dict` maps tuples of argument dtypes to (symbol, result dtype). Arguments are broadcast, and
    promoted to a common dtype when their combination is not in the table.
    """
    counts = {len(signature) for signature in arg_type_symbol_dict}
    if counts != {len(args)}:
        raise ValueError(f"{len(args)} arguments were given, the table has signatures of {sorted(counts)} arguments")
    return _semantic.extern_elementwise(lib_name, lib_path, args, _signature_table(arg_type_symbol_dict), is_pure)


@builtin
def inline_asm_elementwise(asm, constraints, args, dtype, is_pure, pack, _semantic=None):
    """Inline assembly on each group of `pack` elements of the broadcast `args`.

    `constraints` are those of LLVM; `dtype` is the dtype of the result, or a sequence of dtypes for several results.
    """
    asm, constraints = _unwrap_if_constexpr(asm), _unwrap_if_constexpr(constraints)
    dtypes = _unwrap_if_constexpr(dtype)
    several = isinstance(dtypes, (list, tuple))
    dtypes = [_as_dtype(t) for t in dtypes] if several else [_as_dtype(dtypes)]
    args = list(args.values if isinstance(args, tl_tuple) else _unwrap_if_constexpr(args))
    results = _semantic.inline_asm(
        asm, constraints, args, dtypes, bool(_unwrap_if_constexpr(is_pure)), _unwrap_if_constexpr(pack)
    )
    return tl_tuple(results) if several else results[0]
