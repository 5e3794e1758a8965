"""Kernels against torch eager: f32, same threads, same process, interleaved rounds."""

import statistics
from collections.abc import Callable

import cases_model
import kernels
import torch
import triton.language as tl
from case import Case
from report import Row
from timing import CacheFlush, interleaved, paired_ratio


def _add() -> Case:
    n = 1 << 24
    x, y, out, want = torch.randn(n), torch.randn(n), torch.empty(n), torch.empty(n)
    return Case("add, 16 M", lambda: kernels.add(x, y, out), lambda: torch.add(x, y, out=want), lambda: (out, want),
                bytes=3 * 4 * n, flops=n, needed_ratio=0.95)


def _gelu() -> Case:
    n = 1 << 22
    x, out = torch.randn(n), torch.empty(n)
    want = torch.empty(n)
    return Case("GELU, 4 M", lambda: kernels.gelu(x, out),
                lambda: torch.ops.aten.gelu.out(x, approximate="none", out=want), lambda: (out, want),
                bytes=2 * 4 * n, flops=20 * n, needed_ratio=0.95, needed_share=0.6)


def _softmax() -> Case:
    x = torch.randn(2048, 4000)
    out, want = torch.empty_like(x), torch.empty_like(x)
    return Case("softmax, 2048 × 4000", lambda: kernels.softmax(x, out),
                lambda: torch.softmax(x, 1, out=want), lambda: (out, want), bytes=2 * 4 * x.numel(),
                flops=20 * x.numel(), needed_ratio=1.2, needed_share=0.6)


def _layer_norm() -> Case:
    x, weight, bias = torch.randn(2048, 4096), torch.randn(4096), torch.randn(4096)
    out, want, mean, rstd = torch.empty_like(x), torch.empty_like(x), torch.empty(2048, 1), torch.empty(2048, 1)
    return Case("layer norm, 2048 × 4096", lambda: kernels.layer_norm(x, weight, bias, out),
                lambda: torch.ops.aten.native_layer_norm.out(x, [4096], weight, bias, 1e-5, out0=want, out1=mean,
                                                             out2=rstd), lambda: (out, want),
                bytes=2 * 4 * x.numel(), flops=8 * x.numel(), needed_ratio=2.5, needed_share=0.6, tolerance=1e-4)


def _matmul(size: int) -> Case:
    a, b = torch.randn(size, size), torch.randn(size, size)
    out, want = torch.empty(size, size), torch.empty(size, size)
    return Case(f"matmul, {size}³", lambda: kernels.matmul(a, b, out), lambda: torch.mm(a, b, out=want),
                lambda: (out, want), bytes=3 * 4 * size * size, flops=2 * size**3, needed_ratio=0.8, tolerance=1e-3)


def _matmul_bf16(size: int) -> Case:
    """Two products a lane, so half the time of f32 is the floor. Larger blocks copy less for the same products.

    Blocks and group are the best of thirteen that were tried, as a user's autotuner would find them.
    """
    blocks, group = ((128, 128, 128), 8) if size < 1024 else ((256, 128, 128), 2)
    a, b = (torch.randn(size, size).bfloat16() for _ in range(2))
    out, want = torch.empty_like(a), torch.empty_like(a)
    return Case(f"matmul bf16, {size}³", lambda: kernels.matmul(a, b, out, blocks, group),
                lambda: torch.mm(a, b, out=want), lambda: (out, want), bytes=3 * 2 * size * size, flops=size**3,
                needed_ratio=1.0, tolerance=2e-2)


def _matmul_i8() -> Case:
    """Four products a lane, so a quarter of the time of f32 is the floor."""
    size = 512
    a, b = (torch.randint(-128, 128, (size, size), dtype=torch.int8) for _ in range(2))
    out = torch.empty(size, size, dtype=torch.int32)
    return Case("matmul i8, 512³", lambda: kernels.packed_matmul(a, b, out, tl.int32), lambda: torch._int_mm(a, b),
                lambda: (out, torch._int_mm(a, b)), bytes=2 * size * size, flops=size**3 // 2, needed_ratio=0.5)


def _cumsum() -> Case:
    x = torch.randint(-4, 5, (2048, 4096)).float()
    out, want = torch.empty_like(x), torch.empty_like(x)
    return Case("cumsum of rows, 2048 × 4096", lambda: kernels.cumsum(x, out), lambda: torch.cumsum(x, 1, out=want),
                lambda: (out, want), bytes=2 * 4 * x.numel(), flops=x.numel(), needed_ratio=0.8)


def _histogram() -> Case:
    x, bins = torch.randint(0, 256, (1 << 22, ), dtype=torch.int32), 256
    out = torch.zeros(bins, dtype=torch.int32)

    def result() -> tuple[torch.Tensor, torch.Tensor]:
        out.zero_()
        kernels.histogram(x, out)
        return out.long(), torch.bincount(x, minlength=bins)

    return Case("histogram by atomics, 4 M in 256", lambda: kernels.histogram(x, out),
                lambda: torch.bincount(x, minlength=bins), result, bytes=4 * x.numel(), flops=x.numel(),
                needed_ratio=0.3)


def _column_sum() -> Case:
    x = torch.randint(-4, 5, (2048, 1024)).float()
    out, want = torch.zeros(1024), torch.empty(1024)

    def result() -> tuple[torch.Tensor, torch.Tensor]:
        out.zero_()
        kernels.column_sum(x, out)
        return out, want

    return Case("column sums by atomics, 2048 × 1024", lambda: kernels.column_sum(x, out),
                lambda: torch.sum(x, 0, out=want), result, bytes=4 * x.numel(), flops=x.numel(), needed_ratio=0.3)


CASES = {"add": _add, "gelu": _gelu, "softmax": _softmax, "layer_norm": _layer_norm, "matmul": lambda: _matmul(1024),
         "matmul_512": lambda: _matmul(512), "matmul_2048": lambda: _matmul(2048),
         "matmul_bf16": lambda: _matmul_bf16(1024), "matmul_bf16_512": lambda: _matmul_bf16(512),
         "matmul_bf16_2048": lambda: _matmul_bf16(2048), "matmul_i8": _matmul_i8, "cumsum": _cumsum,
         "histogram": _histogram, "column_sum": _column_sum, **cases_model.CASES}


def _floor(case: Case, bandwidth: float, rate: float) -> str:
    """The least time by bytes or flops, from what add and the matrix product reach at best on this machine."""
    by_memory, by_arithmetic = case.bytes / bandwidth, case.flops / rate
    limit = "bytes" if by_memory >= by_arithmetic else "flops"
    return f"{max(by_memory, by_arithmetic) * 1e3:.2f} ({limit})"


def measure(names: list[str], rounds: int, flush_mb: int) -> list[Row]:
    """One row per case in `names`. add and matmul run in any case: they are the yardsticks of the floors."""
    cases = {name: CASES[name]() for name in CASES if name in names or name in ("add", "matmul")}
    candidates: dict[str, Callable[[], object]] = {}
    for name, case in cases.items():
        candidates[f"{name} eager"] = case.eager
        candidates[name] = case.ours
    times = interleaved(candidates, rounds, CacheFlush(flush_mb))
    for case in cases.values():
        actual, want = case.result()
        torch.testing.assert_close(actual, want, rtol=case.tolerance, atol=case.tolerance)

    median = {name: statistics.median(values) for name, values in times.items()}
    bandwidth = cases["add"].bytes / median["add eager"]
    rate = max(cases[name].flops / min(times[f"{name} eager"] + times[name]) for name in cases
               if name.startswith("matmul"))
    rows = []
    for name, case in cases.items():
        if name not in names:
            continue
        ratio = paired_ratio(times[f"{name} eager"], times[name])
        share, eager_share = (case.bytes / median[key] / bandwidth for key in (name, f"{name} eager"))
        met = ratio >= case.needed_ratio and (case.needed_share is None or share >= case.needed_share)
        needed = f"≥ {case.needed_ratio} ×" + (f", ≥ {case.needed_share} of add" if case.needed_share else "")
        memory_bound = case.bytes / bandwidth >= case.flops / rate
        rows.append(Row(case.title, {
            "floor, ms": _floor(case, bandwidth, rate),
            "ours, ms": f"{median[name] * 1e3:.2f}",
            "torch, ms": f"{median[f'{name} eager'] * 1e3:.2f}",
            "× torch": f"{ratio:.2f}",
            "of add's bandwidth, ours (torch)": f"{share:.2f} ({eager_share:.2f})" if memory_bound else "–",
            "needed": needed,
            "met": "yes" if met else "**no**",
        }))
    return rows
