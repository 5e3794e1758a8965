"""Wrong IR gives an error and never a crash.

usage: mutations.py TRITON_OPT COUNT [SEED]

Takes functions of the lit tests beside it, in their usual and in the generic form, exchanges types, operands and
numbers at random and runs all passes on the result. triton-opt must end by itself: with 0, or with 1 and a message.
"""

import pathlib
import random
import re
import subprocess
import sys

PASSES = [
    "-canonicalize",
    "-triton-combine",
    "-triton-reorder-broadcast",
    "-triton-rewrite-tensor-pointer",
    "-triton-rewrite-tensor-descriptor-to-pointer",
    "-triton-licm",
    "-triton-loop-unroll",
    "-test-print-axis-info",
    "-cse",
]
TYPES = (
    "f32 i32 i1 i64 f16 i7 none tensor<8xf32> tensor<8x4xf32> tensor<1xi32> tensor<8xi1> !tt.ptr<f32> "
    "tensor<8x!tt.ptr<f32>> !tt.ptr<tensor<8x8xf32>> !tt.tensordesc<tensor<8x8xf32>> tensor<*xf32> tensor<?xf32> "
    "tensor<f32> tensor<0xf32> vector<8xf32>"
).split()
NUMBERS = "0 1 -1 2 3 7 100000000 4294967296".split()
TYPE = r"(?:tensor|!tt\.\w+)<[^<>]*(?:<[^<>]*>)?[^<>]*>|\b[if]\d+\b"
TOKEN = re.compile(rf"{TYPE}|%[\w#]+|-?\b\d+\b")


def functions(triton_opt):
    """Text of the functions to change: those of the tests, and of the readable ones the generic form."""
    for path in sorted(pathlib.Path(__file__).parent.parent.glob("*.mlir")):
        if path.name.startswith("invalid"):
            continue
        text = re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.MULTILINE)
        for function in re.split(r"(?=^tt\.func)", text, flags=re.MULTILINE):
            if not function.startswith("tt.func"):
                continue
            yield function
            run = subprocess.run(
                [triton_opt, "--mlir-print-op-generic"], input=function, capture_output=True, text=True
            )
            if run.returncode == 0:
                yield run.stdout


def mutate(text, rng):
    """`text` with one to three tokens exchanged, here and there or everywhere."""
    for _ in range(rng.choice([1, 1, 2, 3])):
        tokens = list(TOKEN.finditer(text))
        if not tokens:
            break
        token = rng.choice(tokens)
        if token[0].startswith("%"):
            new = rng.choice([match[0] for match in tokens if match[0].startswith("%")])
        else:
            new = rng.choice(NUMBERS if token[0].lstrip("-").isdigit() else TYPES)
        if rng.random() < 0.5:
            text = text.replace(token[0], new)
        else:
            text = text[: token.start()] + new + text[token.end() :]
    return text


def main():
    triton_opt, count = sys.argv[1], int(sys.argv[2])
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 0)
    pool = list(functions(triton_opt))
    accepted = 0
    for _ in range(count):
        text = mutate(rng.choice(pool), rng)
        run = subprocess.run([triton_opt, *PASSES], input=text, capture_output=True, text=True, timeout=60)
        if run.returncode not in (0, 1) or (run.returncode == 1 and "error:" not in run.stderr):
            sys.exit(f"triton-opt ended with {run.returncode} on\n{text}\n{run.stderr}")
        accepted += run.returncode == 0
    # All or none of them would mean that this changes nothing, or only spoils the syntax.
    if not count * 0.05 < accepted < count * 0.9:
        sys.exit(f"{accepted} of {count} changed functions were accepted")
    print(f"{accepted} of {count} changed functions were accepted")


if __name__ == "__main__":
    main()
