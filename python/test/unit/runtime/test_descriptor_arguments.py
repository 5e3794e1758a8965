"""Tensor descriptors among the arguments of a launcher that takes them apart."""

import numpy as np
import pytest
from triton.backends.driver import (
    decompose_descriptor,
    expand_signature,
    make_tensordesc_args,
    wrap_handle_tensordesc_impl,
)
from triton.tools.tensor_descriptor import TensorDescriptor

BASE = np.zeros((8, 4), np.float32)
DESCRIPTOR = TensorDescriptor(BASE, [8, 4], [4, 1], [2, 4], padding="nan")
PARTS = ["*fp32", "i64", "i64", "i64", "i64", "i1", "i1", "i32", "i32", "i64", "i64"]


def test_parts():
    parts = decompose_descriptor(DESCRIPTOR)
    assert parts[0] is BASE and parts[1:] == [8, 4, 4, 1, True, False, 8, 4, 4, 1]


def test_types():
    signature = ["*fp16", "tensordesc<fp32[2, 4]>", ("i32", "tensordesc<i8[16]>")]
    one = ("i32", "*i8", "i64", "i64", "i1", "i1", "i32", "i64")
    assert expand_signature(signature, None, "desc") == ["*fp16", *PARTS, one]
    assert expand_signature(signature, [], "desc") == ["*fp16", *PARTS, one]
    described = ["desc", "i32", "i32", "i64", "i64"]
    assert expand_signature(signature, [{}, None], "desc") == ["*fp16", *described, ("i32", "desc", "i32", "i64")]
    with pytest.raises(ValueError, match="tensordesc<fp32.* is no type"):
        expand_signature(["tensordesc<fp32>"], None, "desc")


def test_wrapped_launcher():
    calls = []

    def launcher(*given):
        calls.append(given)
        return "launched"

    def make(descriptor, meta, base):
        assert descriptor is DESCRIPTOR and base == (1, 2)
        return ["made", meta]

    signature = {"a": "*fp32", "b": ("tensordesc<fp32[2, 4]>", "i32"), "c": "tensordesc<fp32[2, 4]>"}
    launch = wrap_handle_tensordesc_impl(launcher, signature, [{"m": 1}, None], make)
    assert launch(1, 2, (3, (DESCRIPTOR, 5), DESCRIPTOR)) == "launched"
    assert calls.pop() == (1, 2, [3, ("made", {"m": 1}, 5), "made", None])
    launch = wrap_handle_tensordesc_impl(launcher, signature, [], make)
    launch(1, 2, (3, (DESCRIPTOR, 5), DESCRIPTOR))
    assert calls.pop() == (1, 2, [3, ("made", None, 5), "made", None])
    assert wrap_handle_tensordesc_impl(launcher, {"a": "i32"}, [], make) is launcher


def test_wrong_meta():
    with pytest.raises(ValueError, match="1 tensor descriptors, but 2"):
        make_tensordesc_args((DESCRIPTOR,), ("tensordesc<fp32[2, 4]>",), [(0,)], [1, 2], (), lambda *_: [])
    with pytest.raises(TypeError, match="must be a list, got tuple"):
        make_tensordesc_args((DESCRIPTOR,), ("tensordesc<fp32[2, 4]>",), [(0,)], (1,), (), lambda *_: [])
