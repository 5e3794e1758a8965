"""Ranges that leave a narrow type, or 32 bits, before they are widened again: no step from lane to lane may be lost."""

import numpy as np
import pytest
import triton
import triton.language as tl

N = 256


@triton.jit
def narrow_and_widen(out_ptr, start, TYPE: tl.constexpr):
    i = tl.arange(0, 256)
    tl.store(out_ptr + i, (i + start).to(TYPE).to(tl.int64))


@pytest.mark.parametrize("name", ["int8", "uint8", "int16", "uint16"])
@pytest.mark.parametrize("start", [0, 100, 32700, 65500])
def test_narrow_types(name, start):
    out = np.zeros(N, np.int64)
    narrow_and_widen[(1,)](out, start, getattr(tl, name))
    np.testing.assert_array_equal(out, (np.arange(N) + start).astype(name))


@triton.jit
def sum_of_bytes(out_ptr):
    row = tl.program_id(0)
    tl.store(out_ptr + row, tl.sum((row * 7 + tl.arange(0, 64)).to(tl.int8), 0))


def test_sum_of_narrow_ranges():
    out = np.zeros(32, np.int32)
    sum_of_bytes[(32,)](out)
    np.testing.assert_array_equal(out, (np.arange(32)[:, None] * 7 + np.arange(64)).astype(np.int8).sum(1))


@triton.jit
def compare_narrow(out_ptr):
    i = tl.arange(0, 256)
    tl.store(out_ptr + i, tl.where(i.to(tl.int8) < 100, i, -1))


def test_comparison_of_narrow_ranges():
    out = np.zeros(N, np.int32)
    compare_narrow[(1,)](out)
    i = np.arange(N, dtype=np.int32)
    np.testing.assert_array_equal(out, np.where(i.astype(np.int8) < 100, i, -1))


@triton.jit
def below_zero(out_ptr, shift):
    i = tl.arange(0, 256)
    tl.store(out_ptr + i, (i.to(tl.uint32) - shift.to(tl.uint32)).to(tl.uint64))


def test_unsigned_below_zero_is_large():
    out = np.zeros(N, np.uint64)
    below_zero[(1,)](out, 5)
    np.testing.assert_array_equal(out, (np.arange(N, dtype=np.uint32) - np.uint32(5)).astype(np.uint64))


@triton.jit
def hashes(out_ptr):
    i = tl.arange(0, 256)
    tl.store(out_ptr + i, (i * 1664525 + 1013904223).to(tl.int64))


def test_hash_of_a_range():
    out = np.zeros(N, np.int64)
    hashes[(1,)](out)
    with np.errstate(over="ignore"):
        expected = np.arange(N, dtype=np.int32) * np.int32(1664525) + np.int32(1013904223)
    np.testing.assert_array_equal(out, expected)


@triton.jit
def compare_hashes(out_ptr):
    i = tl.arange(0, 256)
    tl.store(out_ptr + i, i, mask=i * 1664525 + 1013904223 < 0)


def test_comparison_of_hashes():
    out = np.full(N, -1, np.int32)
    compare_hashes[(1,)](out)
    i = np.arange(N, dtype=np.int32)
    with np.errstate(over="ignore"):
        expected = np.where(i * np.int32(1664525) + np.int32(1013904223) < 0, i, -1)
    np.testing.assert_array_equal(out, expected)


@triton.jit
def compare_unsigned(out_ptr, shift):
    i = tl.arange(0, 256)
    tl.store(out_ptr + i, i, mask=i.to(tl.uint32) - shift.to(tl.uint32) < 100)


def test_unsigned_comparison_below_zero():
    out = np.full(N, -1, np.int32)
    compare_unsigned[(1,)](out, 5)
    i = np.arange(N, dtype=np.int32)
    np.testing.assert_array_equal(out, np.where(i.astype(np.uint32) - np.uint32(5) < 100, i, -1))
