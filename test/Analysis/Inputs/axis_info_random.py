"""Random integer programs: what AxisInfo claims must be true of the values they compute.

usage: axis_info_random.py TRITON_OPT COUNT [FIRST_SEED]

Each program is a tt.func of integer operations on scalars and blocks. It is evaluated here, element by element, on
arguments that keep the promises of their attributes; `triton-opt -test-print-axis-info` says what it knows of every
result. Programs stay within what the analysis assumes: no overflow, divisors that are no constants positive.
"""

import itertools
import math
import random
import re
import subprocess
import sys
import tempfile

SHAPES = [(16,), (32,), (4, 8), (8, 1), (1, 8), (8, 8), (2, 4, 4)]
MORE_SHAPES = [*SHAPES, (2, 8), (8, 2), (64,), (4, 4, 2), (8,)]


class Value:
    """An SSA value: name, shape (() for scalars), bit width, elements in row-major order, whether it is a constant."""

    def __init__(self, name, shape, data, width=32, constant=False):
        self.name, self.shape, self.data, self.width, self.constant = name, shape, data, width, constant

    @property
    def type(self):
        dims = "".join(f"{size}x" for size in self.shape)
        return f"tensor<{dims}i{self.width}>" if self.shape else f"i{self.width}"


def indices(shape):
    return itertools.product(*(range(size) for size in shape))


def flat(index, shape):
    position = 0
    for i, size in zip(index, shape, strict=True):
        position = position * size + i
    return position


def truncated(a, b):
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def unsigned(a, width):
    return a % 2**width


def signed(a, width):
    a %= 2**width
    return a - 2**width if a >= 2 ** (width - 1) else a


BINARY = {
    "addi": lambda a, b, w: a + b,
    "subi": lambda a, b, w: a - b,
    "muli": lambda a, b, w: a * b,
    "divsi": lambda a, b, w: truncated(a, b),
    "floordivsi": lambda a, b, w: a // b,
    "remsi": lambda a, b, w: a - truncated(a, b) * b,
    "divui": lambda a, b, w: signed(unsigned(a, w) // unsigned(b, w), w),
    "remui": lambda a, b, w: signed(unsigned(a, w) % unsigned(b, w), w),
    "andi": lambda a, b, w: a & b,
    "ori": lambda a, b, w: a | b,
    "xori": lambda a, b, w: a ^ b,
    "minsi": lambda a, b, w: min(a, b),
    "maxsi": lambda a, b, w: max(a, b),
    "shli": lambda a, b, w: a << b,
    "shrsi": lambda a, b, w: a >> b,
    "shrui": lambda a, b, w: signed(unsigned(a, w) >> b, w),
}
DIVISIONS = {"divsi", "floordivsi", "remsi", "divui", "remui"}
COMPARE = {
    "slt": lambda a, b: a < b,
    "sle": lambda a, b: a <= b,
    "sgt": lambda a, b: a > b,
    "sge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "ult": lambda a, b: unsigned(a, 64) < unsigned(b, 64),
    "uge": lambda a, b: unsigned(a, 64) >= unsigned(b, 64),
}


class Program:
    """Builds the text of one function and the values of everything in it."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.arguments, self.lines, self.values, self.by_line = [], [], [], {}
        for i in range(3):
            divisor = 2 ** self.random.randrange(6)
            value = divisor * self.random.randrange(-3, 12)
            hint = f" {{tt.divisibility = {divisor} : i32}}" if divisor > 1 else ""
            self.arguments.append(f"%arg{i}: i32{hint}")
            self.values.append(Value(f"%arg{i}", (), [value]))
        steps = [
            self.constant, self.range, self.binary, self.binary, self.binary, self.binary, self.compare, self.select,
            self.splat, self.reshape, self.expand, self.broadcast, self.trans, self.extend, self.truncate, self.loop,
            self.branch,
        ]  # fmt: skip
        for _ in range(30):
            self.random.choice(steps)()

    def text(self):
        return "\n".join([f"tt.func @f({', '.join(self.arguments)}) {{", *self.lines, "  tt.return", "}"])

    def emit(self, text, shape, data, width=32, constant=False, lines=()):
        """Adds `name = text`, with further `lines` after it. Leaves it out when a value is out of range."""
        limit = 2 ** min(width - 1, 40)
        if any(not -limit <= value < limit for value in data):
            return None
        value = Value(f"%{len(self.lines)}", shape, data, width, constant)
        self.lines.append(f"  {value.name} = {text}")
        # The first line of the text is the head of the function.
        self.by_line[len(self.lines) + 1] = value
        self.lines.extend(lines)
        self.values.append(value)
        return value

    def pick(self, accept=lambda value: True):
        candidates = [value for value in self.values if value.width > 1 and accept(value)]
        return self.random.choice(candidates) if candidates else None

    def pair(self):
        """Two values of equal type."""
        a = self.pick()
        return a, self.pick(lambda value: value.type == a.type)

    # Steps: each adds one operation, or nothing when its operands do not fit.

    def constant(self):
        shape = self.random.choice([(), *SHAPES])
        number = self.random.choice([0, 1, 2, 3, 4, 7, 8, 12, 16, 64, -1, -8])
        literal = f"dense<{number}>" if shape else f"{number}"
        kind = Value("", shape, [], 32).type
        self.emit(f"arith.constant {literal} : {kind}", shape, [number] * math.prod(shape), constant=True)

    def range(self):
        size = self.random.choice([8, 16, 32])
        start = self.random.choice([0, 4, 16, 24, -8])
        text = f"tt.make_range {{end = {start + size} : i32, start = {start} : i32}} : tensor<{size}xi32>"
        self.emit(text, (size,), list(range(start, start + size)))

    def binary(self):
        a, b = self.pair()
        name, function = self.random.choice(list(BINARY.items()))
        if name in DIVISIONS and (0 in b.data or (not b.constant and min(b.data) < 0)):
            return
        if name.startswith("sh") and not all(0 <= amount < min(16, a.width) for amount in b.data):
            return
        data = [function(x, y, a.width) for x, y in zip(a.data, b.data, strict=True)]
        self.emit(f"arith.{name} {a.name}, {b.name} : {a.type}", a.shape, data, a.width)

    def compare(self):
        a, b = self.pair()
        name, function = self.random.choice(list(COMPARE.items()))
        data = [-int(function(x, y)) for x, y in zip(a.data, b.data, strict=True)]
        self.emit(f"arith.cmpi {name}, {a.name}, {b.name} : {a.type}", a.shape, data, 1)

    def select(self):
        conditions = [value for value in self.values if value.width == 1]
        if not conditions:
            return
        condition = self.random.choice(conditions)
        a = self.pick(lambda value: value.shape == condition.shape)
        if not a:
            return
        b = self.pick(lambda value: value.type == a.type)
        data = [x if c else y for c, x, y in zip(condition.data, a.data, b.data, strict=True)]
        types = f"{condition.type}, {a.type}" if a.shape else a.type
        self.emit(f"arith.select {condition.name}, {a.name}, {b.name} : {types}", a.shape, data, a.width)

    def splat(self):
        scalar = self.pick(lambda value: not value.shape)
        shape = self.random.choice(SHAPES)
        result = Value("", shape, [], scalar.width)
        data = scalar.data * math.prod(shape)
        self.emit(f"tt.splat {scalar.name} : {scalar.type} -> {result.type}", shape, data, scalar.width)

    def reshape(self):
        a = self.pick(lambda value: value.shape)
        shapes = [shape for shape in MORE_SHAPES if a and math.prod(shape) == len(a.data)]
        if not shapes:
            return
        result = Value("", self.random.choice(shapes), [], a.width)
        self.emit(f"tt.reshape {a.name} : {a.type} -> {result.type}", result.shape, a.data, a.width)

    def expand(self):
        a = self.pick(lambda value: 0 < len(value.shape) < 3)
        if not a:
            return
        axis = self.random.randrange(len(a.shape) + 1)
        result = Value("", (*a.shape[:axis], 1, *a.shape[axis:]), [], a.width)
        text = f"tt.expand_dims {a.name} {{axis = {axis} : i32}} : {a.type} -> {result.type}"
        self.emit(text, result.shape, a.data, a.width)

    def broadcast(self):
        a = self.pick(lambda value: len(value.shape) > 1 and 1 in value.shape)
        if not a:
            return
        shape = tuple(8 if size == 1 else size for size in a.shape)
        data = [
            a.data[flat([0 if n == 1 else i for i, n in zip(index, a.shape, strict=True)], a.shape)]
            for index in indices(shape)
        ]
        result = Value("", shape, [], a.width)
        self.emit(f"tt.broadcast {a.name} : {a.type} -> {result.type}", shape, data, a.width)

    def trans(self):
        a = self.pick(lambda value: len(value.shape) > 1)
        if not a:
            return
        order = list(range(len(a.shape)))
        self.random.shuffle(order)
        shape = tuple(a.shape[d] for d in order)
        data = []
        for index in indices(shape):
            source = [0] * len(order)
            for d, i in zip(order, index, strict=True):
                source[d] = i
            data.append(a.data[flat(source, a.shape)])
        result = Value("", shape, [], a.width)
        text = f"tt.trans {a.name} {{order = array<i32: {', '.join(map(str, order))}>}} : {a.type} -> {result.type}"
        self.emit(text, shape, data, a.width)

    def extend(self):
        a = self.pick(lambda value: value.width < 64)
        name = self.random.choice(["extsi", "extui"])
        data = a.data if name == "extsi" else [unsigned(x, a.width) for x in a.data]
        result = Value("", a.shape, [], 64 if a.width == 32 else 32)
        self.emit(f"arith.{name} {a.name} : {a.type} to {result.type}", a.shape, data, result.width)

    def truncate(self):
        a = self.pick(lambda value: value.width > 8)
        result = Value("", a.shape, [], 8)
        self.emit(f"arith.trunci {a.name} : {a.type} to {result.type}", a.shape, [signed(x, 8) for x in a.data], 8)

    def loop(self):
        """The value after some rounds of adding the same to it."""
        start, step = self.pair()
        count = self.random.randrange(4)
        data = [x + count * y for x, y in zip(start.data, step.data, strict=True)]
        lower = self.emit("arith.constant 0 : i32", (), [0], constant=True)
        upper = self.emit(f"arith.constant {count} : i32", (), [count], constant=True)
        one = self.emit("arith.constant 1 : i32", (), [1], constant=True)
        kind, bounds = start.type, f"{lower.name} to {upper.name} step {one.name}"
        text = f"scf.for %i = {bounds} iter_args(%x = {start.name}) -> {kind} : i32 {{"
        body = [f"    %y = arith.addi %x, {step.name} : {kind}", f"    scf.yield %y : {kind}", "  }"]
        self.emit(text, start.shape, data, start.width, lines=body)

    def branch(self):
        conditions = [value for value in self.values if value.width == 1 and not value.shape]
        if not conditions:
            return
        condition = self.random.choice(conditions)
        a, b = self.pair()
        text = f"scf.if {condition.name} -> {a.type} {{"
        body = [f"    scf.yield {a.name} : {a.type}", "  } else {", f"    scf.yield {b.name} : {a.type}", "  }"]
        self.emit(text, a.shape, a.data if condition.data[0] else b.data, a.width, lines=body)


REMARK = re.compile(
    r":(\d+):\d+: remark: contiguity = \[(.*?)\], divisibility = \[(.*?)\], constancy = \[(.*?)\], "
    r"constant = (none|-?\d+)(, non-negative)?"
)


def wrong_claims(value, contiguity, divisibility, constancy, constant, non_negative):
    """What of the claims does not hold."""
    shape = value.shape or (1,)
    if len(contiguity) != len(shape):
        yield f"{len(contiguity)} dimensions for shape {shape}"
        return
    if constant is not None and any(x != constant for x in value.data):
        yield f"constant = {constant}"
    if non_negative and min(value.data) < 0:
        yield "non-negative"
    for d in range(len(shape)):
        for index in indices(shape):
            i, element = index[d], value.data[flat(index, shape)]

            def at(position):
                return value.data[flat([*index[:d], position, *index[d + 1 :]], shape)]  # noqa: B023

            first = at(i - i % contiguity[d])
            # Numbers of fewer bits may be read as unsigned; consecutive then means modulo 2^width.
            if signed(first + i % contiguity[d], value.width) != element:
                yield f"contiguity[{d}] = {contiguity[d]} at {index}"
                return
            if first % min(divisibility[d], 2**value.width):
                yield f"divisibility[{d}] = {divisibility[d]} at {index}: {first}"
                return
            if at(i - i % constancy[d]) != element:
                yield f"constancy[{d}] = {constancy[d]} at {index}"
                return


def check(triton_opt, seed):
    """Number of claims checked; exits with the program when one is wrong."""
    program = Program(seed)
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(program.text())
        file.flush()
        run = subprocess.run(
            [triton_opt, file.name, "-test-print-axis-info", "-o", "/dev/null"], capture_output=True, text=True
        )
    if run.returncode != 0:
        sys.exit(f"seed {seed}: triton-opt failed\n{program.text()}\n{run.stderr}")
    checked = 0
    for match in REMARK.finditer(run.stderr):
        value = program.by_line.get(int(match[1]))
        if value is None:  # Inside of a loop.
            continue
        lists = [[int(number) for number in match[i].split(",")] for i in (2, 3, 4)]
        constant = None if match[5] == "none" else int(match[5])
        for wrong in wrong_claims(value, *lists, constant, match[6] is not None):
            sys.exit(f"seed {seed}: not true of {value.name} = {value.data}: {wrong}\n{program.text()}")
        checked += 1
    return checked


def main():
    triton_opt, count = sys.argv[1], int(sys.argv[2])
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    checked = sum(check(triton_opt, seed) for seed in range(first, first + count))
    if checked < 10 * count:
        sys.exit(f"only {checked} results were checked in {count} programs")
    print(f"{checked} results checked")


if __name__ == "__main__":
    main()
