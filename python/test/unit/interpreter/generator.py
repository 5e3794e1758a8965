"""Random kernels whose results are defined to the last bit, as text.

Every variable is a block of SIZE elements of a known type. Float operations round once, and nothing depends on what
the language leaves open: no float becomes an integer except through a comparison, no sum of floats is reordered.
"""

from __future__ import annotations

import random

SIZE = 64
FLOATS = ("float32", "float16", "bfloat16", "float64")
INTS = ("int32", "int8", "int16", "int64", "uint8", "uint16", "uint32", "uint64")
INPUTS = {"a": "float32", "b": "float16", "c": "int32", "d": "int8", "e": "uint16", "f": "int64"}


class Generator:
    """`source(count)` is the text of a kernel with `count` statements; the same for the same seed."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.types = dict(INPUTS)
        self.lines: list[str] = []
        self.indent = "    "

    def pick(self, kinds) -> str:
        return self.random.choice([name for name, kind in self.types.items() if kind in kinds])

    def same_sign(self) -> tuple[str, str]:
        """Two integers that may be divided by each other."""
        unsigned = self.random.random() < 0.4
        kinds = [k for k in INTS if k.startswith("u") == unsigned]
        return self.pick(kinds), self.pick(kinds)

    def float_expression(self) -> str:
        x, y, z = (self.pick(FLOATS) for _ in range(3))
        i = self.pick(INTS)
        return self.random.choice(
            [
                f"{x} + {y}",
                f"{x} - {y}",
                f"{x} * {y}",
                f"{x} / {y}",
                f"-{x}",
                f"tl.abs({x})",
                f"tl.where({x} > {y}, {y}, {z})",
                f"tl.where({i} != 0, {x}, {y})",
                f"{x} * {self.random.choice((0.5, 3.0, -1.25, 1e-3))}",
                f"{i}.to(tl.float32) + {x}",
                f"tl.floor({x}.to(tl.float32))",
                f"tl.sqrt_rn(tl.abs({x}.to(tl.float32)))",
                f"tl.flip({x})",
                f"tl.ravel(tl.trans(tl.reshape({x}, (8, {SIZE // 8}))))",
                f"{x}.to(tl.float32).to(tl.{self.random.choice(('float8e5', 'float8e4nv'))}).to(tl.float32)",
            ]
        )

    def int_expression(self) -> str:
        x, y, z = (self.pick(INTS) for _ in range(3))
        p, q = self.same_sign()
        f, g = self.pick(FLOATS), self.pick(FLOATS)
        narrow = f"({z} & 7).to({z}.dtype)"
        return self.random.choice(
            [
                f"{x} + {y}",
                f"{x} - {y}",
                f"{x} * {y}",
                f"{p} // {q}",
                f"{p} % {q}",
                f"{x} & {y}",
                f"{x} | {y}",
                f"{x} ^ {y}",
                f"~{x}",
                f"{x} << {narrow}",
                f"{x} >> {narrow}",
                f"tl.minimum({x}, {y})",
                f"tl.maximum({x}, {y})",
                f"tl.where({f} <= {g}, {x}, {y})",
                f"({f} == {g}).to(tl.int32) - ({x} < {y}).to(tl.int32)",
                f"tl.cumsum({x}.to(tl.int32), reverse={self.random.random() < 0.5})",
                f"tl.sort({x}.to(tl.int32))",
                f"tl.gather({x}, ({y}.to(tl.int32) & {SIZE - 1}), 0)",
                f"{x} + tl.sum({y}.to(tl.int32))",
                f"{x} - tl.max({y}.to(tl.int32)) + tl.argmin({z}.to(tl.int32), 0)",
                f"tl.histogram({x}.to(tl.int32) & {SIZE - 1}, {SIZE})",
                f"tl.ravel(tl.sum(tl.reshape({x}.to(tl.int32), (8, {SIZE // 8})), 1, keep_dims=True) + "
                f"tl.reshape({y}.to(tl.int32), (8, {SIZE // 8})))",
            ]
        )

    def expression(self) -> tuple[str, str]:
        if self.random.random() < 0.5:
            kind = self.random.choice(FLOATS)
            return f"({self.float_expression()}).to(tl.{kind})", kind
        kind = self.random.choice(INTS)
        return f"({self.int_expression()}).to(tl.{kind})", kind

    def add(self, line: str) -> None:
        self.lines.append(self.indent + line)

    def assign_new(self) -> None:
        text, kind = self.expression()
        name = f"v{len(self.types)}"
        self.add(f"{name} = {text}")
        self.types[name] = kind

    def assign_old(self) -> None:
        """Inside of loops and branches variables keep their types."""
        name = self.random.choice(list(self.types))
        kind = self.types[name]
        text = self.float_expression() if kind in FLOATS else self.int_expression()
        self.add(f"{name} = ({text}).to(tl.{kind})")

    def compound(self, head: str) -> None:
        self.add(head)
        before, self.indent = self.indent, self.indent + "    "
        for _ in range(self.random.randint(1, 3)):
            self.assign_old()
        self.indent = before

    def statement(self) -> None:
        choice = self.random.random()
        condition = f"tl.sum({self.pick(INTS)}.to(tl.int32)) % 3 {self.random.choice(('==', '!=', '<'))} 1"
        if choice < 0.12:
            self.compound(f"for i in range({self.random.choice(('n', 'n - 1', '0, n, 2', 'n, 0, -1'))}):")
        elif choice < 0.24:
            self.compound(f"if {condition}:")
            if self.random.random() < 0.5:
                self.compound("else:")
        else:
            self.assign_new()

    def source(self, count: int) -> str:
        pointers = ", ".join(f"{name}_ptr" for name in INPUTS)
        self.lines = [f"def kernel({pointers}, ints_ptr, floats_ptr, n):", f"    at = tl.arange(0, {SIZE})"]
        for name in INPUTS:
            self.add(f"{name} = tl.load({name}_ptr + at)")
        for _ in range(count):
            self.statement()
        for row, (name, kind) in enumerate(self.types.items()):
            target = "floats_ptr" if kind in FLOATS else "ints_ptr"
            self.add(f"tl.store({target} + {row * SIZE} + at, {name})")
        return "\n".join(self.lines) + "\n"
