"""Attention over pages of keys and values, and what fills the pages."""

from __future__ import annotations

import torch

from vllm_cases import FP8, Outcome, case, int32, normal, starts, variants

HEADS, KV_HEADS, SIZE, PAGE = 4, 2, 64, 16


def dense(query, keys, values, *, causal=True, window=0, softcap=0.0, slopes=None, sinks=None) -> torch.Tensor:
    """Attention of (tokens, heads, size). Queries are the last tokens; `window` keys up to a query's own are seen."""
    group = query.shape[1] // keys.shape[1]
    query, keys, values = (t.float() for t in (query, keys, values))
    keys, values = (t.repeat_interleave(group, 1) for t in (keys, values))
    scores = torch.einsum("qhd,khd->hqk", query, keys) / query.shape[-1] ** 0.5
    if softcap:
        scores = softcap * (scores / softcap).tanh()
    distance = torch.arange(keys.shape[0]) - torch.arange(keys.shape[0] - query.shape[0], keys.shape[0])[:, None]
    if slopes is not None:
        scores = scores + slopes[:, None, None] * distance
    if causal:
        scores = scores.masked_fill(distance > 0, float("-inf"))
    if window:
        scores = scores.masked_fill(distance <= -window, float("-inf"))
    if sinks is not None:  # a further key of no value
        scores = torch.cat([scores, sinks[:, None, None].expand(-1, query.shape[0], 1)], -1)
        values = torch.cat([values, torch.zeros_like(values[:1])])
    return torch.einsum("hqk,khd->qhd", scores.softmax(-1), values)


class Pages:
    """Sequences of keys and values in pages of a common store."""

    def __init__(self, lengths: list[int], dtype: torch.dtype = torch.float32, page: int = PAGE):
        per_sequence = -(-max(lengths) // page)
        count = len(lengths) * per_sequence
        self.lengths, self.page = lengths, page
        self.table = torch.randperm(count, dtype=torch.int32).view(len(lengths), per_sequence)
        self.keys = normal(count, page, KV_HEADS, SIZE, dtype=dtype)
        self.values = normal(count, page, KV_HEADS, SIZE, dtype=dtype)

    def sequence(self, i: int) -> tuple[torch.Tensor, torch.Tensor]:
        rows = self.table[i].long()
        return tuple(t[rows].flatten(0, 1)[: self.lengths[i]] for t in (self.keys, self.values))

    def blocked(self, x: int = 8) -> tuple[torch.Tensor, torch.Tensor]:
        """Keys as (pages, heads, size/x, page, x), values as (pages, heads, size, page)."""
        count = self.keys.shape[0]
        keys = self.keys.view(count, self.page, KV_HEADS, SIZE // x, x).permute(0, 2, 3, 1, 4).contiguous()
        return keys, self.values.permute(0, 2, 3, 1).contiguous()

    def expected(self, query: torch.Tensor, queries: list[int], **options) -> torch.Tensor:
        parts = query.split(queries)
        return torch.cat([dense(q, *self.sequence(i), **options) for i, q in enumerate(parts)]).to(query.dtype)


def _unified(queries: list[int], dtype: torch.dtype, segments: int, options: dict) -> Outcome:
    from vllm.v1.attention.ops.triton_unified_attention import unified_attention

    lengths = [40, 5, 131]
    pages = Pages(lengths, dtype)
    query = normal(sum(queries), HEADS, SIZE, dtype=dtype)
    out = torch.empty_like(query)
    window = options.get("window", 0)
    scratch = {}
    if segments:
        shape = (len(query), HEADS, segments)
        scratch = {
            "seq_threshold_3D": 64,
            "num_par_softmax_segments": segments,
            "softmax_segm_output": torch.empty(*shape, SIZE),
            "softmax_segm_max": torch.empty(shape),
            "softmax_segm_expsum": torch.empty(shape),
        }
    unified_attention(
        q=query,
        k=pages.keys,
        v=pages.values,
        out=out,
        cu_seqlens_q=starts(queries),
        max_seqlen_q=max(queries),
        seqused_k=int32(*lengths),
        max_seqlen_k=max(lengths),
        softmax_scale=SIZE**-0.5,
        causal=True,
        window_size=(window - 1, 0) if window else (-1, -1),
        block_table=pages.table,
        softcap=options.get("softcap", 0.0),
        q_descale=None,
        k_descale=None,
        v_descale=None,
        alibi_slopes=options.get("slopes"),
        sinks=options.get("sinks"),
        **scratch,
    )
    return out.float(), pages.expected(query, queries, **options).float(), 1e-3 if dtype == torch.float32 else 2e-2


variants(
    _unified,
    prefill=([7, 5, 33], torch.float32, 0, {}),
    decode=([1, 1, 1], torch.float32, 0, {}),
    decode_segments=([1, 1, 1], torch.float32, 4, {}),
    bf16=([7, 1, 33], torch.bfloat16, 0, {}),
    f16_segments=([1, 1, 1], torch.float16, 8, {}),
    window=([7, 1, 33], torch.float32, 0, {"window": 24}),
    softcap=([7, 1, 33], torch.float32, 0, {"softcap": 5.0}),
    alibi=([7, 1, 33], torch.float32, 0, {"slopes": torch.tensor([0.5, 0.25, 0.125, 0.0625])}),
    sinks=([7, 1, 33], torch.float32, 0, {"sinks": torch.tensor([0.5, -0.25, 1.0, 0.0])}),
)


def _prefix_prefill(options: dict) -> Outcome:
    from vllm.v1.attention.ops.prefix_prefill import context_attention_fwd

    queries, lengths = [7, 20, 33], [23, 20, 131]
    pages = Pages(lengths)
    keys, values = (torch.cat(part) for part in zip(*(pages.sequence(i) for i in range(3))))
    fresh = torch.cat([torch.arange(n - q, n) + start for q, n, start in zip(queries, lengths, starts(lengths))])
    query = normal(sum(queries), HEADS, SIZE)
    out = torch.empty_like(query)
    key_cache, value_cache = pages.blocked()
    one = torch.tensor(1.0)
    context_attention_fwd(
        query,
        keys[fresh],
        values[fresh],
        out,
        "auto",
        key_cache,
        value_cache,
        pages.table,
        starts(queries),
        int32(*lengths),
        max(lengths),
        max(queries),
        one,
        one,
        alibi_slopes=options.get("slopes"),
        sliding_window=options.get("window"),
        sinks=options.get("sinks"),
    )
    return out, pages.expected(query, queries, **options), 1e-3


variants(
    _prefix_prefill,
    plain=({},),
    window=({"window": 16},),
    alibi=({"slopes": torch.tensor([0.5, 0.25, 0.125, 0.0625])},),
    sinks=({"sinks": torch.tensor([0.5, -0.25, 1.0, 0.0])},),
)


def _prefill(causal: bool, dtype: torch.dtype) -> Outcome:
    from vllm.v1.attention.ops.triton_prefill_attention import context_attention_fwd

    lengths = [40, 5, 131]
    query = normal(sum(lengths), HEADS, SIZE, dtype=dtype)
    keys, values = (normal(sum(lengths), KV_HEADS, SIZE, dtype=dtype) for _ in range(2))
    out = torch.empty_like(query)
    context_attention_fwd(query, keys, values, out, starts(lengths)[:-1], int32(*lengths), max(lengths), causal)
    parts = zip(*(t.split(lengths) for t in (query, keys, values)))
    expected = torch.cat([dense(*part, causal=causal) for part in parts])
    return out.float(), expected, 1e-3 if dtype == torch.float32 else 2e-2


variants(_prefill, causal=(True, torch.float32), full=(False, torch.float32), bf16=(True, torch.bfloat16))


def _decode(heads: int, cap: float, page: int) -> Outcome:
    from vllm.v1.attention.ops.triton_decode_attention import decode_attention_fwd

    lengths, splits = [40, 5, 131], 4
    pages = Pages(lengths, page=page)
    query = normal(3, heads, SIZE)
    out, lse = torch.empty(3, heads, SIZE), torch.empty(3, heads)
    scratch = torch.empty(3, heads, splits, SIZE + 1)
    decode_attention_fwd(
        query,
        pages.keys.flatten(0, 1) if page == 1 else pages.keys,
        pages.values.flatten(0, 1) if page == 1 else pages.values,
        out,
        lse,
        pages.table,
        int32(*lengths),
        scratch,
        splits,
        SIZE**-0.5,
        page,
        cap,
    )
    return out, pages.expected(query, [1, 1, 1], softcap=cap), 1e-3


variants(
    _decode,
    one_head_each=(KV_HEADS, 0.0, PAGE),
    grouped=(HEADS, 0.0, PAGE),
    capped=(2 * HEADS, 5.0, PAGE),
)


@case
def paged_attention_2d() -> Outcome:
    import sys
    import types

    from vllm.v1.attention.ops.chunked_prefill_paged_decode import chunked_prefill_paged_decode

    # The wrapper asks another platform's module whether to call a kernel that is not Triton's.
    rocm = types.ModuleType("vllm.platforms.rocm")
    rocm.use_rocm_custom_paged_attention = lambda *args, **kwargs: False
    sys.modules[rocm.__name__] = rocm
    queries, lengths = [1, 20, 1], [40, 25, 131]
    pages = Pages(lengths)
    keys, values = (torch.cat(part) for part in zip(*(pages.sequence(i) for i in range(3))))
    fresh = torch.cat([torch.arange(n - q, n) + start for q, n, start in zip(queries, lengths, starts(lengths))])
    query = normal(sum(queries), HEADS, SIZE)
    out = torch.empty_like(query)
    one = torch.tensor(1.0)
    chunked_prefill_paged_decode(
        query,
        keys[fresh],
        values[fresh],
        out,
        "auto",
        *pages.blocked(),
        pages.table,
        starts(queries),
        int32(*lengths),
        max(lengths),
        max(queries),
        one,
        one,
    )
    return out, pages.expected(query, queries), 1e-3


def _reshape_and_cache(kind: str, stored: torch.dtype) -> Outcome:
    from vllm.v1.attention.ops.triton_reshape_and_cache_flash import triton_reshape_and_cache_flash

    key, value = normal(11, KV_HEADS, SIZE), normal(11, KV_HEADS, SIZE)
    caches = [torch.zeros(6, PAGE, KV_HEADS, SIZE).to(stored) for _ in range(2)]
    slots = torch.randperm(96)[:11]
    slots[3] = -1  # a token that is not kept
    scale = torch.tensor(0.5 if kind != "auto" else 1.0)
    triton_reshape_and_cache_flash(key, value, *caches, slots, kind, scale, scale)
    expected = [torch.zeros(6 * PAGE, KV_HEADS, SIZE) for _ in range(2)]
    kept = slots >= 0
    for cache, new in zip(expected, (key, value)):
        cache[slots[kept]] = (new[kept] / scale).to(stored).float()
    return [c.float().flatten(0, 1) for c in caches], expected, 0.0


variants(_reshape_and_cache, auto=("auto", torch.float32), fp8=("fp8", FP8), bf16=("auto", torch.bfloat16))


@case
def reshape_and_cache_diffkv() -> Outcome:
    from vllm.v1.attention.ops.triton_reshape_and_cache_flash import triton_reshape_and_cache_flash_diffkv

    key, value = normal(11, KV_HEADS, SIZE), normal(11, KV_HEADS, 32)
    cache = torch.zeros(6, PAGE, KV_HEADS, SIZE + 32)
    slots, one = torch.randperm(96)[:11], torch.tensor(1.0)
    triton_reshape_and_cache_flash_diffkv(key, value, cache, slots, "auto", one, one)
    expected = torch.zeros(96, KV_HEADS, SIZE + 32)
    expected[slots] = torch.cat([key, value], -1)
    return cache.flatten(0, 1), expected, 0.0


def _per_token_head(mode: str, stored: torch.dtype, largest: float, tolerance: float) -> Outcome:
    from vllm.v1.attention.ops import triton_reshape_and_cache_flash as ops
    from vllm.v1.kv_cache_interface import KVQuantMode

    key, value = normal(11, KV_HEADS, SIZE), normal(11, KV_HEADS, SIZE)
    caches = [torch.zeros(6, PAGE, KV_HEADS, SIZE).to(stored) for _ in range(2)]
    scales = [torch.zeros(6, PAGE, KV_HEADS) for _ in range(2)]
    slots = torch.randperm(96)[:11]
    ops.triton_reshape_and_cache_flash_per_token_head_quant(key, value, *caches, *scales, slots, KVQuantMode[mode])
    restored = [c.float().flatten(0, 1)[slots] * s.flatten(0, 1)[slots][..., None] for c, s in zip(caches, scales)]
    expected = [t.abs().amax(-1) / largest for t in (key, value)]
    return [*restored, *(s.flatten(0, 1)[slots] for s in scales)], [key, value, *expected], tolerance


variants(
    _per_token_head,
    int8=("INT8_PER_TOKEN_HEAD", torch.int8, 127.0, 2e-2),
    fp8=("FP8_PER_TOKEN_HEAD", FP8, 448.0, 0.13),
)


@case
def merge_attn_states() -> Outcome:
    from vllm.v1.attention.ops.triton_merge_attn_states import merge_attn_states as merge

    parts, sums = normal(2, 9, HEADS, SIZE), normal(2, HEADS, 9)
    out, out_sums = torch.empty(9, HEADS, SIZE), torch.empty(HEADS, 9)
    merge(out, parts[0], sums[0], parts[1], sums[1], out_sums)
    weights = sums.softmax(0).transpose(1, 2)[..., None]
    return [out, out_sums], [(parts * weights).sum(0), sums.logsumexp(0)], 1e-4


@case
def pack_and_unpack_seq() -> Outcome:
    from vllm.v1.attention.ops.common import pack_seq_triton, unpack_seq_triton

    lengths = [5, 1, 9]
    x = normal(15, 3, 40)
    packed = pack_seq_triton(x, int32(*lengths), pad_value=-1.0)
    expected = torch.full((3, 9, 3, 40), -1.0)
    for row, part in zip(expected, x.split(lengths)):
        row[: len(part)] = part
    return [packed, unpack_seq_triton(packed, int32(*lengths))], [expected, x], 0.0


@case
def hadamard_transform() -> Outcome:
    from vllm.v1.attention.ops.int4_per_token_head import _triton_hadamard_transform

    x = normal(20, 128).bfloat16()
    matrix = torch.ones(1, 1)
    while len(matrix) < 128:
        matrix = torch.cat([torch.cat([matrix, matrix], 1), torch.cat([matrix, -matrix], 1)])
    return _triton_hadamard_transform(x).float(), x.float() @ matrix, 2e-2
