"""Recurrent layers: delta rules, state spaces, short convolutions, and the pieces that their kernels work in."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from vllm_cases import Outcome, case, int32, normal, starts, variants

HEADS, KEY, VALUE = 2, 64, 64


# --- delta rules ---
def delta_rule(q, k, v, decay, beta, state, scale):
    """One sequence of (tokens, heads, size); `decay`: (tokens, heads) or (tokens, heads, key); state: (heads, V, K)."""
    outputs = []
    for i in range(len(q)):
        gate = decay[i].exp()
        state = state * (gate[:, None, None] if gate.dim() == 1 else gate[:, None, :])
        error = v[i] - torch.einsum("hvk,hk->hv", state, k[i])
        state = state + torch.einsum("hv,hk->hvk", error * beta[i][:, None], k[i])
        outputs.append(torch.einsum("hvk,hk->hv", state, q[i]) * scale)
    return torch.stack(outputs), state


class Delta:
    """Arguments of a delta rule for sequences that lie one behind the other."""

    def __init__(self, lengths: list[int], dtype: torch.dtype, per_key: bool, groups: int = 1):
        tokens = sum(lengths)
        self.lengths, self.scale, self.groups = lengths, KEY**-0.5, groups
        self.q, self.k = (F.normalize(normal(1, tokens, HEADS // groups, KEY), dim=-1).to(dtype) for _ in range(2))
        self.v = normal(1, tokens, HEADS, VALUE, dtype=dtype)
        gates = (1, tokens, HEADS, KEY) if per_key else (1, tokens, HEADS)
        self.decay = F.logsigmoid(normal(*gates) + 2)
        self.beta = torch.rand(1, tokens, HEADS).to(dtype)
        self.state = normal(len(lengths), HEADS, VALUE, KEY)
        self.starts = starts(lengths)

    def expected(self) -> tuple[torch.Tensor, torch.Tensor]:
        q, k = (t[0].float().repeat_interleave(self.groups, 1) for t in (self.q, self.k))
        parts = (t.split(self.lengths) for t in (q, k, self.v[0].float(), self.decay[0], self.beta[0].float()))
        results = [delta_rule(*part, state, self.scale) for part, state in zip(zip(*parts), self.state)]
        outputs, states = zip(*results)
        return torch.cat(outputs)[None], torch.stack(states)


def _chunk_gated_delta_rule(lengths: list[int], groups: int) -> Outcome:
    from vllm.third_party.flash_linear_attention.ops.chunk import chunk_gated_delta_rule as ops

    a = Delta(lengths, torch.bfloat16, False, groups)
    actual = ops(a.q, a.k, a.v, a.decay, a.beta, a.scale, a.state, True, cu_seqlens=a.starts)
    return [t.float() for t in actual], a.expected(), 3e-2


variants(_chunk_gated_delta_rule, one=([100], 1), several=([70, 5, 130], 1), shared_keys=([70, 5, 130], 2))


def _fused_recurrent_gated_delta_rule(groups: int) -> Outcome:
    from vllm.third_party.flash_linear_attention.ops.fused_recurrent import fused_recurrent_gated_delta_rule as ops

    a = Delta([1, 1, 1], torch.float32, False, groups)
    expected, state = a.expected()
    cache = torch.cat([torch.zeros(1, HEADS, VALUE, KEY), a.state])  # the first one is never used
    indices = int32(1, 2, 3)
    actual, _ = ops(a.q, a.k, a.v, a.decay, a.beta, a.scale, cache, True, a.starts, indices)
    return [actual, cache[1:]], [expected, state], 1e-4


variants(_fused_recurrent_gated_delta_rule, own_keys=(1,), shared_keys=(2,))


@case
def fused_sigmoid_gating_delta_rule_update() -> Outcome:
    from vllm.third_party.flash_linear_attention.ops.fused_sigmoid_gating import (
        fused_sigmoid_gating_delta_rule_update as ops,
    )

    a = Delta([1, 1, 1], torch.float32, False)
    logs, bias, x, raw_beta = normal(HEADS), normal(HEADS), normal(1, 3, HEADS), normal(1, 3, HEADS)
    a.decay, a.beta = -logs.exp() * F.softplus(x + bias), raw_beta.sigmoid()
    expected, state = a.expected()
    cache = torch.cat([torch.zeros(1, HEADS, VALUE, KEY), a.state])
    actual, _ = ops(
        logs,
        x[0],
        raw_beta[0],
        bias,
        a.q,
        a.k,
        a.v,
        scale=a.scale,
        initial_state=cache,
        cu_seqlens=a.starts,
        ssm_state_indices=int32(1, 2, 3),
    )
    return [actual, cache[1:]], [expected, state], 1e-4


def _chunk_kda(lengths: list[int]) -> Outcome:
    from vllm.third_party.flash_linear_attention.ops.kda import chunk_kda as ops

    a = Delta(lengths, torch.bfloat16, True)
    expected = a.expected()  # before the call, which writes its result over the values
    actual = ops(a.q, a.k, a.v, a.decay, a.beta, a.scale, a.state, True, cu_seqlens=a.starts)
    return [t.float() for t in actual], expected, 3e-2


variants(_chunk_kda, one=([100],), several=([70, 5, 130],))


@case
def fused_recurrent_kda() -> Outcome:
    from vllm.third_party.flash_linear_attention.ops.kda import fused_recurrent_kda as ops

    a = Delta([1, 1, 1], torch.float32, True)
    expected, state = a.expected()
    cache = torch.cat([torch.zeros(1, HEADS, VALUE, KEY), a.state])
    arguments = (a.q, a.k, a.v, a.decay, a.beta, a.scale, cache, True, False, a.starts, int32(1, 2, 3))
    return [ops(*arguments)[0], cache[1:]], [expected, state], 1e-4


@case
def fused_kda_gate() -> Outcome:
    from vllm.third_party.flash_linear_attention.ops.kda import fused_kda_gate as ops

    x, logs, bias = normal(70, HEADS * KEY), normal(HEADS), normal(HEADS * KEY)
    expected = -logs.exp()[:, None] * F.softplus(x + bias).view(70, HEADS, KEY)
    return ops(x, logs, KEY, bias), expected, 1e-4


# --- pieces ---
def _chunk_local_cumsum(reverse: bool, vector: bool) -> Outcome:
    from vllm.third_party.flash_linear_attention.ops.cumsum import chunk_local_cumsum as ops

    lengths = [70, 5, 130]
    x = normal(1, sum(lengths), HEADS, *([KEY] if vector else []))
    expected = []
    for part in x[0].split(lengths):
        for chunk in part.split(64):
            expected.append(chunk.flip(0).cumsum(0).flip(0) if reverse else chunk.cumsum(0))
    return ops(x, 64, reverse, starts(lengths)), torch.cat(expected)[None], 1e-4


variants(
    _chunk_local_cumsum,
    scalar=(False, False),
    scalar_reverse=(True, False),
    vector=(False, True),
    vector_reverse=(True, True),
)


def _solve_tril(size: int) -> Outcome:
    from vllm.third_party.flash_linear_attention.ops.solve_tril import solve_tril as ops

    blocks = (normal(1, 3, size, HEADS, size) * 0.2).permute(0, 1, 3, 2, 4).tril(-1)
    expected = (torch.eye(size) + blocks).inverse().permute(0, 1, 3, 2, 4).reshape(1, 3 * size, HEADS, size)
    return ops(blocks.permute(0, 1, 3, 2, 4).reshape(1, 3 * size, HEADS, size).contiguous()), expected, 1e-3


variants(_solve_tril, of16=(16,), of32=(32,), of64=(64,))


def _l2norm(size: int) -> Outcome:
    from vllm.third_party.flash_linear_attention.ops.l2norm import l2norm_fwd as ops

    x = normal(70, 3, size)
    return ops(x), x * torch.rsqrt(x.square().sum(-1, keepdim=True) + 1e-6), 1e-5


variants(_l2norm, short=(64,), long=(700,))


def _gated_norm(before: bool, rms: bool, group: int | None, gated: bool) -> Outcome:
    from vllm.third_party.flash_linear_attention.ops.layernorm_guard import layernorm_fn as ops

    x, z, weight, bias = normal(21, 256), normal(21, 256), normal(256), normal(256)
    actual = ops(x, weight, bias, z if gated else None, 1e-6, group, before, rms)
    given = x if before or not gated else x * F.silu(z)
    parts = given.view(21, -1, group or 256)
    centred = parts if rms else parts - parts.mean(-1, keepdim=True)
    expected = (centred * torch.rsqrt(centred.square().mean(-1, keepdim=True) + 1e-6)).view(21, 256) * weight + bias
    return actual, expected * F.silu(z) if before and gated else expected, 1e-4


variants(
    _gated_norm,
    rms_before=(True, True, None, True),
    rms_after_groups=(False, True, 64, True),
    layer=(True, False, None, True),
    layer_plain_groups=(True, False, 64, False),
)


def _rms_norm_gated(activation: str) -> Outcome:
    from vllm.third_party.flash_linear_attention.ops.fused_norm_gate import rms_norm_gated as ops

    x, gate, weight = normal(21, 128), normal(21, 128), normal(128)
    expected = torch.rms_norm(x, [128], weight, 1e-6) * (F.silu(gate) if activation == "swish" else gate.sigmoid())
    return ops(x, gate, weight, None, activation), expected, 1e-4


variants(_rms_norm_gated, swish=("swish",), sigmoid=("sigmoid",))


@case
def fused_post_conv_prep() -> Outcome:
    from vllm.third_party.flash_linear_attention.ops.fused_gdn_prefill_post_conv import fused_post_conv_prep as ops

    x = normal(21, 2 * HEADS * KEY + HEADS * VALUE)
    a, b, logs, bias = normal(21, HEADS), normal(21, HEADS), normal(HEADS), normal(HEADS)
    q, k, v = (t.view(21, HEADS, -1) for t in x.split([HEADS * KEY, HEADS * KEY, HEADS * VALUE], 1))
    q, k = (t * torch.rsqrt(t.square().sum(-1, keepdim=True) + 1e-6) for t in (q, k))
    expected = [q, k, v, -logs.exp() * F.softplus(a + bias), b.sigmoid()]
    return ops(x, a, b, logs, bias, HEADS, KEY, VALUE), expected, 1e-4


# --- state spaces ---
def _state_step(state, x, dt, a, b, c, d):
    """One step; state (heads, size, N), x and dt (heads, size), a (heads, size, N), b and c (heads, N)."""
    state = state * (a * dt[..., None]).exp() + torch.einsum("hd,hn->hdn", x * dt, b)
    return torch.einsum("hdn,hn->hd", state, c) + x * d, state


def _selective_state_update(softplus: bool, gated: bool) -> Outcome:
    from vllm.model_executor.layers.mamba.ops.mamba_ssm import selective_state_update as ops

    batch, heads, size, states = 3, 4, 64, 32
    cache = normal(5, heads, size, states)
    rows = torch.tensor([3, 1, 4])
    x, raw_dt, z = (normal(batch, heads, size) for _ in range(3))
    a, b, c = -torch.rand(heads, size, states), normal(batch, 2, states), normal(batch, 2, states)
    d, bias = normal(heads, size), normal(heads, size) - 2
    dt = F.softplus(raw_dt + bias) if softplus else raw_dt + bias
    wide_b, wide_c = (t.repeat_interleave(2, 1) for t in (b, c))
    steps = [_state_step(cache[r], x[i], dt[i], a, wide_b[i], wide_c[i], d) for i, r in enumerate(rows)]
    expected, expected_cache = torch.stack([o for o, _ in steps]), cache.clone()
    expected_cache[rows] = torch.stack([s for _, s in steps])
    out = torch.empty_like(x)
    ops(cache, x, raw_dt, a, b, c, d, bias, z if gated else None, softplus, rows.int(), out=out)
    return [out, cache], [expected * F.silu(z) if gated else expected, expected_cache], 1e-4


variants(_selective_state_update, plain=(False, False), softplus=(True, False), gated=(True, True))


def _chunk_scan(lengths: list[int], gated: bool) -> Outcome:
    from vllm.model_executor.layers.mamba.ops.ssd_combined import mamba_chunk_scan_combined_varlen as ops

    heads, size, states, chunk = 4, 32, 32, 64
    tokens = sum(lengths)
    x, z = normal(tokens, heads, size), normal(tokens, heads, size)
    raw_dt, bias, a = normal(tokens, heads), normal(heads) - 2, -torch.rand(heads)
    b, c, d = normal(tokens, 2, states), normal(tokens, 2, states), normal(heads)
    initial = normal(len(lengths), heads, size, states)
    chunks = [min(chunk, n - i) for n in lengths for i in range(0, n, chunk)]
    owners = [s for s, n in enumerate(lengths) for _ in range(0, n, chunk)]
    last = [len(owners) - 1 - owners[::-1].index(s) for s in range(len(lengths))]
    out = torch.empty_like(x)
    actual = ops(
        x,
        raw_dt,
        a,
        b,
        c,
        chunk,
        starts(lengths),
        starts(chunks),
        int32(*last),
        int32(*owners),
        out,
        D=d,
        z=z if gated else None,
        dt_bias=bias,
        initial_states=initial,
        dt_softplus=True,
    )
    dt = F.softplus(raw_dt + bias)[..., None].expand(-1, -1, size)
    wide = a[:, None, None].expand(-1, size, states), *(t.repeat_interleave(2, 1) for t in (b, c))
    outputs, finals, start = [], [], 0
    for n, state in zip(lengths, initial):
        for t in range(start, start + n):
            o, state = _state_step(state, x[t], dt[t], wide[0], wide[1][t], wide[2][t], d[:, None])
            outputs.append(o * F.silu(z[t]) if gated else o)
        finals.append(state)
        start += n
    return [out, actual], [torch.stack(outputs), torch.stack(finals)], 1e-2


variants(_chunk_scan, one=([100], False), several=([70, 5, 130], False), gated=([70, 5, 130], True))


# --- convolutions ---
def _causal_conv1d(silu: bool) -> Outcome:
    from vllm.model_executor.layers.mamba.ops.causal_conv1d import causal_conv1d_fn as ops

    lengths, width, channels = [20, 3, 33], 4, 96
    x = normal(sum(lengths), channels).T
    weight, bias = normal(channels, width), normal(channels)
    cache = normal(6, width - 1, channels).transpose(1, 2)
    rows, known = int32(4, 2, 5), torch.tensor([True, False, True])
    expected, expected_cache = [], cache.clone()
    for part, row, given in zip(x.split(lengths, 1), rows.long(), known):
        before = cache[row] if given else torch.zeros(channels, width - 1)
        whole = torch.cat([before, part], 1)
        out = F.conv1d(whole[None], weight[:, None], bias, groups=channels)[0]
        expected.append(F.silu(out) if silu else out)
        expected_cache[row] = whole[:, -(width - 1) :]
    actual = ops(x, weight, bias, cache, starts(lengths), rows, known, "silu" if silu else None)
    return [actual, cache], [torch.cat(expected, 1), expected_cache], 1e-4


variants(_causal_conv1d, plain=(False,), silu=(True,))


def _causal_conv1d_update(width: int) -> Outcome:
    from vllm.model_executor.layers.mamba.ops.causal_conv1d import causal_conv1d_update as ops

    x, weight, bias = normal(3, 96), normal(96, width), normal(96)
    cache, rows = normal(6, width - 1, 96).transpose(1, 2), int32(4, 2, 5)
    whole = torch.cat([cache[rows.long()], x[..., None]], 2)
    expected, expected_cache = F.silu((whole * weight).sum(2) + bias), cache.clone()
    expected_cache[rows.long()] = whole[..., 1:]
    return [ops(x, cache, weight, bias, "silu", rows), cache], [expected, expected_cache], 1e-4


variants(_causal_conv1d_update, of2=(2,), of3=(3,), of4=(4,))


@case
def gather_and_scatter_states() -> Outcome:
    # The functions that launch these kernels refuse tensors that are not a GPU's.
    from vllm.model_executor.layers.mamba.ops.gather_initial_states import _gather_initial_states_kernel
    from vllm.model_executor.layers.mamba.ops.scatter_states import _scatter_states_kernel

    cache, rows, known = normal(6, 4, 32, 16), int32(4, 2, 5), torch.tensor([True, False, True])
    size, gathered, new = cache[0].numel(), torch.empty(3, 4, 32, 16), normal(3, 4, 32, 16)
    expected = cache[rows.long()] * known[:, None, None, None]
    _gather_initial_states_kernel[(2, 3)](cache, rows, known, gathered, size, 1, 1, size, 1024, False)
    expected_cache = cache.clone()
    expected_cache[rows.long()] = new
    _scatter_states_kernel[(2, 3)](cache, new, rows, size, size, 1, size, 1024, False)
    return [gathered, cache], [expected, expected_cache], 0.0


# --- attention without softmax ---
@case
def lightning_attention() -> Outcome:
    from vllm.model_executor.layers.lightning_attn import lightning_attention as ops

    q, k, v = (normal(2, HEADS, 300, 64) * 0.3 for _ in range(3))
    slopes = torch.tensor([0.1, 0.02])
    history = normal(2, HEADS, 64, 64)
    # What a token takes from earlier blocks of 256 has decayed by one step less than what it takes from its own.
    expected, state, decay = [], history, (-slopes).exp()[:, None, None]
    for block in zip(*(t.split(256, 2) for t in (q, k, v))):
        own = torch.zeros_like(history)
        for t, (x, key, value) in enumerate(zip(*(part.unbind(2) for part in block))):
            own = own * decay + torch.einsum("bhk,bhv->bhkv", key, value)
            expected.append(torch.einsum("bhk,bhkv->bhv", x, own + state * decay**t))
        state = state * decay ** block[0].shape[2] + own
    actual, kv = ops(q, k, v, slopes, 256, history)
    return [actual, kv[:, :, -1] if kv.dim() == 5 else kv], [torch.stack(expected, 2), state], 1e-3


@case
def linear_attention_decode() -> Outcome:
    from vllm.model_executor.layers.lightning_attn import linear_decode_forward_triton as ops

    q, k, v = (normal(3, HEADS, 1, 64) for _ in range(3))
    cache, slopes, rows = normal(5, HEADS, 64, 64), torch.tensor([0.1, 0.02]), torch.tensor([3, 1, 4])
    states = cache[rows] * (-slopes).exp()[:, None, None] + k.transpose(2, 3) @ v
    expected = (q @ states).permute(0, 2, 1, 3).flatten(1)
    expected_cache = cache.clone()
    expected_cache[rows] = states
    actual = ops(q, k, v, cache, slopes, rows)
    return [actual.flatten(1), cache], [expected, expected_cache], 1e-4
