"""Fixed costs: the first compile of a process, a launch, the import."""

import statistics

import kernels
import torch
from report import Row
from timing import fresh_process, per_call

# Only the first launch is timed: compile, load, bind, run one program. Importing has its own row.
_COLD = """
import sys, time
sys.path.insert(0, sys.argv[1])
import torch
import kernels
x, y, out = (torch.ones(4) for _ in range(3))
start = time.perf_counter()
kernels.add_kernel[(1, )](x, y, out, 4, BLOCK=int(sys.argv[2]))
print(time.perf_counter() - start)
assert out.tolist() == [2.0] * 4
"""

_IMPORT = """
import sys, time
start = time.perf_counter()
import triton
print(time.perf_counter() - start)
print([name for name in ("torch", "numpy", "triton._C.libtriton") if name in sys.modules])
"""


def _fixed(title: str, seconds: list[float], limit_ms: float, unit: str = "ms", note: str = "") -> Row:
    scale = {"ms": 1e3, "µs": 1e6}[unit]
    value = statistics.median(seconds) * scale
    limit = limit_ms * (1 if unit == "ms" else 1e3)
    return Row(title, {
        "measured": f"{value:.2f} {unit}",
        "spread": f"{min(seconds) * scale:.2f} – {max(seconds) * scale:.2f}",
        "needed": f"≤ {limit:g} {unit}",
        "met": "yes" if value <= limit else "**no**",
        "note": note,
    })


def cold_compile(folder: str, processes: int) -> list[Row]:
    """Median time of the first launch of add in fresh processes with an empty cache, at two block sizes."""
    times: dict[int, list[float]] = {1024: [], 65536: []}
    fresh_process(_COLD, folder, "1024")  # writes bytecode
    for number in range(processes):
        for block in sorted(times, reverse=number % 2 == 1):
            times[block].append(float(fresh_process(_COLD, folder, str(block))))
    ratio = statistics.median(big / small for small, big in zip(times[1024], times[65536], strict=True))
    return [
        _fixed("cold compile of add, BLOCK 1024", times[1024], 80,
               note=f"first launch, {processes} fresh processes, import excluded"),
        Row("BLOCK 65536 relative to BLOCK 1024", {
            "measured": f"{ratio:.2f} ×",
            "spread": f"{min(times[65536]) * 1e3:.2f} – {max(times[65536]) * 1e3:.2f} ms",
            "needed": "≤ 1.5 ×",
            "met": "yes" if ratio <= 1.5 else "**no**",
            "note": "median of the ratios of consecutive processes",
        }),
    ]


def launch(repeats: int) -> list[Row]:
    """Cost of launching a five-argument kernel with three torch tensors and one program, warm."""
    x, y, out = (torch.ones(16) for _ in range(3))
    call = kernels.add_kernel[(1, )]
    rows = []
    times = [per_call(lambda: kernels.add_kernel[(1, )](x, y, out, 16, BLOCK=16), repeats=5) for _ in range(repeats)]
    eager = per_call(lambda: torch.add(x, y, out=out))
    rows.append(_fixed("launch, 5 arguments (3 torch tensors), one program", times, 0.002, "µs",
                       f"torch.add(out=) of 16 elements: {eager * 1e6:.2f} µs"))
    a, b, c = (tensor.numpy() for tensor in (x, y, out))
    arrays = per_call(lambda: call(a, b, c, 16, BLOCK=16))
    rows.append(Row("same with NumPy arrays", {"measured": f"{arrays * 1e6:.2f} µs", "note": "grid bound beforehand"}))
    return rows


def import_time(processes: int) -> list[Row]:
    """Median time of `import triton` in fresh processes, and what it pulled in."""
    fresh_process(_IMPORT)  # writes bytecode
    outputs = [fresh_process(_IMPORT).splitlines() for _ in range(processes)]
    loaded = outputs[0][1]
    return [_fixed("`import triton`", [float(lines[0]) for lines in outputs], 200,
                   note=f"of torch, numpy, libtriton it loads {loaded}")]
