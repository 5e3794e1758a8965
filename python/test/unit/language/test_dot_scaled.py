"""`tl.dot_scaled` compiled for the CPU and interpreted, compared with NumPy."""

import itertools

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.runtime.interpreter import InterpretedFunction

FORMATS = ("e2m1", "e4m3", "e5m2", "bf16", "fp16")
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
M, N, K = 16, 32, 64


def multiply_scaled(
    a_ptr,
    a_scale_ptr,
    b_ptr,
    b_scale_ptr,
    acc_ptr,
    out_ptr,
    A_FORMAT: tl.constexpr,
    B_FORMAT: tl.constexpr,
    A_ROWS: tl.constexpr,
    A_COLUMNS: tl.constexpr,
    B_ROWS: tl.constexpr,
    B_COLUMNS: tl.constexpr,
    A_K_PACK: tl.constexpr,
    B_K_PACK: tl.constexpr,
    M: tl.constexpr,
    N: tl.constexpr,
    GROUPS: tl.constexpr,
    OUT: tl.constexpr,
):
    a = tl.load(a_ptr + tl.arange(0, A_ROWS)[:, None] * A_COLUMNS + tl.arange(0, A_COLUMNS)[None, :])
    b = tl.load(b_ptr + tl.arange(0, B_ROWS)[:, None] * B_COLUMNS + tl.arange(0, B_COLUMNS)[None, :])
    rows, columns, groups = tl.arange(0, M), tl.arange(0, N), tl.arange(0, GROUPS)
    a_scale, b_scale = None, None
    if a_scale_ptr is not None:
        a_scale = tl.load(a_scale_ptr + rows[:, None] * GROUPS + groups[None, :])
    if b_scale_ptr is not None:
        b_scale = tl.load(b_scale_ptr + columns[:, None] * GROUPS + groups[None, :])
    at = rows[:, None] * N + columns[None, :]
    acc = tl.load(acc_ptr + at)
    product = tl.dot_scaled(
        a, a_scale, A_FORMAT, b, b_scale, B_FORMAT, acc, lhs_k_pack=A_K_PACK, rhs_k_pack=B_K_PACK, out_dtype=OUT
    )
    tl.store(out_ptr + at, product)


KERNELS = {"compiled": triton.JITFunction(multiply_scaled), "interpreted": InterpretedFunction(multiply_scaled)}


def decode(codes, fmt):
    """The numbers that `codes`, one to an element, stand for, as float64."""
    if fmt == "e2m1":
        return np.where(codes & 8, -1.0, 1.0) * E2M1[codes & 7]
    exponent_bits, mantissa_bits = {"e4m3": (4, 3), "e5m2": (5, 2), "bf16": (8, 7), "fp16": (5, 10)}[fmt]
    codes = codes.astype(np.int64)
    mantissa = codes & (1 << mantissa_bits) - 1
    exponent = codes >> mantissa_bits & (1 << exponent_bits) - 1
    lead = np.where(exponent > 0, 1 << mantissa_bits, 0)
    bias = (1 << exponent_bits - 1) - 1 + mantissa_bits
    sign = np.where(codes >> exponent_bits + mantissa_bits, -1.0, 1.0)
    return sign * np.ldexp((lead + mantissa).astype(np.float64), np.maximum(exponent, 1) - bias)


def random_codes(rng, shape, fmt):
    """All finite codes of the small formats; of the wide ones those of a moderate size."""
    if fmt == "e2m1":
        return rng.integers(0, 16, shape).astype(np.uint8)
    if fmt in ("e4m3", "e5m2"):
        codes = rng.integers(0, 0x7F if fmt == "e4m3" else 0x7C, shape)
        return (codes | rng.integers(0, 2, shape) << 7).astype(np.uint8)
    x = rng.standard_normal(shape).astype(np.float32)
    return x.astype(np.float16).view(np.uint16) if fmt == "fp16" else (x.view(np.uint32) >> 16).astype(np.uint16)


def pack(codes, axis):
    """Two codes to a byte, the first in the low half."""
    first, second = (np.take(codes, range(start, codes.shape[axis], 2), axis) for start in (0, 1))
    return np.ascontiguousarray(first | second << 4)


def scale_values(codes):
    """[rows, K] factors of the exponents `codes`, [rows, K / 32]."""
    values = np.where(codes == 255, np.nan, np.ldexp(1.0, codes.astype(np.int64) - 127))
    return np.repeat(values, 32, axis=1)


def run(kind, a, a_format, a_scale, b, b_format, b_scale, acc, k_packs=(True, True)):
    """Launches with codes `a` [M, K] and `b` [K, N]; returns the result [M, N]."""
    out = np.empty_like(acc)
    x = pack(a, 1 if k_packs[0] else 0) if a_format == "e2m1" else a
    y = pack(b, 0 if k_packs[1] else 1) if b_format == "e2m1" else b
    sizes = dict(zip(("A_ROWS", "A_COLUMNS", "B_ROWS", "B_COLUMNS"), x.shape + y.shape, strict=True))
    out_type = tl.float16 if acc.dtype == np.float16 else tl.float32
    formats = {"A_FORMAT": a_format, "B_FORMAT": b_format, "A_K_PACK": k_packs[0], "B_K_PACK": k_packs[1]}
    shape = {"M": a.shape[0], "N": b.shape[1], "GROUPS": a.shape[1] // 32, "OUT": out_type}
    KERNELS[kind][(1,)](x, a_scale, y, b_scale, acc, out, **formats, **sizes, **shape)
    return out


def check(a_format, b_format, scaled=(True, True), k_packs=(True, True), dtype=np.float32):
    rng = np.random.default_rng(7)
    a, b = random_codes(rng, (M, K), a_format), random_codes(rng, (K, N), b_format)
    scales = [rng.integers(120, 135, (rows, K // 32)).astype(np.uint8) for rows in (M, N)]
    acc = rng.standard_normal((M, N)).astype(dtype)
    x, y = decode(a, a_format), decode(b, b_format)
    if scaled[0]:
        x = x * scale_values(scales[0])
    if scaled[1]:
        y = y * scale_values(scales[1]).T
    expected = x @ y + acc
    # What one rounding of each sum and of the result may cost.
    bound = (np.abs(x) @ np.abs(y) + np.abs(acc)) * K * 2.0**-24 + np.abs(expected) * np.finfo(dtype).eps
    given = [scale if used else None for scale, used in zip(scales, scaled, strict=True)]
    for kind in KERNELS:
        out = run(kind, a, a_format, given[0], b, b_format, given[1], acc, k_packs)
        assert out.dtype == dtype
        assert (np.abs(out - expected) <= bound).all(), (kind, np.abs(out - expected).max())


@pytest.mark.parametrize(("a_format", "b_format"), [*itertools.product(FORMATS, repeat=2)])
def test_formats(a_format, b_format):
    check(a_format, b_format)


@pytest.mark.parametrize("scaled", [(True, False), (False, True), (False, False)])
@pytest.mark.parametrize("formats", [("e2m1", "e4m3"), ("bf16", "e2m1")])
def test_absent_scales(formats, scaled):
    check(*formats, scaled=scaled)


@pytest.mark.parametrize("k_packs", [*itertools.product((True, False), repeat=2)])
def test_packing(k_packs):
    check("e2m1", "e2m1", k_packs=k_packs)


def test_half_accumulator():
    check("e2m1", "e2m1", scaled=(True, False), dtype=np.float16)


@pytest.mark.parametrize("kind", KERNELS)
def test_every_scale(kind):
    """Each exponent scales exactly, the smallest included; the last one is NaN in its row and its columns only."""
    one = np.full((256, 32), 2, np.uint8)
    b = np.zeros((32, 16), np.uint8)
    b[0] = 2  # the only product that counts
    codes = np.arange(256, dtype=np.uint8)[:, None]
    out = run(kind, one, "e2m1", codes, b, "e2m1", None, np.zeros((256, 16), np.float32))
    expected = np.append(np.ldexp(1.0, np.arange(255) - 127), np.nan).astype(np.float32)
    np.testing.assert_array_equal(out, np.repeat(expected[:, None], 16, axis=1))


@pytest.mark.parametrize("kind", KERNELS)
@pytest.mark.parametrize(("fmt", "count"), [("e2m1", 16), ("e4m3", 256), ("e5m2", 256)])
def test_every_code(kind, fmt, count):
    """Each code of a format times one, with NaN and infinity where the format has them."""
    codes = np.arange(count, dtype=np.uint8)
    a = np.zeros((count, 32), np.uint8)
    a[:, 0] = codes
    one = np.zeros((32, 16), np.uint8)
    one[0] = 2
    expected = decode(codes, fmt)
    if fmt == "e4m3":
        expected[codes & 0x7F == 0x7F] = np.nan
    if fmt == "e5m2":
        expected[codes & 0x7F == 0x7C] *= np.inf
        expected[codes & 0x7F > 0x7C] = np.nan
    out = run(kind, a, fmt, None, one, "e2m1", None, np.zeros((count, 16), np.float32))
    np.testing.assert_array_equal(out, np.repeat(expected[:, None], 16, axis=1))


IR = """
tt.func public @ones(%out: !tt.ptr<f32>) {
  %a = arith.constant dense<34> : tensor<1x16xi8>
  %b = arith.constant dense<34> : tensor<16x1xi8>
  %c = arith.constant dense<0.5> : tensor<1x1xf32>
  %d = tt.dot_scaled %a, %b, %c lhs = e2m1 rhs = e2m1 {fastMath = false}
       : tensor<1x16xi8> * tensor<16x1xi8> -> tensor<1x1xf32>
  %row = tt.reshape %d : tensor<1x1xf32> -> tensor<1xf32>
  %x = tt.unsplat %row : tensor<1xf32>
  tt.store %out, %x : !tt.ptr<f32>
  tt.return
}
"""


def test_file_of_ir(tmp_path):
    """Files skip the clean-up stage."""
    path = tmp_path / "ones.ttir"
    path.write_text(IR)
    out = np.zeros(1, np.float32)
    triton.compile(str(path))[(1, 1, 1)](out)
    assert out[0] == 32.5
