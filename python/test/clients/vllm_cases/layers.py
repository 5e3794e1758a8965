"""Layers of one input: norms, rotary embeddings, activations, and what narrows their results."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from vllm_cases import FP8, Outcome, case, int32, normal, variants


@case
def swiglu_step() -> Outcome:
    from vllm.model_executor.layers.activation import swiglustep_and_mul_triton

    x, out = normal(21, 600) * 5, torch.empty(21, 300)
    swiglustep_and_mul_triton(out, x, 7.0)
    gate, up = x.chunk(2, -1)
    return out, F.silu(gate).clamp(max=7.0) * up.clamp(-7.0, 7.0), 1e-4


def _mrope(neox: bool, interleaved: bool) -> Outcome:
    from vllm.model_executor.layers.rotary_embedding.mrope import triton_mrope

    tokens, size, sections = 9, 64, [8, 12, 12]
    q, k = normal(tokens, 4 * size), normal(tokens, 2 * size)
    angles = normal(3, tokens, size // 2)
    owner = torch.repeat_interleave(torch.arange(3), torch.tensor(sections))
    if interleaved:  # every third angle is of height, and of width, as long as these last
        index = torch.arange(size // 2)
        owner = torch.where((index % 3 == 1) & (index < 3 * sections[1]), 1, 0)
        owner = torch.where((index % 3 == 2) & (index < 3 * sections[2]), 2, owner)
    chosen = angles.permute(1, 2, 0).gather(2, owner.expand(tokens, -1)[..., None])[..., 0]

    def turned(x: torch.Tensor) -> torch.Tensor:
        cos, sin = chosen.cos()[:, None], chosen.sin()[:, None]
        x = x.view(tokens, -1, size)
        a, b = x.chunk(2, -1) if neox else (x[..., ::2], x[..., 1::2])
        parts = a * cos - b * sin, b * cos + a * sin
        return (torch.cat(parts, -1) if neox else torch.stack(parts, -1).flatten(2)).flatten(1)

    expected = [turned(q), turned(k)]
    return triton_mrope(q, k, angles.cos(), angles.sin(), sections, size, size, interleaved, neox), expected, 1e-4


variants(_mrope, neox=(True, False), pairs=(False, False), interleaved=(True, True))


@case
def fused_q_kv_rmsnorm() -> Outcome:
    from vllm.models.common.ops.fused_qk_rmsnorm import fused_q_kv_rmsnorm as ops

    q, kv = normal(9, 300, dtype=torch.bfloat16), normal(9, 128, dtype=torch.bfloat16)
    weights = normal(300, dtype=torch.bfloat16), normal(128, dtype=torch.bfloat16)
    expected = [torch.rms_norm(x.float(), [x.shape[1]], w.float(), 1e-6) for x, w in zip((q, kv), weights)]
    return [t.float() for t in ops(q, kv, *weights, 1e-6)], expected, 3e-2


@case
def rmsnorm_without_weight() -> Outcome:
    from vllm.model_executor.kernels.mhc.triton import rmsnorm_nw

    x = normal(9, 300)
    return rmsnorm_nw(x, 1e-6), torch.rms_norm(x, [300], None, 1e-6), 1e-4


@case
def gated_rms_norm() -> Outcome:
    from vllm.model_executor.layers.mamba.ops.layernorm_gated import rms_norm_gated as ops

    x, z, weight = normal(9, 256), normal(9, 256), normal(256)
    expected = torch.rms_norm(x.view(9, 4, 64), [64], None, 1e-6).view(9, 256) * weight * F.silu(z)
    return ops(x, weight, None, z, 1e-6, 64, True), expected, 1e-4


def _per_token_group_quant(columns: bool) -> Outcome:
    from vllm.model_executor.layers.quantization.utils.fp8_utils import per_token_group_quant_fp8 as ops

    x = normal(21, 256)
    scales = x.view(21, 2, 128).abs().amax(-1) / torch.finfo(FP8).max
    expected = (x / scales.repeat_interleave(128, 1)).to(FP8)
    actual = ops(x, 128, dtype=FP8, column_major_scales=columns, use_ue8m0=False)
    return [actual[0].float(), actual[1]], [expected.float(), scales], 0.07  # a neighbour of 3 bits


variants(_per_token_group_quant, rows=(False,), columns=(True,))


@case
def per_token_quant_int8() -> Outcome:
    from vllm.model_executor.layers.quantization.utils.int8_utils import per_token_quant_int8 as ops

    x = normal(21, 256)
    scales = x.abs().amax(-1, keepdim=True) / 127
    return ops(x), [(x / scales).round().to(torch.int8), scales], 1.0


@case
def per_token_group_quant_int8() -> Outcome:
    from vllm.model_executor.layers.quantization.utils.int8_utils import per_token_group_quant_int8 as ops

    x = normal(21, 256)
    scales = x.view(21, 2, 128).abs().amax(-1) / 127
    return ops(x, 128), [(x / scales.repeat_interleave(128, 1)).trunc().to(torch.int8), scales], 1.0


FP4 = torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0])


@case
def dequantize_nvfp4() -> Outcome:
    from vllm.model_executor.layers.quantization.utils.nvfp4_emulation_utils import _triton_dequantize_nvfp4 as ops

    codes = torch.randint(0, 256, (21, 64), dtype=torch.uint8)
    scales, overall = (torch.rand(21, 8) * 4).to(FP8), torch.tensor([0.5])
    nibbles = torch.stack([codes & 15, codes >> 4], -1).flatten(1).long()
    values = FP4[nibbles & 7] * torch.where(nibbles > 7, -1.0, 1.0)
    expected = values * scales.float().repeat_interleave(16, 1)
    return ops(codes, scales, overall, torch.float32), expected * overall, 1e-4


@case
def gelu_and_mul_sparse() -> Outcome:
    from vllm.kernels.triton.activation import _gelu_and_mul_sparse_triton_op as ops

    x = normal(21, 512)
    gate, up = x.chunk(2, -1)
    cut = F.relu(gate - (gate.mean(-1, keepdim=True) + 0.5 * gate.std(-1, keepdim=True, correction=0)))
    return ops(x, 0.5), F.gelu(cut) * up, 1e-3


@case
def embedding_and_norm() -> Outcome:
    from vllm.model_executor.layers.fused_embed_norm import fused_embed_norm as ops

    table, tokens, weight = normal(50, 128), int32(3, 49, 0, 7), normal(128)
    actual = ops(tokens, table, weight, 1e-6)
    return list(actual), [table[tokens.long()], torch.rms_norm(table[tokens.long()], [128], weight, 1e-6)], 1e-4
