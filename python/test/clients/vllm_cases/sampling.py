"""Sampling: what changes logits, what chooses tokens, and what accepts or refuses a draft's tokens."""

from __future__ import annotations

import torch

from vllm_cases import Outcome, case, int32, normal, variants

VOCABULARY = 3000
#: Rows of logits belong to these requests.
REQUESTS = int32(2, 0, 1, 3, 0)


def _logits() -> torch.Tensor:
    return normal(len(REQUESTS), VOCABULARY) * 3


@case
def temperature() -> Outcome:
    from vllm.v1.worker.gpu.sample.gumbel import apply_temperature

    logits, values = _logits(), torch.tensor([0.5, 1.0, 0.0, 2.0])
    expected = logits / torch.where(values == 0, 1.0, values)[REQUESTS.long()][:, None]
    apply_temperature(logits, REQUESTS, values)
    return logits, expected, 1e-5


@case
def min_p() -> Outcome:
    from vllm.v1.worker.gpu.sample.min_p import apply_min_p

    logits, least = _logits(), torch.tensor([0.1, 0.0, 0.01, 0.5])
    chances = logits.softmax(-1)
    low = chances < chances.amax(-1, keepdim=True) * least[REQUESTS.long()][:, None]
    expected = logits.masked_fill(low, float("-inf"))
    apply_min_p(logits, REQUESTS, least)
    return logits.exp(), expected.exp(), 1e-5


@case
def penalties() -> Outcome:
    from vllm.v1.worker.gpu.sample.penalties import apply_penalties

    logits, rows = _logits(), REQUESTS.long()
    repetition, frequency, presence = torch.rand(4) + 1, torch.rand(4), torch.rand(4)
    prompt = torch.rand(4, VOCABULARY) < 0.1
    words = torch.nn.functional.pad(prompt, (0, -VOCABULARY % 32)).view(4, -1, 32).long() << torch.arange(32)
    counts = torch.randint(0, 3, (4, VOCABULARY), dtype=torch.int32)
    seen = counts[rows]
    factor = torch.where(prompt[rows] | (seen > 0), repetition[rows][:, None], 1.0)
    expected = torch.where(logits > 0, logits / factor, logits * factor)
    expected = expected - frequency[rows][:, None] * seen - presence[rows][:, None] * (seen > 0)
    tokens, alone = torch.zeros(len(rows), dtype=torch.int32), torch.zeros(len(rows), dtype=torch.int32)
    masks = words.sum(-1).to(torch.int32)
    apply_penalties(logits, REQUESTS, tokens, alone, repetition, frequency, presence, masks, counts)
    return logits, expected, 1e-4


@case
def number_of_nans() -> Outcome:
    from vllm.v1.worker.gpu.metrics.logits import get_num_nans

    logits = _logits()
    logits[torch.rand_like(logits) < 0.01] = float("nan")
    return get_num_nans(logits), logits.isnan().sum(-1).int(), 0.0


@case
def token_logprobs() -> Outcome:
    from vllm.v1.worker.gpu.sample.logprob import compute_token_logprobs

    logits, tokens = _logits(), torch.randint(0, VOCABULARY, (len(REQUESTS), 4))
    return compute_token_logprobs(logits, tokens), logits.log_softmax(-1).gather(1, tokens), 1e-4


@case
def gumbel_sample() -> Outcome:
    """Rows of temperature 0 give the largest logit; the others follow the distribution."""
    from vllm.v1.worker.gpu.sample.gumbel import gumbel_sample as ops

    chances = torch.tensor([0.5, 0.25, 0.125, 0.125])
    logits = chances.log().expand(4000, 4).contiguous()
    rows = torch.zeros(4000, dtype=torch.int32)
    rows[:100] = 1
    seeds, heat = torch.tensor([7, 7]), torch.tensor([1.0, 0.0])
    tokens = ops(logits, rows, heat, seeds, torch.arange(4000), False, False)
    frequency = tokens[100:].bincount(minlength=4) / 3900
    return [tokens[:100], frequency], [torch.zeros(100), chances], 0.03


def _top_k_top_p(k: bool, p: bool) -> Outcome:
    from vllm.v1.sample.ops import topk_topp_triton as ops

    ops.num_compute_units = lambda device=None: 2
    logits = _logits()
    counts, shares = torch.tensor([5, 50, VOCABULARY, 1, 200]), torch.tensor([0.9, 0.5, 0.8, 1.0, 0.95])
    ordered, order = logits.sort(-1, descending=True)
    drop = torch.zeros_like(logits, dtype=torch.bool)
    if k:
        drop |= torch.arange(VOCABULARY) >= counts[:, None]
    if p:
        chances = ordered.double().masked_fill(drop, float("-inf")).softmax(-1)
        drop |= (chances.cumsum(-1) - chances >= shares[:, None]) & (shares < 1)[:, None]
    expected = torch.empty_like(logits).scatter_(1, order, ordered.masked_fill(drop, float("-inf")))
    actual = ops.apply_top_k_top_p_triton(logits, counts.int() if k else None, shares if p else None)
    return actual.exp(), expected.exp(), 1e-5


variants(_top_k_top_p, k=(True, False), p=(False, True), both=(True, True))


@case
def rejection_greedy() -> Outcome:
    from vllm.v1.sample.rejection_sampler import rejection_greedy_sample_kernel as kernel

    drafts, best = int32(5, 6, 7, 8, 9, 1), torch.tensor([5, 6, 0, 8, 9, 2])
    ends, bonus = int32(3, 5, 6), int32(100, 101, 102)[:, None]
    out = torch.full((3, 4), -1, dtype=torch.int32)
    kernel[(3,)](out, ends, drafts, best, bonus, None, 3, None, None, SYNTHETIC_MODE=False)
    return out, torch.tensor([[5, 6, 0, -1], [8, 9, 101, -1], [2, -1, -1, -1]]), 0.0


@case
def expand_batch_to_tokens() -> Outcome:
    from vllm.v1.sample.rejection_sampler import expand_kernel as kernel

    values, ends = torch.tensor([0.5, 0.0, 2.0]), int32(3, 5, 6)
    out = torch.empty(6)
    kernel[(3,)](out, values, ends, 0, 1, MAX_NUM_TOKENS=4)
    return out, torch.tensor([0.5, 0.5, 0.5, 1.0, 1.0, 2.0]), 0.0


@case
def positions_and_lengths() -> Outcome:
    from vllm.v1.worker.gpu.input_batch import prepare_pos_seq_lens

    rows, bounds, computed = int32(2, 0, 1), int32(0, 4, 5, 8), int32(10, 0, 7)
    positions, lengths = torch.zeros(8, dtype=torch.int64), torch.full((4,), 9, dtype=torch.int32)
    prepare_pos_seq_lens(rows, bounds, computed, positions, lengths)
    expected = torch.tensor([7, 8, 9, 10, 10, 0, 1, 2])
    return [positions, lengths], [expected, int32(11, 11, 3, 0)], 0.0
