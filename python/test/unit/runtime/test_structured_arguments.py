"""Arguments that are made of several values: descriptors of the host, named tuples, `*args`; and kinds of numbers."""

import enum
from collections import namedtuple

import numpy as np
import pytest
import triton
import triton.language as tl
from triton import knobs
from triton.runtime.interpreter import InterpretedFunction
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def double_rows(src, dst, ROWS: tl.constexpr):
    at = tl.program_id(0) * ROWS
    dst.store([at, 0], src.load([at, 0]) * 2)


def descriptor(array, **options):
    return TensorDescriptor.from_tensor(array, [8, 64], **options)


@pytest.fixture
def matrix():
    return np.random.default_rng(0).normal(0, 1, (37, 64)).astype(np.float32)


def test_descriptor(matrix):
    out = np.zeros_like(matrix)
    first = double_rows[(5,)](descriptor(matrix), descriptor(out), 8)
    np.testing.assert_array_equal(out, 2 * matrix)
    out[:] = 0
    assert double_rows[(5,)](descriptor(matrix), descriptor(out), 8) is first
    np.testing.assert_array_equal(out, 2 * matrix)
    assert first.src.signature["src"] == "tensordesc<fp32[8, 64]>"


def test_descriptor_of_a_part(matrix):
    # Rows 3 .. 11 and columns 0 .. 40, so the strides are not those of the shape.
    out = np.zeros((8, 64), np.float32)
    part = TensorDescriptor(matrix[3:], [8, 40], [64, 1], [8, 64])
    double_rows[(1,)](part, descriptor(out), 8)
    np.testing.assert_array_equal(out[:, :40], 2 * matrix[3:11, :40])
    assert not out[:, 40:].any()


def test_padding_is_part_of_the_type(matrix):
    zero, nan = np.ones((40, 64), np.float32), np.ones((40, 64), np.float32)
    double_rows[(5,)](descriptor(matrix), descriptor(zero), 8)
    double_rows[(5,)](descriptor(matrix, padding="nan"), descriptor(nan), 8)
    assert (zero[37:] == 0).all() and np.isnan(nan[37:]).all()
    np.testing.assert_array_equal(zero[:37], nan[:37])


def test_read_only_base_is_an_error(matrix):
    out = np.zeros_like(matrix)
    out.flags.writeable = False
    for _ in range(2):
        with pytest.raises(ValueError, match=r"argument 1 \('dst'\) is a read-only array"):
            double_rows[(5,)](descriptor(matrix), descriptor(out), 8)


def test_descriptor_that_was_made_invalid(matrix):
    moved = descriptor(matrix)
    moved.base = matrix.reshape(-1)[1:]
    with pytest.raises(ValueError, match=r"double_rows\(\): argument 0 \('src'\): the descriptor was changed"):
        double_rows[(5,)](moved, descriptor(np.zeros_like(matrix)), 8)


def test_descriptor_of_a_derived_class(matrix):
    class Named(TensorDescriptor):
        pass

    out = np.zeros_like(matrix)
    double_rows[(5,)](Named(matrix, [37, 64], [64, 1], [8, 64]), descriptor(out), 8)
    np.testing.assert_array_equal(out, 2 * matrix)


Scaled = namedtuple("Scaled", "data scale")
Other = namedtuple("Other", "data scale")


@triton.jit
def scale_and_add(x, out_ptr, *rest, BLOCK: tl.constexpr = 4):
    index = tl.arange(0, BLOCK)
    value = tl.load(x.data + index) * x.scale
    for i in tl.static_range(len(rest)):
        value += rest[i]
    tl.store(out_ptr + index, value)


class Number(enum.IntEnum):
    THREE = 3


@pytest.mark.parametrize(
    ("rest", "total"),
    [((), 0), ((2,), 2), ((1, 2.5, Number.THREE), 6.5), ((np.int64(5), np.float32(0.5), np.bool_(True)), 6.5)],
)
def test_named_tuple_and_rest(rest, total):
    x, out = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    kernels = set()
    for _ in range(2):
        out[:] = 0
        kernels.add(scale_and_add[(1,)](Scaled(x, 2.0), out, *rest))
        np.testing.assert_allclose(out, 2 * x + total)
    assert len(kernels) == 1


def test_named_tuples_of_different_classes_are_different_types():
    x, out = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    kernels = [scale_and_add[(1,)](made(x, 2.0), out) for made in (Scaled, Other, Scaled, Other)]
    assert kernels[0] is kernels[2] and kernels[1] is kernels[3]


def test_rest_by_keyword_is_an_error():
    x = np.zeros(4, np.float32)
    with pytest.raises(TypeError, match="multiple values for argument 'rest'"):
        scale_and_add[(1,)](Scaled(x, 2.0), x, rest=(1,))


def test_launches_with_hooks(matrix):
    """They go through Python and `CompiledKernel.run`."""
    seen = []
    out, short = np.zeros_like(matrix), np.zeros(4, np.float32)
    x = np.arange(4, dtype=np.float32)
    with knobs.runtime.scope():
        knobs.runtime.launch_enter_hook = lambda metadata: seen.append(metadata.get()["name"])
        double_rows[(5,)](descriptor(matrix), descriptor(out), 8)
        scale_and_add[(1,)](Scaled(x, np.float64(2.0)), short, np.int64(5), np.bool_(True), Number.THREE)
    np.testing.assert_array_equal(out, 2 * matrix)
    np.testing.assert_allclose(short, 2 * x + 9)
    assert seen == ["double_rows", "scale_and_add"]


def test_interpreted(matrix):
    copy, padded = np.zeros_like(matrix), np.ones((40, 64), np.float32)
    interpreted = InterpretedFunction(double_rows.fn)
    interpreted[(5,)](descriptor(matrix), descriptor(copy), 8)
    interpreted[(5,)](descriptor(matrix, padding="nan"), descriptor(padded), 8)
    np.testing.assert_array_equal(copy, 2 * matrix)
    np.testing.assert_array_equal(padded, np.vstack([2 * matrix, np.full((3, 64), np.nan, np.float32)]))
    x, out = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    InterpretedFunction(scale_and_add.fn)[(1,)](Scaled(x, 2.0), out, 1, 2.5, Number.THREE, np.bool_(True))
    np.testing.assert_allclose(out, 2 * x + 7.5)
