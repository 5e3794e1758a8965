"""Random kernels whose types fit mostly, so that the compiler's later stages see what nobody would write.

Constants at the edges of their types, shifts beyond the width, divisions by zero, casts of everything to everything,
reductions of reductions, loops around all of it. Only that the compile ends is of interest, not the results.
"""

from __future__ import annotations

import random

TYPES = [
    *"int1 int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64".split(),
    *"float8e4nv float8e5 float8e4b15 float8e4b8 float8e5b16".split(),
]
NUMBERS = "0 1 -1 2 31 32 63 64 127 -128 255 2**31-1 2**40 0.0 -0.0 1.5 1e-45 3e38 float('inf') float('nan')".split()
SHAPES = [(), (1,), (2,), (8,), (16,), (64,), (4, 4), (1, 16), (16, 1), (2, 2, 4), (16, 16)]
FLOAT_FUNCTIONS = "exp exp2 log log2 sin cos sqrt rsqrt erf floor ceil sigmoid".split()
LIBRARY = "tanh atan2 pow fmod ffs clz popc ldexp isnan signbit lgamma j0 rint llrint".split()
SUFFIX = {1: "", 2: "[:, None]"}


class TypedFuzzer:
    """`values` are the names of values in scope with their shapes."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.values: list[tuple[str, tuple]] = [("n", ()), ("m", ()), ("f", ())]
        self.count = 0

    def pick(self, options):
        return self.random.choice(options)

    def shape_text(self, shape) -> str:
        return "(" + "".join(f"{size}, " for size in shape) + ")"

    # --- expressions of a given shape ---
    def expression(self, shape, depth: int) -> str:
        if depth <= 0:
            return self.leaf(shape)

        def e():
            return self.expression(shape, depth - 1)

        def number():
            return f"({e()}).to(tl.{self.pick(TYPES)})"

        def integer():
            return f"({e()}).to(tl.{self.pick(['int8', 'int32', 'int64', 'uint16', 'uint64'])})"

        def fp():
            return f"({e()}).to(tl.{self.pick(['float32', 'float64'])})"

        kinds = [
            lambda: f"({e()} {self.pick('+ - *'.split())} {self.operand(shape, depth)})",
            lambda: f"({fp()} {self.pick('/ %'.split())} {fp()})",
            lambda: f"({integer()} {self.pick('& | ^ << >>'.split())} {self.pick(['33', '7', '100', integer()])})",
            lambda: f"({e()}).to(tl.int32) {self.pick(['//', '%'])} {self.pick(['0', '-1', '3', 'n'])}",
            number,
            number,
            lambda: f"tl.{self.pick(FLOAT_FUNCTIONS)}({fp()})",
            lambda: self.library(fp, integer),
            lambda: f"tl.where({e()} {self.pick(['<', '==', '!=', '>='])} {e()}, {e()}, {self.operand(shape, depth)})",
            lambda: f"tl.{self.pick(['minimum', 'maximum'])}({fp()}, {fp()}, {self.nan()})",
            lambda: f"tl.clamp({fp()}, -1.0, 1.0, {self.nan()})",
            lambda: f"tl.abs({e()})",
            lambda: f"tl.umulhi(({e()}).to(tl.uint32), ({e()}).to(tl.uint32))",
            lambda: f"({self.pick('-~')}({integer()}))",
            lambda: f"({fp()}).to(tl.float32).to(tl.{self.pick(['int32', 'uint32'])}, bitcast=True)",
        ]
        if shape:
            kinds += [self.reshaping(shape, depth)] * 3
        else:
            kinds += [
                lambda: f"tl.{self.pick(['sum', 'max', 'min', 'argmax'])}({self.expression((16,), depth - 1)}, 0)"
            ] * 3
        return self.pick(kinds)()

    def nan(self) -> str:
        return f"propagate_nan=tl.PropagateNan.{self.pick(['ALL', 'NONE'])}"

    def library(self, fp, integer) -> str:
        name = self.pick(LIBRARY)
        if name in ("ffs", "clz", "popc"):
            return f"libdevice.{name}(({integer()}).to(tl.int32))"
        second = (
            f", {fp()}"
            if name in ("atan2", "pow", "fmod")
            else f", ({integer()}).to(tl.int32)"
            if name == "ldexp"
            else ""
        )
        return f"libdevice.{name}({fp()}{second})"

    def operand(self, shape, depth: int) -> str:
        """Something that broadcasts to `shape`."""
        return self.pick([self.pick(NUMBERS), self.expression((), depth - 1), self.expression(shape, depth - 1)])

    def reshaping(self, shape, depth: int):
        size = 1
        for length in shape:
            size *= length
        flat = f"({self.expression(shape, depth - 1)})"
        if len(shape) > 1:
            axis = self.random.randrange(len(shape))
            return self.pick(
                [
                    lambda: f"tl.cumsum({flat}, {axis}, reverse={self.pick(['True', 'False'])})",
                    lambda: f"tl.broadcast_to(tl.sum({flat}, {axis}, keep_dims=True), {self.shape_text(shape)})",
                    lambda: f"tl.associative_scan({flat}, {axis}, add)",
                    lambda: f"tl.flip({flat}, {axis})",
                    lambda: f"tl.trans(tl.trans({flat}))",
                    lambda: f"tl.reshape(tl.reshape({flat}, ({size},)) * 2, {self.shape_text(shape)})",
                    *(
                        [lambda: f"tl.dot(({flat}).to(tl.float16), ({flat}).to(tl.float16))"]
                        if shape == (16, 16)
                        else []
                    ),
                ]
            )
        pieces = [
            lambda: f"tl.cumsum({flat}, 0)",
            lambda: f"tl.broadcast_to(tl.max({flat}, 0, keep_dims=True), {self.shape_text(shape)})",
            lambda: f"tl.sort({flat})",
            lambda: f"tl.gather({flat}, tl.arange(0, {size}), 0)",
            lambda: f"tl.map_elementwise(triple, {flat})",
            lambda: f"tl.load(J + ({flat}).to(tl.int32), mask=({flat}) > 0)",
        ]
        return self.pick(
            pieces
            + (
                [lambda: f"tl.reshape(tl.join(*tl.split(tl.reshape({flat}, ({size // 2}, 2)))), ({size},))"]
                if size > 1
                else []
            )
        )

    def leaf(self, shape) -> str:
        known = [name for name, its in self.values if its == shape]
        if known and self.random.randrange(100) < 60:
            return self.pick(known)
        if not shape:
            return self.pick(
                [f"tl.to_tensor({self.pick(NUMBERS)})", "n", "m", "f", "tl.program_id(0)", "tl.to_tensor(C)"]
            )
        size = 1
        for length in shape:
            size *= length
        ids = f"tl.reshape(tl.arange(0, {size}), {self.shape_text(shape)})"
        pointer = self.pick("XJHB")
        mask = self.pick(["", f", mask={ids} < n", f", mask={ids} < n, other=1"])
        return self.pick(
            [
                ids,
                f"tl.load({pointer} + {ids}{mask})",
                f"tl.full({self.shape_text(shape)}, {self.pick('01')}, tl.int32)",
            ]
        )

    # --- statements ---
    def fresh(self, shape) -> str:
        self.count += 1
        self.values.append((f"v{self.count}", shape))
        return f"v{self.count}"

    def statement(self, depth: int) -> list[str]:
        shape = self.pick(SHAPES)
        kind = self.random.randrange(10)
        if kind < 4 or depth <= 0:
            text = self.expression(shape, 3)
            return [f"{self.fresh(shape)} = {text}"]
        if kind < 6:
            size = self.pick([1, 8, 16])
            pointer, text = self.pick("XJHB"), self.expression((size,), 3)
            mask = self.pick(["", f", mask=({self.expression((size,), 1)}) > 0"])
            what = self.pick(["store", "store", "store", "atomic_add", "atomic_max"]) if pointer != "B" else "store"
            return [f"tl.{what}({pointer} + tl.arange(0, {size}), {text}{mask})"]
        start = self.expression(shape, 2)
        name = self.fresh(shape)
        scope = list(self.values)
        inner = [line for _ in range(self.random.randrange(1, 3)) for line in self.statement(depth - 1)]
        step = f"{name} = ({self.expression(shape, 2)}).to({name}.dtype)"
        self.values = scope
        inner = ["    " + line for line in (*inner, step)]
        head = self.pick(
            [
                [f"for q in range({self.pick(['n', '3', '0', '10, 0, -3', '0, n, m'])}):"],
                ["for q in tl.static_range(3):"],
                [f"if {self.expression((), 2)}:"],
                [f"while tl.sum({self.expression((8,), 1)}, 0) < n:"],
            ]
        )
        return [f"{name} = tl.to_tensor({start}) + tl.zeros({self.shape_text(shape)}, tl.int8)", *head, *inner]

    def kernel(self, name: str, parameters: str) -> str:
        lines = [line for _ in range(self.random.randrange(2, 7)) for line in self.statement(2)]
        stores = []
        for value, shape in self.values[3:][-2:]:
            size = "".join(f"{length}*" for length in shape) + "1"
            stores.append(
                f"tl.store(X + tl.arange(0, {size}), tl.reshape({value}, ({size},)))"
                if shape
                else f"tl.store(X, {value})"
            )
        return f"@triton.jit\ndef {name}({parameters}):\n" + "".join(f"    {line}\n" for line in lines + stores)
