"""Language features beyond the core, run on the CPU and compared with NumPy."""

import numpy as np
import pytest
import triton
import triton.language as tl


def launch(kernel, *arguments, **constants):
    kernel[(1,)](*arguments, **constants)


@triton.jit
def sorts(x_ptr, up_ptr, down_ptr, top_ptr, flip_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, K: tl.constexpr):
    rows = tl.arange(0, ROWS)[:, None]
    at = rows * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    x = tl.load(x_ptr + at)
    tl.store(up_ptr + at, tl.sort(x))
    tl.store(down_ptr + at, tl.sort(x, descending=True))
    tl.store(flip_ptr + at, tl.flip(x, 0))
    tl.store(top_ptr + rows * K + tl.arange(0, K)[None, :], tl.topk(x, K))


@pytest.mark.parametrize("dtype", ["float32", "int8", "uint32", "int64", "float16"])
@pytest.mark.parametrize("columns", [2, 64])
def test_sorting(dtype, columns):
    rng = np.random.default_rng(0)
    x = (rng.integers(0, 100, (4, columns)) - (0 if dtype[0] == "u" else 50)).astype(dtype)
    up, down, flip = (np.empty_like(x) for _ in range(3))
    top = np.empty((4, 2), dtype)
    launch(sorts, x, up, down, top, flip, ROWS=4, COLUMNS=columns, K=2)
    np.testing.assert_array_equal(up, np.sort(x, axis=1))
    np.testing.assert_array_equal(down, np.sort(x, axis=1)[:, ::-1])
    np.testing.assert_array_equal(top, np.sort(x, axis=1)[:, ::-1][:, :2])
    np.testing.assert_array_equal(flip, x[::-1])


@triton.jit
def rearranges(x_ptr, out_ptr, hist_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    m = tl.reshape(x, (4, N // 4))
    low, high = tl.split(tl.reshape(x, (N // 2, 2)))
    tl.store(out_ptr + tl.arange(0, N), tl.interleave(high, low))
    tl.store(out_ptr + N + tl.arange(0, 2 * N), tl.ravel(tl.cat(m, m + 1, dim=1)))
    tl.store(out_ptr + 3 * N + tl.arange(0, N), tl.gather(x, N - 1 - tl.arange(0, N), 0))
    tl.store(out_ptr + 4 * N + tl.arange(0, N), tl.ravel(tl.permute(tl.reshape(x, (2, 2, N // 4)), (2, 0, 1))))
    tl.store(hist_ptr + tl.arange(0, 16), tl.histogram(x % 16, 16, mask=x < 50))


def test_rearranging():
    n = 32
    x = np.random.default_rng(1).integers(0, 100, n).astype("int32")
    out, hist = np.empty(5 * n, "int32"), np.empty(16, "int32")
    launch(rearranges, x, out, hist, N=n)
    m = x.reshape(4, n // 4)
    np.testing.assert_array_equal(out[:n], np.stack([x[1::2], x[::2]], 1).ravel())
    np.testing.assert_array_equal(out[n : 3 * n], np.concatenate([m, m + 1], 1).ravel())
    np.testing.assert_array_equal(out[3 * n : 4 * n], x[::-1])
    np.testing.assert_array_equal(out[4 * n :], x.reshape(2, 2, n // 4).transpose(2, 0, 1).ravel())
    np.testing.assert_array_equal(hist, np.bincount(x[x < 50] % 16, minlength=16))


@triton.jit
def through_block_pointers(x_ptr, out_ptr, M, N, stride, BM: tl.constexpr, BN: tl.constexpr, PADDING: tl.constexpr):
    source = tl.make_block_ptr(x_ptr, (M, N), (stride, 1), (0, 0), (BM, BN), (1, 0))
    target = tl.make_block_ptr(out_ptr, (BM, 2 * BN), (2 * BN, 1), (0, 0), (BM, BN), (1, 0))
    for _ in range(2):
        tl.store(target, tl.load(source, boundary_check=(0, 1), padding_option=PADDING))
        source = tl.advance(source, (0, BN))
        target = tl.advance(target, (0, BN))


@pytest.mark.parametrize("padding", ["zero", "nan"])
def test_block_pointers(padding):
    x = np.random.default_rng(2).standard_normal((5, 20)).astype("float32")
    out = np.full((8, 32), -1, "float32")
    launch(through_block_pointers, x, out, 5, 13, 20, BM=8, BN=16, PADDING=padding)
    expected = np.full((8, 32), 0 if padding == "zero" else np.nan, "float32")
    expected[:5, :13] = x[:, :13]
    np.testing.assert_array_equal(out, expected)


@triton.jit
def through_descriptors(x_ptr, out_ptr, rows_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    source = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [BM, BN])
    target = tl.make_tensor_descriptor(out_ptr, [M, N], [N, 1], [BM, BN])
    for column in range(0, N, BN):
        x = source.load([2, column])
        target.store([2, column], x * 2)
        target.atomic_add([2, column], x)
    row = tl.make_tensor_descriptor(x_ptr, [M, N], [N, 1], [1, BN])
    picked = row.gather(7 - tl.arange(0, 8), 4)
    tl.store(rows_ptr + tl.arange(0, 8)[:, None] * BN + tl.arange(0, BN)[None, :], picked)


def test_descriptors():
    x = np.random.default_rng(3).standard_normal((6, 24)).astype("float32")
    out, rows = np.zeros_like(x), np.empty((8, 16), "float32")
    launch(through_descriptors, x, out, rows, 6, 24, BM=8, BN=16)
    expected = np.zeros_like(x)
    expected[2:] = 3 * x[2:]
    np.testing.assert_allclose(out, expected, rtol=1e-6)
    expected = np.zeros((8, 16), "float32")
    expected[2:] = x[::-1, 4:20]
    np.testing.assert_array_equal(rows, expected)


@triton.jit
def float_extrema(x_ptr, out_ptr, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.atomic_max(out_ptr + tl.zeros((N,), tl.int32), x)
    tl.atomic_min(out_ptr + 1 + tl.zeros((N,), tl.int32), x, mask=x > -1)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shift", [-10, 0, 10])
def test_float_atomic_extrema(dtype, shift):
    x = (np.random.default_rng(4).standard_normal(32) + shift).astype(dtype)
    out = np.array([-np.inf, np.inf], dtype)
    launch(float_extrema, x, out, N=32)
    assert out[0] == x.max()
    assert out[1] == min(x[x > -1], default=np.inf)


@triton.jit
def random_words(out_ptr, seed, first, N: tl.constexpr):
    a, b, c, d = tl.randint4x(seed, first + tl.arange(0, N).to(tl.int64))
    at = tl.arange(0, N)
    tl.store(out_ptr + at, a)
    tl.store(out_ptr + N + at, b)
    tl.store(out_ptr + 2 * N + at, c)
    tl.store(out_ptr + 3 * N + at, d)


def philox(counter, key, word):
    """Philox 4x32-10 or 4x64-10, on lists of Python integers."""
    a, b = (0xD2511F53, 0xCD9E8D57) if word == 32 else (0xD2E7470EE14C6C93, 0xCA5A826395121157)
    steps = (0x9E3779B9, 0xBB67AE85) if word == 32 else (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)
    mask = (1 << word) - 1
    c, k = list(counter), list(key)
    for _ in range(10):
        p, q = a * c[0], b * c[2]
        c = [(q >> word) ^ c[1] ^ k[0], q & mask, (p >> word) ^ c[3] ^ k[1], p & mask]
        k = [(x + step) & mask for x, step in zip(k, steps)]
    return c


def test_reference_of_the_test_agrees_with_numpy():
    generator = np.random.Philox(key=0x1234, counter=0)
    # NumPy counts before it generates.
    assert generator.random_raw(4).tolist() == philox([1, 0, 0, 0], [0x1234, 0], 64)


@pytest.mark.parametrize(("seed", "first"), [(0, 0), (2**40 + 7, 2**35 + 3), (-5, 2**32 - 2)])
def test_random_words_of_64_bit_offsets(seed, first):
    out = np.empty((4, 8), "uint32")
    launch(random_words, out, seed, first, N=8)
    key = [seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF]
    expected = [philox([(first + i) & 0xFFFFFFFF, (first + i) >> 32, 0, 0], key, 32) for i in range(8)]
    np.testing.assert_array_equal(out, np.array(expected, "uint32").T)


@triton.jit
def wide_philox(out_ptr, seed, N: tl.constexpr):
    at = tl.arange(0, N)
    count = at.to(tl.uint64)
    a, b, c, d = tl.philox(seed, count, count * 0, count * 0, count * 0)
    tl.store(out_ptr + at, a)
    tl.store(out_ptr + N + at, d)


def test_philox_of_64_bit_words():
    out = np.empty((2, 8), "uint64")
    launch(wide_philox, out, 99, N=8)
    expected = [philox([i, 0, 0, 0], [99, 0], 64) for i in range(8)]
    np.testing.assert_array_equal(out, np.array(expected, "uint64").T[[0, 3]])


@triton.jit
def uniforms(out_ptr, seed, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, tl.rand(seed, at))
    tl.store(out_ptr + N + at, tl.randn(seed, at))


def test_distributions():
    n = 1 << 14
    out = np.empty((2, n), "float32")
    launch(uniforms, out, 7, N=n)
    words = np.array([philox([i, 0, 0, 0], [7, 0], 32)[0] for i in range(64)], "uint32").view("int32")
    uniform = np.where(words < 0, ~words, words).astype("float32") * np.float32(4.6566127342e-10)
    np.testing.assert_array_equal(out[0, :64], uniform)
    assert 0 <= out[0].min() < 0.001 and 0.999 < out[0].max() < 1
    assert abs(out[1].mean()) < 0.03 and abs(out[1].std() - 1) < 0.03


@triton.jit
def minus_and_bits(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, -x)
    tl.store(out_ptr + N + at, tl.abs(-x))


def test_negation_keeps_the_sign_of_zero():
    x = np.array([0.0, -0.0, 1.5, -np.inf], "float32")
    out = np.empty((2, 4), "float32")
    launch(minus_and_bits, x, out, N=4)
    np.testing.assert_array_equal(np.signbit(out[0]), [True, False, True, False])
    np.testing.assert_array_equal(out[1], np.abs(x))


@triton.jit
def batched_dot(a_ptr, b_ptr, out_ptr, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    batch = tl.arange(0, B)[:, None, None]
    a = tl.load(a_ptr + batch * M * K + tl.arange(0, M)[None, :, None] * K + tl.arange(0, K)[None, None, :])
    b = tl.load(b_ptr + batch * K * N + tl.arange(0, K)[None, :, None] * N + tl.arange(0, N)[None, None, :])
    at = batch * M * N + tl.arange(0, M)[None, :, None] * N + tl.arange(0, N)[None, None, :]
    tl.store(out_ptr + at, tl.dot(a, b))


def test_batched_dot():
    rng = np.random.default_rng(5)
    a, b = rng.standard_normal((2, 8, 16)).astype("float32"), rng.standard_normal((2, 16, 4)).astype("float32")
    out = np.empty((2, 8, 4), "float32")
    launch(batched_dot, a, b, out, B=2, M=8, N=4, K=16)
    np.testing.assert_allclose(out, a @ b, rtol=1e-5, atol=1e-5)


@triton.jit
def through_fp8(x_ptr, out_ptr, N: tl.constexpr, FP8: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, tl.load(x_ptr + at).to(FP8).to(tl.float32))


@pytest.mark.parametrize(("fp8", "mantissa"), [(tl.float8e5, 2), (tl.float8e4nv, 3)])
def test_fp8_rounds_to_nearest_even(fp8, mantissa):
    x = np.linspace(1, 16, 256, dtype="float32")
    out = np.empty_like(x)
    launch(through_fp8, x, out, N=256, FP8=fp8)
    step = np.exp2(np.floor(np.log2(x)) - mantissa)
    np.testing.assert_array_equal(out, np.round(x / step) * step)


@triton.jit
def count_steps(out_ptr, low, high, step):
    count = 0
    for _ in range(low, high, step):
        count += 1
    tl.store(out_ptr, count)


@pytest.mark.parametrize(
    ("low", "high", "step", "count"), [(0, 10, 3, 4), (0, 10, 0, 0), (0, 10, -1, 0), (10, 0, -1, 0)]
)
def test_run_time_steps_that_are_not_positive_run_nothing(low, high, step, count):
    out = np.full(1, -1, np.int32)
    count_steps[(1,)](out, low, high, step)
    assert out[0] == count
