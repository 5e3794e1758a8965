"""Runs the operators of conch-triton-kernels on CPU tensors and compares them with conch's own references.

    python python/test/clients/run_conch.py [NAME ...]

conch ships no reference for its attention and its products of packed weights: their formulas are written out here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import torch
from report import difference, report

#: ``(actual, expected)`` results and the tolerance.
Outcome = tuple[Any, Any, float]
CASES: dict[str, Callable[[], Outcome]] = {}


def _case(function: Callable[[], Outcome]) -> Callable[[], Outcome]:
    CASES[function.__name__] = function
    return function


def _normal(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(*shape).to(dtype)


@_case
def silu_and_mul() -> Outcome:
    from conch.ops.activation import silu_and_mul as ops
    from conch.reference.activation import silu_and_mul as reference

    x = _normal(17, 200)
    return ops.silu_and_mul(x), reference.silu_and_mul(x), 1e-5


@_case
def gelu_tanh_and_mul() -> Outcome:
    from conch.ops.activation import gelu_tanh_and_mul as ops
    from conch.reference.activation import gelu_tanh_and_mul as reference

    x = _normal(3, 17, 200, dtype=torch.float16)
    return ops.gelu_tanh_and_mul(x), reference.gelu_tanh_and_mul(x), 1e-2


@_case
def rms_norm() -> Outcome:
    from conch.ops.normalization import rms_norm as ops
    from conch.reference.normalization import rms_norm as reference

    x, weight = _normal(17, 300, dtype=torch.bfloat16), _normal(300, dtype=torch.bfloat16)
    return ops.rms_norm(x, weight, 1e-6), reference.rms_norm(x, weight, 1e-6), 2e-2


@_case
def fused_add_rms_norm() -> Outcome:
    from conch.ops.normalization import rms_norm as ops
    from conch.reference.normalization import rms_norm as reference

    x, residual, weight = _normal(17, 300), _normal(17, 300), _normal(300)
    expected = reference.fused_add_rms_norm(x.clone(), residual.clone(), weight, 1e-6)
    return ops.fused_add_rms_norm(x, residual, weight, 1e-6), expected, 1e-4


@_case
def gemma_rms_norm() -> Outcome:
    from conch.ops.normalization import gemma_rms_norm as ops
    from conch.reference.normalization import gemma_rms_norm as reference

    x, weight = _normal(17, 300), _normal(300)
    expected = reference.gemma_rms_norm(x.clone(), weight, 1e-6)
    return ops.gemma_rms_norm(x, weight, 1e-6), expected, 1e-4


@_case
def rotary_embedding() -> Outcome:
    from conch.ops.embedding import rotary_embedding as ops
    from conch.reference.embedding import rotary_embedding as reference

    cache = reference.compute_cos_sin_cache(10000.0, 64, 128)
    positions = torch.randint(0, 128, (9,))
    query, key = _normal(9, 4 * 64), _normal(9, 2 * 64)
    expected = reference.rotary_embedding(positions, query.clone(), key.clone(), cache, 64, 64)
    return ops.rotary_embedding(positions, query, key, 64, cache), expected, 1e-4


@_case
def scaled_int8_quant() -> Outcome:
    from conch.ops.quantization import int8 as ops
    from conch.reference.quantization import int8 as reference

    x, scale = _normal(17, 300), torch.tensor([0.02])
    return ops.scaled_int8_quant(x, scale)[0], reference.scaled_int8_quant(x, scale), 1.0


@_case
def scaled_fp8_quant() -> Outcome:
    from conch.ops.quantization import fp8 as ops
    from conch.reference.quantization import fp8 as reference

    x, scale = _normal(17, 300), torch.tensor([0.02])
    actual, expected = ops.scaled_fp8_quant(x, scale)[0], reference.scaled_fp8_quant(x, scale)
    return actual.float(), expected.float(), 1e-6


@_case
def copy_blocks() -> Outcome:
    from conch.ops.vllm import copy_blocks as ops
    from conch.reference.vllm import copy_blocks as reference

    keys, values = [_normal(10, 256) for _ in range(3)], [_normal(10, 256) for _ in range(3)]
    expected = [t.clone() for t in keys], [t.clone() for t in values]
    pairs = [(0, 5), (1, 7), (2, 9)]
    reference.copy_blocks(*expected, pairs)
    ops.copy_blocks(keys, values, torch.tensor(pairs))
    return [*keys, *values], [*expected[0], *expected[1]], 0.0


def _reshape_and_cache(kind: str, stored: torch.dtype, seen: torch.dtype) -> Outcome:
    from conch.ops.vllm import reshape_and_cache as ops
    from conch.reference.vllm import reshape_and_cache as reference

    key, value = _normal(11, 2, 64), _normal(11, 2, 64)
    caches = [torch.zeros(6, 16, 2, 64, dtype=stored) for _ in range(2)]
    expected = [c.clone() for c in caches]
    slots = torch.randperm(96)[:11]
    scale = torch.tensor(0.5)
    reference.reshape_and_cache(key, value, *expected, slots, kind, scale, scale)
    ops.reshape_and_cache(key, value, *(c.view(seen) for c in caches), slots, kind, scale, scale)
    return caches, expected, 1e-6


@_case
def reshape_and_cache() -> Outcome:
    return _reshape_and_cache("auto", torch.float32, torch.float32)


@_case
def reshape_and_cache_fp8() -> Outcome:
    return _reshape_and_cache("fp8", torch.uint8, torch.float8_e4m3fn)


@_case
def nms() -> Outcome:
    from conch.ops.vision import nms as ops
    from conch.reference.vision import nms as reference

    corner = torch.rand(200, 2) * 50
    boxes, scores = torch.cat([corner, corner + torch.rand(200, 2) * 20 + 1], 1), torch.rand(200)
    return ops.nms(boxes, scores, 0.3), reference.nms(boxes, scores, 0.3), 0.0


def _pool_arguments() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    lengths = torch.tensor([3, 5, 1, 7, 4], dtype=torch.int32)
    starts = torch.cat([torch.zeros(1, dtype=torch.int32), lengths.cumsum(0)[:-1].int()])
    cells = torch.tensor([[0, 1, 0, 0], [2, 1, 0, 0], [3, 3, 1, 0], [1, 0, 1, 1], [2, 2, 0, 1]], dtype=torch.int32)
    return _normal(20, 32), cells.repeat_interleave(lengths, 0).contiguous(), starts, lengths


@_case
def bev_pool() -> Outcome:
    from conch.ops.vision import bev_pool as ops
    from conch.reference.vision import bev_pool as reference

    arguments = (*_pool_arguments(), 2, 2, 4, 4)
    return ops.bev_pool(*arguments), reference.bev_pool(*arguments), 1e-4


@_case
def bev_pool_backward() -> Outcome:
    from conch.ops.vision import bev_pool as ops
    from conch.reference.vision import bev_pool as reference

    _, cells, starts, lengths = _pool_arguments()
    arguments = (_normal(2, 2, 4, 4, 32), cells, starts, lengths)
    return ops.bev_pool_backward(*arguments), reference.bev_pool_backward(*arguments, 2, 2, 4, 4), 1e-4


@_case
def generate_voxels() -> Outcome:
    from conch.ops.vision import voxelization as ops
    from conch.reference.vision import voxelization as reference

    param = ops.VoxelizationParameter((-8.0, -8.0, -2.0), (8.0, 8.0, 2.0), (1.0, 1.0, 1.0), 64)
    points = torch.cat([torch.rand(500, 2) * 18 - 9, torch.rand(500, 2) * 5 - 2.5], 1)
    count, _, cells, sizes = ops.generate_voxels(points, param)
    expected_sizes, _, expected_cells = reference.voxelization_stable(points, param, use_triton=False)
    found = int(count)
    x, y, z = cells[:found, :3].long().unbind(1)
    flat, order = ((z * param.grid_dim[1] + y) * param.grid_dim[0] + x).sort()
    return [flat, sizes[:found][order].long()], [expected_cells.long(), expected_sizes.long()], 0.0


def _blockwise(quant_type: str) -> Iterator[Outcome]:
    from conch.ops.quantization.bitsandbytes import functional as ops
    from conch.reference.quantization.bitsandbytes import dequantize_blockwise, quantize_blockwise

    x = _normal(512)
    code = ops._create_dynamic_map() if quant_type == "fp8" else None
    packed, state = ops.quantize_blockwise(x, code=code, quant_type=quant_type)
    expected, absmax = torch.empty_like(packed).view(-1), torch.empty_like(state.absmax)
    quantize_blockwise.quantize_blockwise_launcher(x, absmax, expected, state.code, 64, 512, quant_type)
    yield packed.view(-1), expected, 0.0
    restored = torch.empty(512)
    dequantize_blockwise.dequantize_blockwise_launcher(expected, absmax, restored, state.code, 64, 512, quant_type)
    yield ops.dequantize_blockwise(packed, state, quant_type=quant_type).view(-1), restored, 1e-5


def _both(outcomes: Iterator[Outcome]) -> Outcome:
    actual, expected, tolerances = zip(*outcomes)
    return list(actual), list(expected), max(tolerances)


@_case
def blockwise_fp4() -> Outcome:
    return _both(_blockwise("fp4"))


@_case
def blockwise_nf4() -> Outcome:
    return _both(_blockwise("nf4"))


@_case
def blockwise_fp8() -> Outcome:
    return _both(_blockwise("fp8"))


@_case
def scaled_gemm() -> Outcome:
    from conch.ops.quantization import gemm as ops
    from conch.reference.quantization import scaled_gemm as reference

    a, b = (torch.randint(-100, 100, shape, dtype=torch.int8) for shape in ((33, 64), (64, 48)))
    scales = torch.rand(33, 1) * 0.1, torch.rand(48, 1) * 0.1
    expected = reference.scaled_gemm(a, b, *scales, torch.float32)
    return ops.scaled_gemm(a, b, *scales, torch.float32), expected, 1e-2


@_case
def mixed_precision_gemm() -> Outcome:
    from conch.ops.quantization import gemm as ops

    x = _normal(33, 128)
    codes, scales = torch.randint(0, 16, (128, 64), dtype=torch.int32), torch.rand(1, 64)
    packed = sum(codes[i::8] << (4 * i) for i in range(8)).to(torch.int32).contiguous()
    actual = ops.mixed_precision_gemm(x, packed, scales, None, 4, 8, 128)
    return actual, x @ ((codes - 8) * scales), 5e-2


def _dense(query, keys, values, causal: bool) -> torch.Tensor:
    """Attention of (tokens, heads, size); queries are the last tokens, several of them share a head of the keys."""
    group = query.shape[1] // keys.shape[1]
    keys, values = (t.repeat_interleave(group, 1) for t in (keys, values))
    scores = torch.einsum("qhd,khd->hqk", query, keys) / query.shape[-1] ** 0.5
    if causal:
        shift = keys.shape[0] - query.shape[0]
        allowed = torch.ones(query.shape[0], keys.shape[0], dtype=torch.bool).tril(shift)
        scores = scores.masked_fill(~allowed, float("-inf"))
    return torch.einsum("hqk,khd->qhd", scores.softmax(-1), values)


def _cache(lengths: list[int]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Keys and values in pages of 16, and the table of pages."""
    pages = -(-max(lengths) // 16)
    table = torch.randperm(len(lengths) * pages, dtype=torch.int32).view(len(lengths), pages)
    return _normal(table.numel(), 16, 2, 64), _normal(table.numel(), 16, 2, 64), table


@_case
def paged_attention() -> Outcome:
    from conch.ops.attention.paged_attention import paged_attention as ops

    lengths = [5, 40, 33]
    keys, values, table = _cache(lengths)
    query = _normal(3, 4, 64)
    actual = ops(query, keys, values, table, torch.tensor(lengths, dtype=torch.int32))
    expected = [
        _dense(q[None], keys[row].flatten(0, 1)[:n], values[row].flatten(0, 1)[:n], False)
        for q, row, n in zip(query, table.long(), lengths)
    ]
    return actual, torch.cat(expected), 1e-3


@_case
def varlen_attention() -> Outcome:
    from conch.ops.attention.varlen_attention import varlen_attention as ops

    # Several queries are masked as if they were the first tokens, a single one is not masked.
    queries, lengths = [5, 1, 33], [5, 40, 33]
    keys, values, table = _cache(lengths)
    query = _normal(sum(queries), 4, 64)
    starts = torch.tensor([0, 5, 6, 39], dtype=torch.int32)
    seq_lens = torch.tensor(lengths, dtype=torch.int32)
    actual = ops(query, keys, values, starts, 33, seq_lens, 40, table, causal=True)
    expected = [
        _dense(q, keys[row].flatten(0, 1)[:n], values[row].flatten(0, 1)[:n], True)
        for q, row, n in zip(query.split(queries), table.long(), lengths)
    ]
    return actual, torch.cat(expected), 1e-3


def check(name: str) -> str:
    """What is wrong with the operator; empty if nothing is."""
    torch.manual_seed(0)
    return difference(*CASES[name]())


def main(names: list[str]) -> int:
    return report(names or CASES, check, "operators of conch agree with their references")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
