"""Kernels over strided matrices, as a Hypothesis strategy: types, shapes, strides, masks, loops, reductions.

A kernel reads two matrices of any strides in blocks that need not divide them, computes an expression of every pair of
elements, and stores the result or its reduction along an axis. An expression is a tree that can be printed as Triton
and evaluated by NumPy. Every operation has one result: integers wrap, floats round once and are not reordered.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "float32", "float64")
TYPES = INTEGERS + FLOATS


@dataclass(frozen=True)
class Node:
    """An operation with operands of type `dtype`; `text` and `numpy` take the operands' texts and arrays."""

    dtype: str
    text: str
    compute: Any
    operands: tuple = ()

    def print(self) -> str:
        return self.text.format(*(operand.print() for operand in self.operands))

    def evaluate(self, inputs: dict[str, np.ndarray]) -> np.ndarray:
        if not self.operands:
            return self.compute(inputs)
        return self.compute(*(operand.evaluate(inputs) for operand in self.operands)).astype(self.dtype)


def _input(name: str, dtype: str) -> Node:
    return Node(dtype, name, lambda inputs: inputs[name])


def _cast(node: Node, dtype: str) -> Node:
    """To another type; of floats only to floats, as integers out of range have no defined value."""
    return Node(dtype, f"({{}}).to(tl.{dtype})", lambda a: a, (node,))


_BOTH = [("({} + {})", np.add), ("({} - {})", np.subtract), ("({} * {})", np.multiply)]
_INTEGER = [("({} & {})", np.bitwise_and), ("({} | {})", np.bitwise_or), ("({} ^ {})", np.bitwise_xor)]
_COMPARISONS = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}



@st.composite
def expressions(draw: Any, dtype: str, leaves: list[Node], depth: int) -> Node:
    """A tree of at most `depth` operations above leaves, with a result of `dtype`."""
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        leaf = draw(st.sampled_from([n for n in leaves if dtype in FLOATS or n.dtype in INTEGERS]))
        return leaf if leaf.dtype == dtype else _cast(leaf, dtype)

    def operand(kind: str = dtype) -> Node:
        return draw(expressions(kind, leaves, depth - 1))

    is_float = dtype in FLOATS
    kind = draw(st.sampled_from(["both", "both", "extremum", "where", "constant", "unary", "cast"]))
    if kind == "both":
        text, compute = draw(st.sampled_from(_BOTH if is_float else _BOTH + _INTEGER))
        return Node(dtype, text, compute, (operand(), operand()))
    if kind == "extremum":
        name, compute = draw(st.sampled_from([("minimum", np.fmin), ("maximum", np.fmax)]))
        return Node(dtype, f"tl.{name}({{}}, {{}})", compute, (operand(), operand()))
    if kind == "where":
        compared = draw(st.sampled_from(TYPES))
        sign = draw(st.sampled_from(sorted(_COMPARISONS)))
        return Node(
            dtype,
            f"tl.where({{}} {sign} {{}}, {{}}, {{}})",
            lambda p, q, a, b: np.where(_COMPARISONS[sign](p, q), a, b),
            (operand(compared), operand(compared), operand(), operand()),
        )
    if kind == "constant" and is_float:
        number = draw(st.sampled_from([0.5, 3.0, -1.25, 100.0]))
        return Node(dtype, f"({{}} * {number})", lambda a: a * a.dtype.type(number), (operand(),))
    if kind == "constant":
        count = draw(st.integers(0, 7))
        shifts = [(f"({{}} << {count})", np.left_shift), (f"({{}} >> {count})", np.right_shift)]
        text, compute = draw(st.sampled_from(shifts))
        return Node(dtype, text, lambda a: compute(a, a.dtype.type(count)), (operand(),))
    if kind == "unary" and (is_float or dtype.startswith("int")):
        text, compute = draw(st.sampled_from([("(-{})", np.negative), ("tl.abs({})", np.abs)]))
        return Node(dtype, text, compute, (operand(),))
    return _cast(operand(draw(st.sampled_from(TYPES if is_float else INTEGERS))), dtype)


@dataclass
class Layout:
    """How a matrix lies in a buffer: strides in elements (negative or 0, too), and where its first element is."""

    strides: tuple[int, int]
    offset: int
    size: int

    def view(self, buffer: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
        steps = [s * buffer.itemsize for s in self.strides]
        return np.lib.stride_tricks.as_strided(buffer[self.offset :], shape, steps)


@st.composite
def layouts(draw: Any, shape: tuple[int, int], writable: bool) -> Layout:
    """Of a matrix whose elements, if it is written to, have places of their own."""
    rows, cols = shape
    gap = draw(st.integers(0, 3))
    strides = draw(st.sampled_from([(cols + gap, 1), (1, rows + gap), (2 * cols + gap, 2)]))
    signs = draw(st.tuples(st.sampled_from([1, 1, -1]), st.sampled_from([1, 1, -1])))
    if not writable and draw(st.integers(0, 5)) == 0:
        strides = draw(st.sampled_from([(0, 1), (1, 0), (1, 1)]))
    strides = (strides[0] * signs[0], strides[1] * signs[1])
    spans = [(size - 1) * stride for size, stride in zip(shape, strides)]
    offset = -sum(min(s, 0) for s in spans) + draw(st.integers(0, 2))
    return Layout(strides, offset, offset + 1 + sum(max(s, 0) for s in spans))


@dataclass
class Kernel:
    """A kernel, its launch and what NumPy computes. `reduction` is "" or one of sum, max, min, xor_sum."""

    dtypes: tuple[str, str]
    shape: tuple[int, int]
    block: tuple[int, int]
    layouts: tuple[Layout, Layout, Layout]
    expression: Node
    reduction: str
    others: tuple[int, int]
    seed: int
    grid: tuple[int, int] = field(init=False)

    def __post_init__(self) -> None:
        rows = -(-self.shape[0] // self.block[0])
        self.grid = (rows, 1 if self.reduction else -(-self.shape[1] // self.block[1]))

    @property
    def result_dtype(self) -> str:
        """Sums and extrema of small integers are computed and returned in 32 bits."""
        dtype = np.dtype(self.expression.dtype)
        if not self.reduction or dtype.itemsize >= 4:
            return dtype.name
        if dtype.kind == "f":
            return "float32"
        return "uint32" if dtype.kind == "u" and self.reduction == "sum" else "int32"

    def inputs(self) -> list[np.ndarray]:
        rng = np.random.default_rng(self.seed)
        buffers = []
        for dtype, layout in zip(self.dtypes, self.layouts):
            if dtype in FLOATS:
                buffers.append(rng.normal(0, 10, layout.size).astype(dtype))
            else:
                limits = np.iinfo(dtype)
                values = rng.integers(limits.min, limits.max, layout.size, dtype=dtype, endpoint=True)
                buffers.append(np.where(rng.random(layout.size) < 0.5, values, values % 10).astype(dtype))
        return buffers

    def output(self) -> np.ndarray:
        return np.zeros(self.layouts[2].size, self.result_dtype)

    def _views(self, buffers: list[np.ndarray]) -> dict[str, np.ndarray]:
        """The inputs by name, up to whole blocks: outside of the matrices they are what masked loads give."""
        padded = [-(-size // block) * block for size, block in zip(self.shape, self.block)]
        found = {}
        for name, buffer, layout, other in zip("xy", buffers, self.layouts, self.others):
            found[name] = np.full(padded, other, buffer.dtype)
            found[name][: self.shape[0], : self.shape[1]] = layout.view(buffer, self.shape)
        rows, cols = np.indices(padded, np.int32)
        return {**found, "(r * 7 + c)": rows * 7 + cols}

    def expected(self, buffers: list[np.ndarray]) -> np.ndarray:
        """The output buffer after the launch."""
        with np.errstate(all="ignore"):
            value = self.expression.evaluate(self._views(buffers))
            if self.reduction:
                value = value.astype(self.result_dtype)
                reduce = {"sum": np.add, "max": np.fmax, "min": np.fmin, "xor_sum": np.bitwise_xor}[self.reduction]
                value = reduce.reduce(value, axis=1, dtype=self.result_dtype)[:, None]
        output = self.output()
        shape = (self.shape[0], 1 if self.reduction else self.shape[1])
        self.layouts[2].view(output, shape)[...] = value[: shape[0], : shape[1]]
        return output

    def arguments(self) -> list[int]:
        """What follows the three pointers."""
        return [*self.shape, *(s for layout in self.layouts for s in layout.strides)]

    def source(self) -> str:
        rows, cols = self.block
        offsets = [layout.offset for layout in self.layouts]
        lines = [
            "def kernel(x_ptr, y_ptr, out_ptr, m, n, xr, xc, yr, yc, zr, zc):",
            f"    r = tl.program_id(0) * {rows} + tl.arange(0, {rows})[:, None]",
        ]
        body = [
            f"x = tl.load(x_ptr + {offsets[0]} + r * xr + c * xc, mask=(r < m) & (c < n), other={self.others[0]})",
            f"y = tl.load(y_ptr + {offsets[1]} + r * yr + c * yc, mask=(r < m) & (c < n), other={self.others[1]})",
            f"v = {self.expression.print()}",
        ]
        if not self.reduction:
            lines.append(f"    c = tl.program_id(1) * {cols} + tl.arange(0, {cols})[None, :]")
            lines += [f"    {line}" for line in body]
            lines.append(f"    tl.store(out_ptr + {offsets[2]} + r * zr + c * zc, v, mask=(r < m) & (c < n))")
            return "\n".join(lines) + "\n"
        # The first block of columns sets the total, a loop over the others adds to it.
        combine = {"sum": "t + s", "xor_sum": "t ^ s"}.get(self.reduction, f"tl.{self.reduction}imum(t, s)")
        body.append(f"s = tl.{self.reduction}(v, 1, keep_dims=True)")
        lines.append(f"    c = tl.arange(0, {cols})[None, :]")
        lines += [f"    {line}" for line in body]
        lines += ["    t = s", f"    for start in range({cols}, n, {cols}):"]
        lines.append(f"        c = start + tl.arange(0, {cols})[None, :]")
        lines += [f"        {line}" for line in body]
        lines += [f"        t = {combine}", f"    tl.store(out_ptr + {offsets[2]} + r * zr, t, mask=r < m)"]
        return "\n".join(lines) + "\n"


@st.composite
def kernels(draw: Any) -> Kernel:
    dtypes = (draw(st.sampled_from(TYPES)), draw(st.sampled_from(TYPES)))
    # The third leaf is a number of the place, so there always is an integer.
    leaves = [_input("x", dtypes[0]), _input("y", dtypes[1]), _input("(r * 7 + c)", "int32")]
    dtype = draw(st.sampled_from(TYPES))
    expression = draw(expressions(dtype, leaves, draw(st.integers(1, 4))))
    shape = (draw(st.integers(1, 40)), draw(st.integers(1, 70)))
    block = (draw(st.sampled_from([1, 2, 8, 16])), draw(st.sampled_from([1, 4, 16, 64])))
    reductions = ["", "max", "min"] if dtype in FLOATS else ["", "sum", "max", "min", "xor_sum"]
    reduction = draw(st.sampled_from(["", *reductions]))
    if reduction == "xor_sum" and np.dtype(dtype).itemsize < 4:
        reduction = "sum"
    places = (
        draw(layouts(shape, False)),
        draw(layouts(shape, False)),
        draw(layouts((shape[0], 1 if reduction else shape[1]), True)),
    )
    others = (draw(st.integers(0, 3)), draw(st.integers(0, 3)))
    return Kernel(dtypes, shape, block, places, expression, reduction, others, draw(st.integers(0, 2**32 - 1)))
