"""Embedding: rows of a table picked by index, and the gradient that flows back into them.

Addresses may come from memory. In the backward pass several tokens add to the same row of the table, and they do so
from different programs, hence atomically.
"""

import numpy as np
import triton
import triton.language as tl


@triton.jit
def embedding_kernel(ids_ptr, table_ptr, out_ptr, tokens, cols, TOKENS: tl.constexpr, COLS: tl.constexpr):
    t = tl.program_id(0) * TOKENS + tl.arange(0, TOKENS)
    c = tl.arange(0, COLS)
    ids = tl.load(ids_ptr + t, mask=t < tokens, other=0)
    inside = (t[:, None] < tokens) & (c[None, :] < cols)
    rows = tl.load(table_ptr + ids[:, None] * cols + c[None, :], mask=inside)
    tl.store(out_ptr + t[:, None] * cols + c[None, :], rows, mask=inside)


@triton.jit
def embedding_grad_kernel(ids_ptr, grad_ptr, table_grad_ptr, cols, COLS: tl.constexpr):
    token = tl.program_id(0)
    row = tl.load(ids_ptr + token)
    c = tl.arange(0, COLS)
    grad = tl.load(grad_ptr + token * cols + c, mask=c < cols)
    tl.atomic_add(table_grad_ptr + row * cols + c, grad, mask=c < cols)


def embedding(ids, table):
    """table[ids] for int64 ids and a contiguous table."""
    cols = table.shape[1]
    out = np.empty((ids.size, cols), table.dtype)
    embedding_kernel[(triton.cdiv(ids.size, 16), )](ids, table, out, ids.size, cols, TOKENS=16,
                                                    COLS=triton.next_power_of_2(cols))
    return out


def embedding_grad(ids, grad, rows):
    """The gradient of a table of `rows` rows whose rows `ids` received `grad`."""
    cols = grad.shape[1]
    table_grad = np.zeros((rows, cols), grad.dtype)
    embedding_grad_kernel[(ids.size, )](ids, grad, table_grad, cols, COLS=triton.next_power_of_2(cols))
    return table_grad


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    table, ids = rng.normal(0, 1, (50, 300)).astype(np.float32), rng.integers(0, 50, 1000)
    np.testing.assert_array_equal(embedding(ids, table), table[ids])
    grad = rng.integers(-4, 5, (1000, 300)).astype(np.float32)  # small integers: exact in any order of summation
    expected = np.zeros_like(table)
    np.add.at(expected, ids, grad)
    np.testing.assert_array_equal(embedding_grad(ids, grad, 50), expected)
    print("embedding: 1000 tokens out of a 50 x 300 table and their gradient equal NumPy's")
