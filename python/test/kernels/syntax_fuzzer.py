"""Random text of kernels: any syntax of Python, any name of the language, mostly in plausible places.

Run as a program it compiles the kernels of some seeds and prints, in one line of JSON per seed, how that ended:

    python python/test/kernels/syntax_fuzzer.py 0 100
    python python/test/kernels/syntax_fuzzer.py 17 18 --show
"""

from __future__ import annotations

import importlib.util
import json
import random
import sys
import tempfile
import warnings
from pathlib import Path

import triton
import triton.language as tl
from triton.compiler.errors import CompilationError
from triton.compiler.source import ASTSource

if __package__:
    from .typed_fuzzer import TypedFuzzer
else:  # run as a program
    from typed_fuzzer import TypedFuzzer

HEADER = """\
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def choose(a, b):
    if a > b:
        return a, b
    return b, a


@triton.jit
def triple(a):
    while a < 4:
        a = a * 3 + 20
    return a


@triton.constexpr_function
def double(a):
    return a * 2


@triton.aggregate
class Pair:
    first: tl.tensor
    second: tl.tensor


LIMIT: tl.constexpr = 8
PLAIN = 3
"""
SIGNATURE = {"X": "*fp32", "J": "*i32", "H": "*fp16", "B": "*i8", "n": "i32", "m": "i64", "f": "fp32", "C": "constexpr"}
NUMBERS = (
    "0 1 2 3 4 7 8 16 31 32 33 64 -1 -8 255 2**31 -2**31 2**63 2**64 2**70 0.0 1.5 -0.5 1e-40 1e39 1e400 True".split()
)
TYPES = [
    *"int1 int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64".split(),
    *"float8e4nv float8e5 float8e4b15 float8e4b8 float8e5b16 void".split(),
]
BINARY = "+ - * / // % & | ^ << >> ** @".split()
COMPARISONS = ["<", "<=", ">", ">=", "==", "!=", "is", "is not", "in", "not in"]
BLOCKS = [
    "tl.arange(0, 16)",
    "tl.arange(0, 16)[:, None]",
    "tl.load(X + tl.arange(0, 16))",
    "tl.load(J + tl.arange(0, 16), mask=tl.arange(0, 16) < n, other=0)",
    "tl.load(B + tl.arange(0, 8))",
    "tl.zeros((4, 4), tl.float32)",
    "tl.full((16, 16), 1, tl.float16)",
    "tl.load(H + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :])",
    "tl.make_block_ptr(X, (n, 8), (8, 1), (0, 0), (4, 8), (1, 0))",
    "tl.make_tensor_descriptor(X, [n, 8], [8, 1], [4, 8])",
    "Pair(n, m)",
    "(n, X)",
    "tl.program_id(0)",
]
FUNCTIONS = [f"tl.{name}" for name in tl.__all__] + [
    *"add choose double len int float min max abs sum print isinstance getattr hasattr range list tuple zip".split(),
    *"enumerate bool str tl.math.exp tl.core.add triton.cdiv triton.next_power_of_2 libdevice.tanh".split(),
    *"libdevice.pow libdevice.ffs libdevice.ldexp libdevice.float_as_int libdevice.norm4d".split(),
]
KEYWORDS = [
    *"axis=0 axis=1 axis=-1 axis=None keep_dims=True mask=n>0 other=0 dtype=tl.int32 dim=0 bitcast=True".split(),
    *'combine_fn=add num_bins=8 reverse=True sem="relaxed" acc=None input_precision="ieee" step=2'.split(),
    *'cache_modifier=".ca" boundary_check=(0,) padding_option="nan" return_indices=True k=4 nonsense=1'.split(),
]
ATTRIBUTES = "dtype shape T type numel handle value first second start_ foo __class__ is_block element_ty data".split()
METHODS = [name for name in dir(tl.tensor) if not name.startswith("_")] + ["load", "store", "advance", "foo", "append"]


class Fuzzer:
    """Text of one kernel. `depth` bounds the nesting, so that the text ends."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.names = list(SIGNATURE)

    def pick(self, options):
        return self.random.choice(options)

    def chance(self, percent: int) -> bool:
        return self.random.randrange(100) < percent

    def kernel(self, name: str) -> str:
        statements = [f"v{i} = {self.pick(BLOCKS)}" for i in range(self.random.randrange(4))]
        self.names += [f"v{i}" for i in range(len(statements))]
        for _ in range(self.random.randrange(1, 7)):
            statements += self.statement(3)
        body = "\n".join("    " + line for line in statements)
        return f"@triton.jit\ndef {name}({', '.join(SIGNATURE)}: tl.constexpr):\n{body}\n"

    # --- expressions ---
    def expression(self, depth: int) -> str:
        if depth <= 0 or self.chance(25):
            return self.atom()

        def e():
            return self.expression(depth - 1)

        kind = self.random.randrange(26)
        if kind < 6:
            return f"({e()} {self.pick(BINARY)} {e()})"
        if kind < 8:
            return f"({e()} {self.pick(COMPARISONS)} {e()})"
        if kind < 14:
            return self.call(self.pick(FUNCTIONS), depth)
        if kind < 17:
            return self.call(f"{self.name()}.{self.pick(METHODS)}", depth)
        return self.pick(
            [
                lambda: f"({self.pick(['-', '~', '+', 'not '])}{e()})",
                lambda: f"({e()} {self.pick(['and', 'or'])} {e()})",
                lambda: f"({e()} if {e()} else {e()})",
                lambda: f"{self.name()}.{self.pick(ATTRIBUTES)}",
                lambda: f"{self.name()}[{self.index(depth)}]",
                lambda: f"({e()}, {e()})",
                lambda: f"[{e()}, {e()}]",
                lambda: f"{e()}.to(tl.{self.pick(TYPES)})",
                self.rare(e),
            ]
        )()

    def rare(self, e):
        return lambda: self.pick(
            [
                lambda: f"(w := {e()})",
                lambda: f"[q + {e()} for q in {e()} if {e()}]",
                lambda: f"f'{{{self.name()}}}x'",
                lambda: f"({e()} < {e()} <= {e()})",
                lambda: f"{{{e()}: {e()}}}",
                lambda: f"{{{e()}, {e()}}}",
                lambda: f"(lambda q: {e()})({e()})",
                lambda: f"(q for q in {e()})",
                lambda: f"add(*({e()}, {e()}))",
                lambda: f"add(**{{'a': {e()}}})",
                lambda: f"choose({e()}, {e()})[0]",
                lambda: "(yield)",
                lambda: f"tl.constexpr({e()})",
                lambda: f"add[(1,)]({e()}, 2)",
            ]
        )()

    def atom(self) -> str:
        if self.chance(65):
            return self.name()
        return self.pick(
            [*NUMBERS, f"tl.{self.pick(TYPES)}", "None", "'text'", "...", "PLAIN", "LIMIT", "missing", "add", "tl"]
        )

    def name(self) -> str:
        return self.pick(self.names)

    def index(self, depth: int) -> str:
        return self.pick([":, None", "None, :", ":", "0", "1:", "::2", "...", self.expression(depth - 1)])

    def call(self, function: str, depth: int) -> str:
        arguments = [self.expression(depth - 1) for _ in range(self.random.randrange(4))]
        arguments += self.random.sample(KEYWORDS, self.pick([0, 0, 0, 1, 1, 2]))
        return f"{function}({', '.join(arguments)})"

    # --- statements ---
    def block(self, depth: int) -> list[str]:
        lines = [line for _ in range(self.random.randrange(1, 3)) for line in self.statement(depth - 1)]
        return ["    " + line for line in lines]

    def target(self) -> str:
        name = f"v{self.random.randrange(6)}"
        if name not in self.names:
            self.names.append(name)
        return name

    def statement(self, depth: int) -> list[str]:
        kind = self.random.randrange(100) if depth > 0 else self.random.randrange(55)
        value = self.expression(3)
        if kind < 30:
            return [f"{self.target()} = {value}"]
        if kind < 40:
            return [f"{self.name()} {self.pick(BINARY)}= {value}"]
        if kind < 55:
            return [self.pick([f"tl.store(X + tl.arange(0, 16), {value})", f"tl.store(J, {value})", value])]
        if kind < 68:
            return [f"if {value}:", *self.block(depth), *(["else:", *self.block(depth)] if self.chance(60) else [])]
        if kind < 80:
            values = [f"range({value})", "range(n)", "range(0, n, 2)", "tl.range(3)", "tl.static_range(2)", value]
            return [f"for {self.target()} in {self.pick(values)}:", *self.block(depth)]
        if kind < 84:
            return [f"while {value}:", *self.block(depth)]
        return self.odd_statement(depth, value)

    def odd_statement(self, depth: int, value: str) -> list[str]:
        block = self.block(depth)
        return self.pick(
            [
                [f"{self.target()}, {self.target()} = {value}"],
                [f"{self.target()}, *{self.target()} = {value}"],
                [f"{self.target()}: tl.constexpr = {value}"],
                [f"{self.target()}: {value}"],
                [f"{self.name()}.first = {value}"],
                [f"{self.name()}[0] = {value}"],
                [f"return {value}"],
                ["return"],
                [f"assert {value}, 'text'"],
                [f"with {value}:", *block],
                ["try:", *block, "except Exception:", *block],
                ["def inner(a):", *block],
                ["class Inner:", *block],
                [f"raise {value}"],
                ["break"],
                ["continue"],
                ["global PLAIN"],
                [f"del {self.name()}"],
                ["import os"],
                [f"match {value}:", "    case 1:", *["    " + line for line in block]],
                ["pass"],
            ]
        )


def source_of(seed: int) -> str:
    """The first kernel of `seed` that Python can parse: any syntax for even seeds, types that fit for odd ones."""
    if seed % 2:
        return TypedFuzzer(seed).kernel(f"kernel_{seed}", f"{', '.join(SIGNATURE)}: tl.constexpr")
    for attempt in range(1000):
        text = Fuzzer(seed * 1000 + attempt).kernel(f"kernel_{seed}")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compile(text, "kernel", "exec")
        except SyntaxError:
            continue
        return text
    raise RuntimeError(f"seed {seed}: no kernel can be parsed")


def outcome(kernel) -> dict:
    """How the compile ended: "code", or the class and the text of the error; `clean` if it is one for users."""
    target = triton.backends.backends["cpu"].driver().get_current_target()
    try:
        compiled = triton.compile(ASTSource(kernel, SIGNATURE, {"C": 16}), target=target)
    except Exception as error:  # noqa: BLE001  (the kind is what is reported)
        text = str(error)
        clean = isinstance(error, CompilationError) and text.startswith("at ") and "^" in text
        return {"end": type(error).__name__, "clean": clean, "text": text}
    return {"end": "code", "clean": bool(compiled.asm["obj"]), "text": ""}


def main(first: int, last: int, show: bool) -> None:
    seeds = range(first, last)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fuzzed_kernels.py"
        path.write_text(HEADER + "\n\n" + "\n\n".join(map(source_of, seeds)))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            spec.loader.exec_module(module)
            for seed in seeds:
                if show:
                    print(source_of(seed), file=sys.stderr)
                print(json.dumps({"seed": seed}), flush=True)  # so that a crash has a name
                print(json.dumps({"seed": seed, **outcome(getattr(module, f"kernel_{seed}"))}), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), "--show" in sys.argv)
