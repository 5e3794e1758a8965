"""Cases of `throughput` for the kernels of models: torch's function, ours, and what they must move and compute."""

import kernels_model as kernels
import torch
import torch.nn.functional as F
from case import Case


def rms_norm() -> Case:
    x, weight = torch.randn(2048, 4096), torch.randn(4096)
    out = torch.empty_like(x)

    def eager() -> torch.Tensor:
        return F.rms_norm(x, [4096], weight, 1e-6)

    return Case("RMS norm, 2048 × 4096", lambda: kernels.rms_norm(x, weight, out), eager, lambda: (out, eager()),
                bytes=2 * 4 * x.numel(), flops=5 * x.numel(), needed_ratio=0.95, needed_share=0.6, tolerance=1e-4)


def cross_entropy() -> Case:
    x, target = torch.randn(2048, 4000), torch.randint(0, 4000, (2048, ))
    out = torch.empty(2048)

    def eager() -> torch.Tensor:
        return F.cross_entropy(x, target, reduction="none")

    return Case("cross entropy, 2048 × 4000", lambda: kernels.cross_entropy(x, target, out), eager,
                lambda: (out, eager()), bytes=4 * x.numel(), flops=18 * x.numel(), needed_ratio=0.95,
                needed_share=0.6)


def rotary() -> Case:
    x, angles = torch.randn(4096, 16, 128), torch.randn(4096, 64)
    cos, sin, out = angles.cos(), angles.sin(), torch.empty_like(x)

    def eager() -> torch.Tensor:
        left, right = x.chunk(2, -1)
        c, s = cos[:, None], sin[:, None]
        return torch.cat((left * c - right * s, right * c + left * s), -1)

    return Case("rotary embedding, 4096 × 16 × 128", lambda: kernels.rotary(x, cos, sin, out), eager,
                lambda: (out, eager()), bytes=2 * 4 * x.numel(), flops=3 * x.numel(), needed_ratio=0.95,
                needed_share=0.6)


def chain() -> Case:
    n = 1 << 22
    x, y, out = torch.randn(n), torch.randn(n), torch.empty(n)

    def eager() -> torch.Tensor:
        return (torch.relu(x * y + 1.0) - y) * x

    return Case("five pointwise operators, 4 M", lambda: kernels.chain(x, y, out), eager, lambda: (out, eager()),
                bytes=3 * 4 * n, flops=5 * n, needed_ratio=2.0, needed_share=0.6)


def attention() -> Case:
    heads, length, d = 8, 1024, 64
    q, k, v = (torch.randn(heads, length, d) for _ in range(3))
    out = torch.empty_like(q)

    def eager() -> torch.Tensor:
        return F.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[0]

    return Case("attention, causal, 8 × 1024 × 64", lambda: kernels.attention(q, k, v, out), eager,
                lambda: (out, eager()), bytes=4 * 4 * q.numel(), flops=2 * heads * length * length * d,
                needed_ratio=1.5, tolerance=1e-4)


CASES = {"rms_norm": rms_norm, "cross_entropy": cross_entropy, "rotary": rotary, "chain": chain,
         "attention": attention}
