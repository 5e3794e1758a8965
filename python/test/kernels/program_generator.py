"""Random kernels: straight-line code, branches and loops over int32 blocks, loads and stores that alias.

Every address is reduced to the size of its buffer, and a store's addresses are all different, so a program has exactly
one meaning. Programs of one launch write to buffers of their own.
"""

import random

SIZE = 256  # elements of a buffer, per program


class Generator:
    """Emits the source of one kernel named `kernel(a, b, c, n)`.

    `a` and `b` are buffers of integers of at most 32 bits, `c` one of int32 for atomics, `n` a small number.
    """

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.names: dict[str, tuple] = {}  # variable -> shape, () being a scalar
        self.depth = 1
        self.counter = 0

    def emit(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def fresh(self) -> str:
        self.counter += 1
        return f"v{self.counter}"

    def pick(self, shape: tuple) -> str:
        """A variable of `shape`, or a constant."""
        known = [name for name, other in self.names.items() if other == shape]
        if known and self.random.random() < 0.9:
            return self.random.choice(known)
        number = self.random.choice([0, 1, 2, 3, 7, 100, -1, -5])
        return f"({number})" if shape == () else f"({self.zero(shape)} + {number})"

    @staticmethod
    def zero(shape: tuple) -> str:
        """The variable of `shape` that holds zeros."""
        return "zero_" + "x".join(map(str, shape)) if shape else "zero"

    def of_shape(self, shape: tuple) -> str:
        """An expression of `shape`, possibly through a broadcast of a smaller value."""
        choice = self.random.random()
        if len(shape) == 2 and choice < 0.15:
            return f"({self.vector(shape[0])})[:, None] + ({self.pick(shape)})"
        if len(shape) == 2 and choice < 0.3:
            return f"({self.vector(shape[1])})[None, :] + ({self.pick(shape)})"
        if shape and choice < 0.4:
            return f"({self.pick(shape)} + {self.pick(())})"
        return self.pick(shape)

    def vector(self, length: int) -> str:
        known = [name for name, shape in self.names.items() if shape == (length, )]
        return self.random.choice(known) if known else f"tl.arange(0, {length})"

    def index(self, shape: tuple) -> str:
        """A linear index in which every element of a block of `shape` has its own number."""
        if shape == ():
            return "0"
        if len(shape) == 1:
            return f"tl.arange(0, {shape[0]})"
        rows, cols = shape
        if self.random.random() < 0.5:
            return f"(tl.arange(0, {rows})[:, None] * {cols} + tl.arange(0, {cols})[None, :])"
        return f"(tl.arange(0, {rows})[:, None] + tl.arange(0, {cols})[None, :] * {rows})"

    def distinct_address(self, shape: tuple) -> str:
        at = self.index(shape)
        form = self.random.choice(["{at}", "({last} - {at})", "(({at} + {c}) & {last})", "({at} ^ {c})",
                                   "(({at} * {odd} + {c}) & {last})", "(({at} + n) & {last})"])
        return form.format(at=at, last=SIZE - 1, c=self.random.randrange(SIZE),
                           odd=self.random.choice([3, 5, 17, 255]))

    def condition(self, shape: tuple) -> str:
        operator = self.random.choice(["<", "<=", ">", ">=", "==", "!="])
        text = f"({self.of_shape(shape)} {operator} {self.of_shape(shape)})"
        if self.random.random() < 0.3:
            other = f"({self.of_shape(shape)} > {self.pick(shape)})"
            text = f"({text} {self.random.choice('&|^')} {other})"
        return f"(~{text})" if shape and self.random.random() < 0.2 else text

    def expression(self, shape: tuple) -> str:
        """A right-hand side of `shape`."""
        x, y = self.of_shape(shape), self.of_shape(shape)
        kind = self.random.choice(["arithmetic"] * 4 + ["where", "minimum", "load", "load", "shift", "special"])
        if kind == "where":
            if shape == ():
                return f"(({x}) if {self.condition(shape)} else ({y}))"
            return f"tl.where({self.condition(shape)}, {x}, {y})"
        if kind == "minimum" and shape:
            return f"tl.{self.random.choice(['minimum', 'maximum'])}({x}, {y})"
        if kind == "load":
            buffer = self.random.choice("ab")
            address = f"(({x}) & {SIZE - 1})" if self.random.random() < 0.4 else self.distinct_address(shape)
            if shape and self.random.random() < 0.4:
                return f"tl.load({buffer} + {address}, mask={self.condition(shape)}, other={y})"
            return f"tl.load({buffer} + {address})"
        if kind == "shift":
            return f"(({x}) {self.random.choice(['<<', '>>'])} {self.random.randrange(1, 8)})"
        if kind == "special":
            return self.special(shape)
        return f"({x}) {self.random.choice(['+', '-', '*', '&', '|', '^'])} ({y})"

    def special(self, shape: tuple) -> str:
        """Reductions, scans and changes of shape that give `shape`."""
        reduction = self.random.choice(["sum", "max", "min", "xor_sum"])
        if shape == ():
            length = self.random.choice([1, 4, 16, 64])
            return f"tl.{reduction}({self.vector(length)} + {self.pick(())}, 0)"
        if len(shape) == 1:
            matrix = self.random.choice([(shape[0], 8), (8, shape[0])])
            axis = 0 if matrix[1] == shape[0] else 1
            inner = self.expression_of_matrix(matrix)
            choice = self.random.randrange(5)
            if choice == 0:
                return f"tl.cumsum({self.of_shape(shape)}, 0, reverse={self.random.random() < 0.5})"
            if choice == 1:
                return f"tl.flip({self.of_shape(shape)}, 0)"
            if choice == 2 and axis != (0 if matrix[0] == shape[0] else 1):
                return f"tl.argmax({inner}, {axis})"
            if choice == 3:
                return f"tl.gather({self.of_shape(shape)}, ({self.of_shape(shape)}) & {shape[0] - 1}, 0)"
            return f"tl.{reduction}({inner}, {axis})"
        rows, cols = shape
        choice = self.random.randrange(5)
        if choice == 0:
            return f"tl.trans({self.expression_of_matrix((cols, rows))})"
        if choice == 1:
            return f"tl.reshape({self.vector(rows * cols)} + {self.pick(())}, [{rows}, {cols}])"
        if choice == 2:
            return f"tl.cumsum({self.of_shape(shape)}, {self.random.randrange(2)})"
        if choice == 3:
            return f"tl.flip({self.of_shape(shape)}, 1)"
        return f"tl.broadcast_to(({self.vector(rows)})[:, None], [{rows}, {cols}])"

    def expression_of_matrix(self, shape: tuple) -> str:
        if any(other == shape for other in self.names.values()):
            return self.of_shape(shape)
        return f"(({self.vector(shape[0])})[:, None] * 3 + ({self.vector(shape[1])})[None, :])"

    def any_shape(self) -> tuple:
        return self.random.choice([(), (1, ), (4, ), (16, ), (16, ), (64, ), (128, ), (4, 16), (16, 4), (8, 8), (1, 16),
                                   (16, 1), (2, 64)])

    def statement(self, assign_only: bool) -> None:
        """A new variable, a changed one, a store, a branch or a loop."""
        choice = self.random.random()
        if choice < 0.2:
            shape = self.any_shape()
            mask = f", mask={self.condition(shape)}" if shape and self.random.random() < 0.4 else ""
            buffer = self.random.choice("ab")
            self.emit(f"tl.store({buffer} + {self.distinct_address(shape)}, {self.of_shape(shape)}{mask})")
        elif choice < 0.25:
            shape = self.any_shape()
            self.emit(f"tl.atomic_add(c + (({self.of_shape(shape)}) & {SIZE - 1}), {self.of_shape(shape)})")
        elif choice < 0.35 and self.depth < 3:
            bounds = self.random.choice(["0, n", "1, n, 2", "0, 3", "n, 0"])
            self.emit(f"for {self.loop_variable()} in range({bounds}):")
            self.body()
        elif choice < 0.37 and self.depth < 3:
            counter = self.loop_variable()
            self.emit(f"{counter} = zero + 0")
            self.emit(f"while ({counter} < n) & {self.condition(())}:")
            self.body()
            self.emit(f"    {counter} += 1")
        elif choice < 0.45 and self.depth < 3:
            self.emit(f"if {self.condition(())}:")
            self.body()
            if self.random.random() < 0.5:
                self.emit("else:")
                self.body()
        elif assign_only:
            changeable = [name for name in self.names if name not in ("zero", "pid")]
            name = self.random.choice(changeable)
            self.emit(f"{name} = {self.same_type(self.names[name])}")
        else:
            shape, name = self.any_shape(), self.fresh()
            self.emit(f"{name} = {self.same_type(shape)}")
            self.names[name] = shape

    def same_type(self, shape: tuple) -> str:
        """An expression that is an int32 block or number of `shape` whatever its operands are."""
        return f"{self.zero(shape)} + ({self.expression(shape)})"

    def loop_variable(self) -> str:
        self.counter += 1
        return f"i{self.counter}"

    def body(self) -> None:
        self.depth += 1
        for _ in range(self.random.randrange(1, 4)):
            self.statement(assign_only=True)
        self.depth -= 1

    def source(self, statements: int = 12) -> str:
        """The text of the kernel, without decorator and imports."""
        self.lines = ["def kernel(a, b, c, n):"]
        self.emit("pid = tl.program_id(0)")
        self.emit(f"a += pid * {SIZE}")
        self.emit(f"b += pid * {SIZE}")
        self.emit(f"c += pid * {SIZE}")
        self.emit("zero = pid * 0")
        for shape in [(1, ), (4, ), (16, ), (64, ), (128, )]:
            self.emit(f"zero_{shape[0]} = tl.arange(0, {shape[0]}) * 0")
        for rows, cols in [(4, 16), (16, 4), (8, 8), (1, 16), (16, 1), (2, 64)]:
            self.emit(f"zero_{rows}x{cols} = tl.arange(0, {rows})[:, None] * 0 + tl.arange(0, {cols})[None, :] * 0")
        self.names = {"zero": (), "pid": ()}
        for shape in [(), (16, ), (64, ), (4, 16)]:
            name = self.fresh()
            self.emit(f"{name} = {self.zero(shape)} + tl.load(a + {self.index(shape)})")
            self.names[name] = shape
        for _ in range(statements):
            self.statement(assign_only=False)
        for slot, (name, shape) in enumerate(list(self.names.items())[2:]):
            self.emit(f"tl.atomic_add(c + ({self.index(shape)} + {slot * 5 & 127}) % {SIZE}, {name})")
        return "\n".join(self.lines) + "\n"
