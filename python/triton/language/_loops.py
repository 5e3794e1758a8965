"""Iterators of `for` and conditions of `while` that carry hints for the compiler."""

from __future__ import annotations

from ._values import _unwrap_if_constexpr, base_value

# An unrolled loop is traced once for each iteration: beyond this, compiling would take minutes and gigabytes.
_MOST_ITERATIONS = 1 << 16


class _bounds(base_value):
    """start, end, step as in Python's `range`."""

    def __init__(self, arg1, arg2=None, step=None):
        self.step = 1 if step is None or _unwrap_if_constexpr(step) is None else step
        if arg2 is None or _unwrap_if_constexpr(arg2) is None:
            self.start, self.end = 0, arg1
        else:
            self.start, self.end = arg1, arg2

    def __iter__(self):
        raise RuntimeError(f"tl.{type(self).__name__} can only be iterated by a `for` inside of a @triton.jit function")

    def __next__(self):
        raise RuntimeError(f"tl.{type(self).__name__} can only be iterated by a `for` inside of a @triton.jit function")


class static_range(_bounds):
    """`range` with constexpr bounds whose loop is unrolled while tracing; the index is a constexpr."""

    def __init__(self, arg1, arg2=None, step=None):
        super().__init__(arg1, arg2, step)
        for name in ("start", "end", "step"):
            value = _unwrap_if_constexpr(getattr(self, name))
            if not isinstance(value, int):
                raise TypeError(f"tl.static_range: {name} must be a constexpr integer, got {value!r}")
            setattr(self, name, value)
        if self.step == 0:
            raise ValueError("tl.static_range: step must not be zero")
        count = max(0, -((self.start - self.end) // self.step))
        if count > _MOST_ITERATIONS:
            raise ValueError(
                f"tl.static_range: a loop of {count} iterations is too large to be unrolled, the limit is "
                f"{_MOST_ITERATIONS}; use range or tl.range"
            )


class range(_bounds):
    """`range` with hints: `num_stages` and `warp_specialize` for pipelining, `loop_unroll_factor`, `flatten` to merge a
    nest of loops, `disallow_acc_multi_buffer`, and `disable_licm` to keep invariant code inside of the loop.
    """

    def __init__(
        self,
        arg1,
        arg2=None,
        step=None,
        num_stages=None,
        loop_unroll_factor=None,
        disallow_acc_multi_buffer=False,
        flatten=False,
        warp_specialize=False,
        disable_licm=False,
    ):
        super().__init__(arg1, arg2, step)
        self.num_stages = _unwrap_if_constexpr(num_stages)
        self.loop_unroll_factor = _unwrap_if_constexpr(loop_unroll_factor)
        self.disallow_acc_multi_buffer = bool(_unwrap_if_constexpr(disallow_acc_multi_buffer))
        self.flatten = bool(_unwrap_if_constexpr(flatten))
        self.warp_specialize = bool(_unwrap_if_constexpr(warp_specialize))
        self.disable_licm = bool(_unwrap_if_constexpr(disable_licm))


class condition(base_value):
    """Condition of a `while` with the hint `disable_licm`."""

    def __init__(self, arg1, disable_licm=False):
        self.condition = arg1
        self.disable_licm = bool(_unwrap_if_constexpr(disable_licm))
