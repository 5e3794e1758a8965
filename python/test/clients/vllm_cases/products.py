"""Products: experts, adapters, weights and activations of few bits, and those whose sums have a fixed order."""

from __future__ import annotations

import torch

from vllm_cases import FP8, Outcome, case, int32, normal, variants

BLOCKS = {"BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 32, "BLOCK_SIZE_K": 32, "GROUP_SIZE_M": 2}
TOKENS, EXPERTS, CHOSEN, IN, OUT = 21, 4, 2, 64, 48


# --- experts ---
def _routing() -> tuple[torch.Tensor, torch.Tensor]:
    """Weights and numbers of each token's experts."""
    weights, experts = torch.rand(TOKENS, EXPERTS).softmax(-1).topk(CHOSEN)
    return weights, experts.int()


def _aligned(experts: torch.Tensor, block: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """(token, choice) pairs sorted by expert, each expert's padded to blocks; the blocks' experts; the total."""
    flat, nothing = experts.flatten(), experts.numel()
    parts, owners = [], []
    for expert in range(EXPERTS):
        mine = (flat == expert).nonzero().flatten()
        padded = torch.full((-(-len(mine) // block) * block,), nothing)
        padded[: len(mine)] = mine
        parts.append(padded)
        owners += [expert] * (len(padded) // block)
    pairs = torch.cat(parts).int()
    return pairs, int32(*owners), int32(len(pairs))


def _expert_products(x: torch.Tensor, weights: torch.Tensor, experts: torch.Tensor) -> torch.Tensor:
    """(tokens, choices, out) of weights (experts, out, in)."""
    return torch.einsum("ti,tcoi->tco", x.float(), weights.float()[experts.long()])


def _fused_moe(dtype: torch.dtype, weighted: bool, bias: bool, tokens: str) -> Outcome:
    import triton.language as tl
    from vllm.model_executor.layers.fused_moe.fused_moe import invoke_fused_moe_triton_kernel

    x, w = normal(TOKENS, IN, dtype=dtype), normal(EXPERTS, OUT, IN, dtype=dtype)
    weights, experts = _routing()
    pairs, owners, total = _aligned(experts, BLOCKS["BLOCK_SIZE_M"])
    out = torch.zeros(TOKENS, CHOSEN, OUT, dtype=dtype)
    added = normal(EXPERTS, OUT, dtype=dtype) if bias else None
    invoke_fused_moe_triton_kernel(
        x,
        w,
        out,
        None,
        None,
        weights if weighted else None,
        pairs if tokens == "sorted" else None,
        owners if tokens == "sorted" else experts.flatten(),
        total if tokens == "sorted" else int32(experts.numel() * BLOCKS["BLOCK_SIZE_M"]),
        weighted,
        CHOSEN,
        BLOCKS,
        {torch.float32: tl.float32, torch.bfloat16: tl.bfloat16}[dtype],
        False,
        False,
        False,
        False,
        False,
        None,
        added,
    )
    expected = _expert_products(x, w, experts)
    expected = expected + added[experts.long()].float() if bias else expected
    expected = expected * weights[..., None] if weighted else expected
    return out.float(), expected, 1e-3 if dtype == torch.float32 else 0.1


variants(
    _fused_moe,
    plain=(torch.float32, False, False, "sorted"),
    weighted=(torch.float32, True, False, "sorted"),
    bias=(torch.float32, True, True, "sorted"),
    bf16=(torch.bfloat16, True, False, "sorted"),
    unsorted=(torch.float32, True, False, "as they are"),
)


def _fused_moe_quantized(kind: str) -> Outcome:
    import triton.language as tl
    from vllm.model_executor.layers.fused_moe.fused_moe import invoke_fused_moe_triton_kernel

    weights, experts = _routing()
    pairs, owners, total = _aligned(experts, BLOCKS["BLOCK_SIZE_M"])
    if kind == "int8":
        x, w = (torch.randint(-127, 128, shape, dtype=torch.int8) for shape in ((TOKENS, IN), (EXPERTS, OUT, IN)))
        x_scale, w_scale = torch.rand(TOKENS, 1) / 64, torch.rand(EXPERTS, OUT, 1) / 64
        block, real_x, real_w = None, x.float() * x_scale, w.float() * w_scale
    else:
        x, w = normal(TOKENS, IN).to(FP8), normal(EXPERTS, OUT, IN).to(FP8)
        x_scale, w_scale = torch.rand(TOKENS, IN // 32), torch.rand(EXPERTS, OUT // 16, IN // 32)
        block = [16, 32]
        real_x = x.float() * x_scale.repeat_interleave(32, 1)
        real_w = w.float() * w_scale.repeat_interleave(16, 1).repeat_interleave(32, 2)
    out = torch.zeros(TOKENS, CHOSEN, OUT)
    invoke_fused_moe_triton_kernel(
        x,
        w,
        out,
        x_scale,
        w_scale,
        weights,
        pairs,
        owners,
        total,
        True,
        CHOSEN,
        BLOCKS | {"BLOCK_SIZE_N": 16},
        tl.float32,
        kind == "fp8_blocks",
        kind == "int8",
        False,
        False,
        kind == "int8",
        block,
    )
    return out, _expert_products(real_x, real_w, experts) * weights[..., None], 1e-2


variants(_fused_moe_quantized, int8=("int8",), fp8_blocks=("fp8_blocks",))


def _fused_moe_wna16(bits: int, zeros: bool) -> Outcome:
    import triton.language as tl
    from vllm.model_executor.layers.fused_moe.fused_moe import invoke_fused_moe_wna16_triton_kernel

    weights, experts = _routing()
    pairs, owners, total = _aligned(experts, BLOCKS["BLOCK_SIZE_M"])
    x = normal(TOKENS, IN, dtype=torch.bfloat16)
    codes = torch.randint(0, 2**bits, (EXPERTS, OUT, IN), dtype=torch.uint8)
    scale = (torch.rand(EXPERTS, OUT, IN // 32) + 0.5).bfloat16() / 2**bits
    zero = torch.randint(0, 2**bits, (EXPERTS, OUT, IN // 32), dtype=torch.uint8)
    packed, packed_zero = codes, zero
    if bits == 4:
        packed = codes[..., ::2] | codes[..., 1::2] << 4
        packed_zero = zero[:, ::2] | zero[:, 1::2] << 4
    out = torch.zeros(TOKENS, CHOSEN, OUT, dtype=torch.bfloat16)
    invoke_fused_moe_wna16_triton_kernel(
        x,
        packed.contiguous(),
        out,
        scale,
        packed_zero.contiguous() if zeros else None,
        weights,
        pairs,
        owners,
        total,
        True,
        CHOSEN,
        BLOCKS | {"SPLIT_K": 1},
        tl.bfloat16,
        bits == 8,
        bits == 4,
        [0, 32],
    )
    shift = zero.repeat_interleave(32, 2).float() if zeros else 2.0 ** (bits - 1)
    real = (codes.float() - shift) * scale.float().repeat_interleave(32, 2)
    return out.float(), _expert_products(x, real, experts) * weights[..., None], 0.1


variants(_fused_moe_wna16, int4=(4, False), int4_zeros=(4, True), int8=(8, False), int8_zeros=(8, True))


def _batched_moe(dtype: torch.dtype) -> Outcome:
    import triton.language as tl
    from vllm.model_executor.layers.fused_moe.experts.fused_batched_moe import invoke_moe_batched_triton_kernel

    counts = int32(5, 0, 20, 17)
    x, w = normal(EXPERTS, 20, IN, dtype=dtype), normal(EXPERTS, OUT, IN, dtype=dtype)
    out = torch.zeros(EXPERTS, 20, OUT, dtype=dtype)
    kind = {torch.float32: tl.float32, torch.bfloat16: tl.bfloat16}[dtype]
    invoke_moe_batched_triton_kernel(
        x, w, out, counts, kind, None, None, None, False, False, False, BLOCKS, False, None
    )
    expected = torch.einsum("eti,eoi->eto", x.float(), w.float())
    expected[torch.arange(20) >= counts[:, None]] = 0
    return out.float(), expected, 1e-3 if dtype == torch.float32 else 0.1


variants(_batched_moe, f32=(torch.float32,), bf16=(torch.bfloat16,))


@case
def moe_fused_mul_sum() -> Outcome:
    from vllm.model_executor.layers.fused_moe.moe_fused_mul_sum import moe_fused_mul_sum as ops

    x, weights = normal(TOKENS, CHOSEN, 160, dtype=torch.bfloat16), torch.rand(TOKENS, CHOSEN)
    return ops(x, weights).float(), (x.float() * weights[..., None]).sum(1), 2e-2


@case
def count_expert_num_tokens() -> Outcome:
    from vllm.model_executor.layers.fused_moe.utils import count_expert_num_tokens as ops

    experts = torch.randint(0, 8, (TOKENS, CHOSEN), dtype=torch.int32)
    there = int32(-1, 0, -1, 1, 2, -1, 3, -1)
    local = there[experts.long()].flatten()
    return ops(experts, 4, there), local[local >= 0].bincount(minlength=4).int(), 0.0


@case
def ep_scatter_and_gather() -> Outcome:
    from vllm.model_executor.layers.fused_moe.deep_gemm_utils import ep_gather, ep_scatter

    weights, experts = _routing()
    x, scale = normal(TOKENS, 256).to(FP8), torch.rand(TOKENS, 2)
    counts = experts.flatten().bincount(minlength=EXPERTS).int()
    rows = 128 * EXPERTS
    permuted, permuted_scale = torch.zeros(rows, 256).to(FP8), torch.zeros(rows, 2)
    owners, places = torch.full((rows,), -1, dtype=torch.int32), torch.empty_like(experts)
    ends = torch.empty(EXPERTS, dtype=torch.int32)
    ep_scatter(x, scale, experts, counts, None, ends, permuted, permuted_scale, owners, places)
    real = permuted.float() * permuted_scale.repeat_interleave(128, 1)
    products = real * (owners.float() + 1)[:, None]  # stands for each expert's product
    out = torch.empty(TOKENS, 256, dtype=torch.bfloat16)
    ep_gather(products.bfloat16(), experts, weights, places, None, out)
    given = x.float() * scale.repeat_interleave(128, 1)
    expected = (given[:, None] * (experts + 1)[..., None] * weights[..., None]).sum(1)
    return out.float(), expected, 5e-2


# --- adapters ---
def _adapters(slices: int) -> tuple:
    from vllm.lora.ops.triton_ops.lora_kernel_metadata import LoRAKernelMeta

    owner = torch.randint(-1, 3, (TOKENS,), dtype=torch.int32)
    meta = LoRAKernelMeta.make(3, TOKENS, "cpu")
    meta.prepare_tensors(owner)
    down = [normal(3, 1, 16, IN, dtype=torch.bfloat16) for _ in range(slices)]
    up = [normal(3, 1, OUT, 16, dtype=torch.bfloat16) for _ in range(slices)]
    return owner, meta.meta_args(TOKENS, False), down, up


def _by_owner(x: torch.Tensor, weights: torch.Tensor, owner: torch.Tensor) -> torch.Tensor:
    """Rows of `x` times the transposed weights (adapters, 1, out, in) of their owners; zero for rows without one."""
    product = torch.einsum("ti,toi->to", x.float(), weights.float().squeeze(1)[owner.long()])
    return product * (owner >= 0)[:, None]


def _lora_shrink(slices: int) -> Outcome:
    from vllm.lora.ops.triton_ops.lora_shrink_op import _lora_shrink as ops

    owner, meta, down, _ = _adapters(slices)
    x, out = normal(TOKENS, IN, dtype=torch.bfloat16), torch.zeros(slices, TOKENS, 16)
    ops(x, down, out, *meta, 0.5)
    return out, torch.stack([_by_owner(x, d, owner) * 0.5 for d in down]), 2e-2


def _lora_expand(slices: int, add: bool) -> Outcome:
    from vllm.lora.ops.triton_ops.lora_expand_op import _lora_expand as ops

    owner, meta, _, up = _adapters(slices)
    x = normal(slices, TOKENS, 16)
    out = normal(TOKENS, slices * OUT, dtype=torch.bfloat16) if add else torch.zeros(TOKENS, slices * OUT).bfloat16()
    expected = out.float() + torch.cat([_by_owner(part, u, owner) for part, u in zip(x.bfloat16(), up)], 1)
    ops(x, up, out, *meta, 0, add)
    return out.float(), expected, 0.1


variants(_lora_shrink, one=(1,), three=(3,))
variants(_lora_expand, one=(1, False), three=(3, True))


# --- sums in a fixed order ---
def _persistent(dtype: torch.dtype, bias: bool) -> Outcome:
    from vllm.model_executor.determinism.batch_invariant import matmul_persistent

    a, b = normal(70, 130, dtype=dtype), normal(130, 90, dtype=dtype)
    added = normal(90, dtype=dtype) if bias else None
    expected = a.float() @ b.float() + (added.float() if bias else 0)
    return matmul_persistent(a, b, added).float(), expected, 1e-3 if dtype == torch.float32 else 0.1


variants(_persistent, f32=(torch.float32, False), bf16=(torch.bfloat16, True), f16=(torch.float16, False))


@case
def descriptor_persistent() -> Outcome:
    from vllm.model_executor.determinism.batch_invariant import matmul_descriptor_persistent

    a, b = normal(80, 128, dtype=torch.bfloat16), normal(96, 128, dtype=torch.bfloat16).T
    return matmul_descriptor_persistent(a, b).float(), a.float() @ b.float(), 0.1


@case
def bmm_batch_invariant() -> Outcome:
    from vllm.model_executor.determinism.batch_invariant import bmm_batch_invariant as ops

    a, b = normal(3, 40, 70, dtype=torch.bfloat16), normal(3, 70, 50, dtype=torch.bfloat16)
    return ops(a, b).float(), a.float() @ b.float(), 0.1


@case
def softmax_batch_invariant() -> Outcome:
    from vllm.model_executor.determinism.batch_invariant import log_softmax, softmax

    x = normal(7, 300)
    return [softmax(x), log_softmax(x)], [x.softmax(-1), x.log_softmax(-1)], 1e-4


@case
def mean_batch_invariant() -> Outcome:
    from vllm.model_executor.determinism.batch_invariant import mean_dim

    x = normal(5, 70, 9)
    return [mean_dim(x, 1), mean_dim(x, 2, True)], [x.mean(1), x.mean(2, True)], 1e-5


@case
def rms_norm_batch_invariant() -> Outcome:
    from vllm.model_executor.determinism.batch_invariant import rms_norm_batch_invariant as ops

    x, weight = normal(7, 300), normal(300)
    return ops(x, weight, 1e-6), torch.rms_norm(x, [300], weight, 1e-6), 1e-4


# --- few bits ---
def _scaled_mm(dtype: torch.dtype, per_row: bool, heuristic: bool) -> Outcome:
    from vllm.model_executor.layers.quantization.compressed_tensors.triton_scaled_mm import triton_scaled_mm

    if dtype == torch.int8:
        a, b = (torch.randint(-127, 128, shape, dtype=dtype) for shape in ((33, 128), (128, 70)))
    else:
        a, b = normal(33, 128).to(dtype), normal(128, 70).to(dtype)
    a_scale = torch.rand(33, 1) / 64 if per_row else torch.rand(1, 1) / 64
    b_scale = torch.rand(70, 1) / 64 if per_row else torch.rand(1, 1) / 64
    bias = normal(70, dtype=torch.bfloat16)
    actual = triton_scaled_mm(a, b, a_scale, b_scale, torch.bfloat16, bias, use_heuristic=heuristic)
    return actual.float(), a_scale * (a.float() @ b.float()) * b_scale.T + bias.float(), 2e-2


variants(
    _scaled_mm,
    int8=(torch.int8, True, True),
    int8_tensor=(torch.int8, False, False),
    fp8=(FP8, True, True),
    fp8_tensor=(FP8, False, False),
)


@case
def w8a8_block_scaled_mm() -> Outcome:
    from vllm.model_executor.layers.quantization.utils.fp8_utils import w8a8_triton_block_scaled_mm

    a, b = normal(33, 256).to(FP8), normal(128, 256).to(FP8)
    a_scale, b_scale = torch.rand(33, 2), torch.rand(1, 2)
    actual = w8a8_triton_block_scaled_mm(a, b, a_scale, b_scale, [128, 128], torch.float32)
    real_a = a.float() * a_scale.repeat_interleave(128, 1)
    real_b = b.float() * b_scale.repeat_interleave(128, 0).repeat_interleave(128, 1)
    return actual, real_a @ real_b.T, 2e-2


def _awq() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Packed codes, scales, packed zeros, and what they stand for, of (128, 64) weights in groups of 32."""
    codes, zeros = (torch.randint(0, 16, shape, dtype=torch.int32) for shape in ((128, 64), (4, 64)))
    scales = (torch.rand(4, 64) / 8).half()
    packed = []
    for t in (codes, zeros):
        eights = t.view(len(t), -1, 8)
        # The k-th four bits hold column `order[k]` of eight.
        order = [0, 2, 4, 6, 1, 3, 5, 7]
        packed.append(sum(eights[..., column] << (4 * k) for k, column in enumerate(order)).to(torch.int32))
    real = (codes - zeros.repeat_interleave(32, 0)).float() * scales.float().repeat_interleave(32, 0)
    return packed[0], scales, packed[1], real


@case
def awq_dequantize() -> Outcome:
    from vllm.model_executor.layers.quantization.awq_triton import awq_dequantize_triton

    packed, scales, zeros, real = _awq()
    return awq_dequantize_triton(packed, scales, zeros).float(), real, 1e-2


@case
def awq_gemm() -> Outcome:
    from vllm.model_executor.layers.quantization.awq_triton import awq_gemm_triton

    packed, scales, zeros, real = _awq()
    x = normal(21, 128, dtype=torch.float16)
    return awq_gemm_triton(x, packed, scales, zeros, 4).float(), x.float() @ real, 5e-2


def _w4a16(zeros: bool) -> Outcome:
    from vllm.model_executor.kernels.linear.mixed_precision.triton_w4a16 import _triton_w4a16_gemm_impl

    codes, zero = (torch.randint(0, 16, shape, dtype=torch.int32) for shape in ((128, 64), (4, 64)))
    packed, packed_zero = (sum(t[:, k::8] << (4 * k) for k in range(8)).to(torch.int32) for t in (codes, zero))
    scales = (torch.rand(4, 64) / 8).half()
    x = normal(21, 128, dtype=torch.float16)
    actual = _triton_w4a16_gemm_impl(x, packed.contiguous(), scales, packed_zero.contiguous() if zeros else None, 32)
    shift = zero.repeat_interleave(32, 0) if zeros else 8
    return actual.float(), x.float() @ ((codes - shift).float() * scales.float().repeat_interleave(32, 0)), 5e-2


variants(_w4a16, symmetric=(False,), zeros=(True,))
