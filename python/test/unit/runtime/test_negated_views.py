"""Tensors that are to be read with the other sign than their memory has: every launch refuses them."""

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.runtime.interpreter import InterpretedFunction
from triton.tools.tensor_descriptor import TensorDescriptor

torch = pytest.importorskip("torch")

REFUSED = pytest.raises(TypeError, match=r"argument 0 \('x'\).*negates its memory.*resolve_neg")


@triton.jit
def double(x, out):
    tl.store(out, tl.load(x) * 2)


@triton.jit
def add_tuple(x, out):
    tl.store(out, tl.load(x[0]) + tl.load(x[1]))


@triton.jit
def copy_block(x, out):
    tl.store(out + tl.arange(0, 8), tl.sum(x.load([0, 0]), axis=0))


def negated(*shape, **options):
    return torch._neg_view(torch.ones(shape, **options))


def test_known_and_unknown_kernels():
    view = torch.tensor([1 + 2j]).conj().imag
    out = torch.zeros(1)
    double.device_caches.clear()
    for function in (double, InterpretedFunction(double.fn)):
        for _ in range(2):
            with REFUSED:
                function[(1,)](view, out)
            function[(1,)](view.resolve_neg(), out)
            assert out.item() == -4
            function[(1,)](torch.tensor([3.0]), out)
            assert out.item() == 6


@pytest.mark.parametrize("rank", range(8))
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "int8", "int64"])
def test_shapes_and_types(rank, dtype):
    out = torch.zeros(1, dtype=getattr(torch, dtype))
    plain = torch.ones([2] * rank, dtype=getattr(torch, dtype))
    for _ in range(2):
        double[(1,)](plain, out)
        assert out.item() == 2
        with REFUSED:
            double[(1,)](torch._neg_view(plain), out)
        with REFUSED:
            double[(1,)](torch._neg_view(plain)[..., None].expand([2] * rank + [3])[..., 1], out)
        double[(1,)](torch._neg_view(torch._neg_view(plain)), out)


def test_kinds_of_tensors():
    out = torch.zeros(1)
    parameter = torch.nn.Parameter(torch.ones(3))
    with torch.inference_mode():
        inferred = torch.ones(3)
        inferred_view = torch._neg_view(inferred)

    class Subclass(torch.Tensor):
        pass

    own = torch.ones(3).as_subclass(Subclass)
    for tensor in (parameter, inferred, own, torch.ones(3, requires_grad=True), torch.ones(6)[::2]):
        double[(1,)](tensor, out)
        assert out.item() == 2
    views = [torch._neg_view(t) for t in (parameter, own, torch.ones(3, requires_grad=True), torch.ones(6)[::2])]
    for view in (*views, inferred_view):
        with REFUSED:
            double[(1,)](view, out)


def test_a_kernel_that_was_compiled_by_hand():
    out = torch.zeros(1)
    kernel = double[(1,)](torch.ones(1), out)
    with pytest.raises(TypeError, match=r"double\(\): argument 0 \('x'\): a view that negates its memory"):
        kernel[(1, 1, 1)](negated(1), out)
    kernel[(1, 1, 1)](torch.ones(1), out)
    assert out.item() == 2


def test_within_tuples_and_descriptors():
    out = torch.zeros(8)
    ones = torch.ones(8, 8)
    for _ in range(2):
        add_tuple[(1,)]((ones, ones), out)
        with pytest.raises(TypeError, match="negates its memory"):
            add_tuple[(1,)]((ones, negated(8, 8)), out)
        copy_block[(1,)](TensorDescriptor(ones, [8, 8], [8, 1], [8, 8]), out)
        with pytest.raises(TypeError, match="negates its memory"):
            copy_block[(1,)](TensorDescriptor(negated(8, 8), [8, 8], [8, 1], [8, 8]), out)


def test_first_seen_where_factories_make_other_tensors():
    """The launcher learns of a type in the middle of what changes how tensors are made."""

    class Late(torch.nn.Parameter):
        pass

    view, out = torch._neg_view(torch.ones(3).as_subclass(Late)), torch.zeros(1)
    with torch.device("meta"), REFUSED:
        double[(1,)](view, out)


def test_objects_with_a_method_of_that_name():
    class Array:
        def __init__(self, data, answer):
            self.data, self.answer, self.dtype = data, answer, "float32"

        def data_ptr(self):
            return self.data.ctypes.data

        def is_neg(self):
            return self.answer

    ones, out = np.ones(1, np.float32), np.zeros(1, np.float32)
    for _ in range(2):
        double[(1,)](Array(ones, False), out)
        assert out[0] == 2
        with REFUSED:
            double[(1,)](Array(ones, True), out)
