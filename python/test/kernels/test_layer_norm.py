"""Layer norm forward and backward, with the weight gradient by atomics, by a spin lock and in two stages."""

import numpy as np
import pytest
import triton
import triton.language as tl

from .support import EPS, Fenced, assert_close, make, random_values, read

EPSILON = 1e-5


@triton.jit
def forward(x_ptr, weight_ptr, bias_ptr, out_ptr, mean_ptr, rstd_ptr, row_stride, cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    live = c < cols
    x = tl.load(x_ptr + row * row_stride + c, mask=live, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / cols
    centred = tl.where(live, x - mean, 0.0)
    rstd = 1.0 / tl.sqrt(tl.sum(centred * centred, axis=0) / cols + eps)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
    weight = tl.load(weight_ptr + c, mask=live).to(tl.float32)
    bias = tl.load(bias_ptr + c, mask=live).to(tl.float32)
    tl.store(out_ptr + row * row_stride + c, centred * rstd * weight + bias, mask=live)


@triton.jit
def forward_streaming(x_ptr, weight_ptr, bias_ptr, out_ptr, cols, eps, BLOCK: tl.constexpr):
    """Rows longer than a block, three passes."""
    x_ptr += tl.program_id(0) * cols
    out_ptr += tl.program_id(0) * cols
    lanes = tl.arange(0, BLOCK)
    sums = tl.zeros([BLOCK], tl.float32)
    for start in range(0, cols, BLOCK):
        c = start + lanes
        sums += tl.load(x_ptr + c, mask=c < cols, other=0.0)
    mean = tl.sum(sums, axis=0) / cols
    squares = tl.zeros([BLOCK], tl.float32)
    for start in range(0, cols, BLOCK):
        c = start + lanes
        centred = tl.where(c < cols, tl.load(x_ptr + c, mask=c < cols, other=0.0) - mean, 0.0)
        squares += centred * centred
    rstd = tl.rsqrt(tl.sum(squares, axis=0) / cols + eps)
    for start in range(0, cols, BLOCK):
        c = start + lanes
        x = tl.load(x_ptr + c, mask=c < cols)
        weight = tl.load(weight_ptr + c, mask=c < cols)
        bias = tl.load(bias_ptr + c, mask=c < cols)
        tl.store(out_ptr + c, (x - mean) * rstd * weight + bias, mask=c < cols)


@triton.jit
def row_gradients(dy_ptr, x_ptr, weight_ptr, mean_ptr, rstd_ptr, row, c, live, cols):
    """The gradients of one row: of its inputs, and its share of the weight's and the bias's."""
    dy = tl.load(dy_ptr + row * cols + c, mask=live, other=0.0).to(tl.float32)
    x = tl.load(x_ptr + row * cols + c, mask=live, other=0.0).to(tl.float32)
    weight = tl.load(weight_ptr + c, mask=live, other=0.0).to(tl.float32)
    rstd = tl.load(rstd_ptr + row)
    normed = tl.where(live, (x - tl.load(mean_ptr + row)) * rstd, 0.0)
    scaled = weight * dy
    along = tl.sum(normed * scaled, axis=0) / cols
    average = tl.sum(scaled, axis=0) / cols
    return (scaled - (normed * along + average)) * rstd, dy * normed, dy


@triton.jit
def backward_atomic(dy_ptr, x_ptr, weight_ptr, mean_ptr, rstd_ptr, dx_ptr, dw_ptr, db_ptr, cols,
                    BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    live = c < cols
    dx, dw, db = row_gradients(dy_ptr, x_ptr, weight_ptr, mean_ptr, rstd_ptr, row, c, live, cols)
    tl.store(dx_ptr + row * cols + c, dx, mask=live)
    tl.atomic_add(dw_ptr + c, dw, mask=live)
    tl.atomic_add(db_ptr + c, db, mask=live)


@triton.jit
def backward_locked(dy_ptr, x_ptr, weight_ptr, mean_ptr, rstd_ptr, dx_ptr, dw_ptr, db_ptr, locks_ptr, cols,
                    GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    """Rows of a group add into one partial sum, guarded by a lock; the first to come overwrites."""
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    live = c < cols
    dx, dw, db = row_gradients(dy_ptr, x_ptr, weight_ptr, mean_ptr, rstd_ptr, row, c, live, cols)
    tl.store(dx_ptr + row * cols + c, dx, mask=live)
    group = row % GROUPS
    lock = locks_ptr + group
    touched = locks_ptr + GROUPS + group
    dw_at = dw_ptr + group * cols + c
    db_at = db_ptr + group * cols + c
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    if tl.load(touched) == 0:
        tl.atomic_xchg(touched, 1)
    else:
        dw += tl.load(dw_at, mask=live)
        db += tl.load(db_at, mask=live)
    tl.store(dw_at, dw, mask=live)
    tl.store(db_at, db, mask=live)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def backward_partial(dy_ptr, x_ptr, weight_ptr, mean_ptr, rstd_ptr, dx_ptr, dw_ptr, db_ptr, rows, cols,
                     BLOCK: tl.constexpr):
    """Every program walks its share of the rows and writes one row of partial sums."""
    program = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    live = c < cols
    dw_sum = tl.zeros([BLOCK], tl.float32)
    db_sum = tl.zeros([BLOCK], tl.float32)
    for row in range(program, rows, tl.num_programs(0)):
        dx, dw, db = row_gradients(dy_ptr, x_ptr, weight_ptr, mean_ptr, rstd_ptr, row, c, live, cols)
        tl.store(dx_ptr + row * cols + c, dx, mask=live)
        dw_sum += dw
        db_sum += db
    tl.store(dw_ptr + program * cols + c, dw_sum, mask=live)
    tl.store(db_ptr + program * cols + c, db_sum, mask=live)


@triton.jit
def sum_partials(partial_ptr, out_ptr, parts, cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    c = tl.program_id(0) * COLS + tl.arange(0, COLS)
    acc = tl.zeros([ROWS, COLS], tl.float32)
    for start in range(0, parts, ROWS):
        r = start + tl.arange(0, ROWS)
        live = (r[:, None] < parts) & (c[None, :] < cols)
        acc += tl.load(partial_ptr + r[:, None] * cols + c[None, :], mask=live, other=0.0)
    tl.store(out_ptr + c, tl.sum(acc, axis=0), mask=c < cols)


def problem(rows, cols, dtype="float32"):
    x = random_values((rows, cols), dtype, 1, 3.0)
    weight, bias = random_values(cols, dtype, 2), random_values(cols, dtype, 3)
    return x, weight, bias


def statistics(x):
    x = x.astype(np.float64)
    mean = x.mean(axis=1)
    return mean, 1 / np.sqrt(((x - mean[:, None])**2).mean(axis=1) + EPSILON)


def oracle_forward(x, weight, bias):
    mean, rstd = statistics(x)
    return (x.astype(np.float64) - mean[:, None]) * rstd[:, None] * weight + bias


def oracle_backward(dy, x, weight):
    mean, rstd = statistics(x)
    normed = (x.astype(np.float64) - mean[:, None]) * rstd[:, None]
    scaled = dy.astype(np.float64) * weight
    along = (normed * scaled).mean(axis=1, keepdims=True)
    dx = (scaled - normed * along - scaled.mean(axis=1, keepdims=True)) * rstd[:, None]
    return dx, (dy * normed).sum(axis=0), dy.astype(np.float64).sum(axis=0)


SHAPES = [(1, 1), (3, 2), (5, 100), (37, 300), (16, 1024), (2, 4000)]


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("rows, cols", SHAPES)
def test_forward(rows, cols, dtype):
    x, weight, bias = problem(rows, cols, dtype)
    out = make(np.zeros((rows, cols)), dtype)
    mean, rstd = Fenced(rows, "float32"), Fenced(rows, "float32")
    forward[(rows, )](make(x, dtype), make(weight, dtype), make(bias, dtype), out, mean.array, rstd.array, cols,
                      cols, EPSILON, BLOCK=triton.next_power_of_2(cols))
    expected_mean, expected_rstd = statistics(x)
    assert_close(mean.array, expected_mean, rtol=1e-5, atol=1e-6)
    assert_close(rstd.array, expected_rstd, rtol=1e-5)
    scale = 1.0 if cols > 1 else 400.0  # one column: the deviation is rounding noise times 1 / sqrt(eps)
    assert_close(read(out), oracle_forward(x, weight, bias), rtol=2 * EPS[dtype] + 1e-5,
                 atol=(2 * EPS[dtype] + 2e-6) * scale)
    mean.assert_fence_intact()
    rstd.assert_fence_intact()


@pytest.mark.parametrize("cols", [1, 127, 128, 129, 3000])
def test_forward_streaming(cols):
    x, weight, bias = problem(4, cols)
    out = Fenced((4, cols), "float32")
    forward_streaming[(4, )](x, weight, bias, out.array, cols, EPSILON, BLOCK=128)
    assert_close(out.array, oracle_forward(x, weight, bias), rtol=2e-5, atol=1e-5)
    out.assert_fence_intact()


def backward_inputs(rows, cols):
    x, weight, _ = problem(rows, cols)
    mean, rstd = (a.astype(np.float32) for a in statistics(x))
    return random_values((rows, cols), "float32", 4), x, weight, mean, rstd


def check_backward(inputs, dx, dw, db):
    dy, x, weight = inputs[:3]
    expected_dx, expected_dw, expected_db = oracle_backward(dy, x, weight)
    rows = x.shape[0]
    assert_close(dx, expected_dx, rtol=1e-4, atol=2e-5 if x.shape[1] > 1 else 1e-2)
    assert_close(dw, expected_dw, rtol=1e-4, atol=1e-5 * rows)
    assert_close(db, expected_db, rtol=1e-4, atol=1e-6 * rows)


@pytest.mark.parametrize("rows, cols", [*SHAPES, (500, 40)])
def test_backward_with_atomics(rows, cols):
    inputs = backward_inputs(rows, cols)
    dx, dw, db = Fenced((rows, cols), "float32"), np.zeros(cols, np.float32), np.zeros(cols, np.float32)
    backward_atomic[(rows, )](*inputs, dx.array, dw, db, cols, BLOCK=triton.next_power_of_2(cols))
    check_backward(inputs, dx.array, dw, db)
    dx.assert_fence_intact()


@pytest.mark.parametrize("groups", [1, 4])
def test_backward_with_a_lock(groups):
    rows, cols = 300, 77
    inputs = backward_inputs(rows, cols)
    dx = np.zeros((rows, cols), np.float32)
    dw, db = (np.full((groups, cols), np.nan, np.float32) for _ in range(2))
    locks = np.zeros(2 * groups, np.int32)
    backward_locked[(rows, )](*inputs, dx, dw, db, locks, cols, GROUPS=groups, BLOCK=128)
    check_backward(inputs, dx, dw.sum(axis=0), db.sum(axis=0))
    assert locks.tolist() == [0] * groups + [1] * groups


@pytest.mark.parametrize("rows, cols", [(1, 1), (100, 300), (37, 64)])
def test_backward_in_two_stages(rows, cols):
    parts = 7
    inputs = backward_inputs(rows, cols)
    dx = np.zeros((rows, cols), np.float32)
    dw_parts, db_parts = (np.full((parts, cols), np.nan, np.float32) for _ in range(2))
    backward_partial[(parts, )](*inputs, dx, dw_parts, db_parts, rows, cols, BLOCK=triton.next_power_of_2(cols))
    dw, db = Fenced(cols, "float32"), Fenced(cols, "float32")
    for partial, total in ((dw_parts, dw), (db_parts, db)):
        sum_partials[(triton.cdiv(cols, 32), )](partial, total.array, parts, cols, ROWS=4, COLS=32)
        total.assert_fence_intact()
    check_backward(inputs, dx, dw.array, db.array)


def test_forward_and_backward_against_torch():
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    rows, cols = 60, 250
    x, dy = torch.randn(rows, cols, requires_grad=True), torch.randn(rows, cols)
    weight, bias = torch.randn(cols, requires_grad=True), torch.randn(cols, requires_grad=True)
    expected = torch.nn.functional.layer_norm(x, (cols, ), weight, bias, EPSILON)
    expected.backward(dy)
    out, mean, rstd = torch.empty(rows, cols), torch.empty(rows), torch.empty(rows)
    forward[(rows, )](x.detach(), weight.detach(), bias.detach(), out, mean, rstd, cols, cols, EPSILON, BLOCK=256)
    torch.testing.assert_close(out, expected.detach(), rtol=1e-4, atol=1e-5)
    dx, dw, db = torch.empty(rows, cols), torch.zeros(cols), torch.zeros(cols)
    backward_atomic[(rows, )](dy, x.detach(), weight.detach(), mean, rstd, dx, dw, db, cols, BLOCK=256)
    torch.testing.assert_close(dx, x.grad, rtol=1e-4, atol=2e-5)
    torch.testing.assert_close(dw, weight.grad, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(db, bias.grad, rtol=1e-4, atol=1e-4)
