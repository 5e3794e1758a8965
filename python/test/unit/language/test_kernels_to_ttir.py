"""Whole kernels: they verify, and their IR has the operations that it should have."""

import re

import pytest
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=inside) + tl.load(y_ptr + at, mask=inside), mask=inside)


@pytest.mark.parametrize(
    ("dtype", "operation"),
    [
        ("fp64", r"arith.addf %\d+, %\d+ : tensor<64xf64>"),
        ("fp32", r"arith.addf %\d+, %\d+ : tensor<64xf32>"),
        ("fp16", r"arith.addf %\d+, %\d+ : tensor<64xf16>"),
        ("bf16", r"arith.addf %\d+, %\d+ : tensor<64xbf16>"),
        ("i64", r"arith.addi %\d+, %\d+ : tensor<64xi64>"),
        ("i8", r"arith.addi %\d+, %\d+ : tensor<64xi8>"),
        ("u16", r"arith.addi %\d+, %\d+ : tensor<64xi16>"),
    ],
)
def test_add(ttir, dtype, operation):
    text = ttir(add, x_ptr="*" + dtype, y_ptr="*" + dtype, out_ptr="*" + dtype, n="i32", BLOCK=64)
    assert re.search(operation, text)
    assert text.count("tt.load") == 2
    assert "tt.store" in text
    assert "tt.func public @add(" in text
    assert "attributes {noinline = false}" in text


def test_booleans_are_bytes_in_memory(ttir):
    text = ttir(add, x_ptr="*i1", y_ptr="*i1", out_ptr="*i1", n="i32", BLOCK=64)
    assert "tt.bitcast" in text
    assert "!tt.ptr<i8>" in text
    assert re.search(r"tt.load %\d+, %\d+ : tensor<64x!tt.ptr<i8>>", text)


@triton.jit
def softmax(x_ptr, out_ptr, stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + at, mask=at < columns, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * stride + at, numerator / tl.sum(numerator, axis=0), mask=at < columns)


def test_softmax(ttir):
    text = ttir(softmax, x_ptr="*fp32", out_ptr="*fp32", stride="i32", columns="i32", BLOCK=128)
    assert text.count('"tt.reduce"') == 2
    assert "arith.maxnumf" in text
    assert "arith.constant dense<0xFF800000> : tensor<128xf32>" in text
    # The functions of the standard library are traced in place.
    assert "tt.call" not in text


@triton.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


@triton.jit
def matmul(
    a_ptr, b_ptr, c_ptr, M, N, K, am, ak, bk, bn, cm, cn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, ACTIVATION: tl.constexpr,
):  # fmt: skip
    pid = tl.program_id(0)
    across = tl.cdiv(N, BN)
    group = pid // (GROUP * across)
    rows = min(tl.cdiv(M, BM) - group * GROUP, GROUP)
    pid_m = group * GROUP + pid % (GROUP * across) % rows
    pid_n = pid % (GROUP * across) // rows
    at_m = pid_m * BM + tl.arange(0, BM)
    at_n = pid_n * BN + tl.arange(0, BN)
    at_k = tl.arange(0, BK)
    a = a_ptr + at_m[:, None] * am + at_k[None, :] * ak
    b = b_ptr + at_k[:, None] * bk + at_n[None, :] * bn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(tl.cdiv(K, BK)):
        rest = K - k * BK
        x = tl.load(a, mask=(at_m[:, None] < M) & (at_k[None, :] < rest), other=0.0)
        y = tl.load(b, mask=(at_k[:, None] < rest) & (at_n[None, :] < N), other=0.0)
        acc = tl.dot(x, y, acc)
        a += BK * ak
        b += BK * bk
    if ACTIVATION == "leaky_relu":
        acc = leaky_relu(acc)
    out = c_ptr + at_m[:, None] * cm + at_n[None, :] * cn
    tl.store(out, acc.to(c_ptr.dtype.element_ty), mask=(at_m[:, None] < M) & (at_n[None, :] < N))


def matmul_arguments(dtype, activation):
    sizes = dict.fromkeys(["M", "N", "K", "am", "ak", "bk", "bn", "cm", "cn"], "i32")
    pointers = dict.fromkeys(["a_ptr", "b_ptr", "c_ptr"], "*" + dtype)
    return {**pointers, **sizes, "BM": 32, "BN": 64, "BK": 16, "GROUP": 4, "ACTIVATION": activation}


def test_matmul(ttir):
    text = ttir(matmul, **matmul_arguments("fp16", None))
    assert "tt.dot %" in text
    assert ": tensor<32x16xf16> * tensor<16x64xf16> -> tensor<32x64xf32>" in text
    assert text.count("scf.for") == 1
    # The accumulator and both blocks of pointers are carried.
    assert "-> (tensor<32x16x!tt.ptr<f16>>, tensor<16x64x!tt.ptr<f16>>, tensor<32x64xf32>)" in text
    assert "arith.truncf" in text


@triton.jit
def calls_leaky_relu(p, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(p + at, leaky_relu(leaky_relu(tl.load(p + at))))


def test_functions_are_made_once_per_signature(ttir):
    text = ttir(calls_leaky_relu, p="*fp32", BLOCK=16)
    assert text.count("tt.call") == 2
    assert text.count("tt.func private") == 1
    assert "(tensor<16xf32>) -> tensor<16xf32>" in text


def test_attributes_of_arguments(ttir):
    attrs = {(0,): [["tt.divisibility", 16]], (3,): [["tt.divisibility", 16]]}
    text = ttir(add, x_ptr="*fp32", y_ptr="*fp32", out_ptr="*fp32", n="i32", BLOCK=64, attrs=attrs)
    assert "%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg1: !tt.ptr<f32>, " in text
    assert "%arg3: i32 {tt.divisibility = 16 : i32}" in text


def test_locations_name_the_line_of_the_file(module_of):
    text = str(module_of(add, x_ptr="*fp32", y_ptr="*fp32", out_ptr="*fp32", n="i32", BLOCK=64))
    with open(__file__) as file:
        line = next(i for i, text_line in enumerate(file, start=1) if "at = tl.program_id(0)" in text_line)
    assert f'{__file__}":{line}:' in text
