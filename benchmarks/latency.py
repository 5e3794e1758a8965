"""Fixed costs: the first compile of a process, a launch, the import."""

import statistics
import tempfile
from pathlib import Path

import kernels
import kernels_model
import torch
import triton
from report import Row
from timing import fresh_process, per_call, process_with_cache

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


# Milliseconds that the first launch of a kernel in a process may take when nothing is cached.
# The size of a block should not matter: half as much again for 64 times as many elements.
COMPILE_LIMITS = {"add": 40, "add_65536": 60, "softmax": 60, "matmul": 120, "attention": 200, "sort": 300}


def first_launches(folder: str, processes: int) -> list[Row]:
    """First launches in fresh processes: with an empty cache (a compile), then with what that one left."""
    script = str(Path(folder) / "first_launch.py")
    rows, cached, peaks = [], [], []
    with tempfile.TemporaryDirectory() as cache:
        process_with_cache(cache, script, "add")  # writes bytecode
    for name, limit in COMPILE_LIMITS.items():
        cold = []
        for _ in range(processes):
            with tempfile.TemporaryDirectory(prefix="triton-bench-") as cache:
                seconds, peak, rise = map(float, process_with_cache(cache, script, name).split())
                cold.append(seconds)
                peaks.append((peak, rise))
                cached.append(float(process_with_cache(cache, script, name).split()[0]))
        rows.append(_fixed(f"cold compile of {name}", cold, limit,
                           note=f"first launch, {processes} fresh processes, import excluded"))
    rows.append(_fixed("the same kernels from the cache", cached, 10, note="loads libtriton, too; import excluded"))
    peak, rise = max(peaks)
    rows.append(Row("peak memory of a process that compiles", {
        "measured": f"{peak:.0f} MB", "needed": "≤ 300 MB", "met": "yes" if peak <= 300 else "**no**",
        "note": f"with torch; the launch added {rise:.0f} MB"}))
    return rows


def launch(repeats: int) -> list[Row]:
    """Cost of launching kernels with torch tensors and one program, warm."""
    x, y, out = (torch.ones(16) for _ in range(3))
    call = kernels.add_kernel[(1, )]
    rows = []
    times = [per_call(lambda: kernels.add_kernel[(1, )](x, y, out, 16, BLOCK=16), repeats=5) for _ in range(repeats)]
    eager = per_call(lambda: torch.add(x, y, out=out))
    rows.append(_fixed("launch, 5 arguments (3 torch tensors), one program", times, 0.001, "µs",
                       f"torch.add(out=) of 16 elements: {eager * 1e6:.2f} µs"))
    a, b, c = (tensor.numpy() for tensor in (x, y, out))
    arrays = per_call(lambda: call(a, b, c, 16, BLOCK=16))
    rows.append(Row("same with NumPy arrays", {"measured": f"{arrays * 1e6:.2f} µs", "note": "grid bound beforehand"}))
    tensors = [torch.ones(16) for _ in range(6)]
    numbers = range(2, 13)
    many = [per_call(lambda: kernels_model.many_arguments_kernel[(1, )](*tensors, 16, *numbers, BLOCK=16), repeats=5)
            for _ in range(repeats)]
    rows.append(_fixed("launch, 19 arguments (6 torch tensors)", many, 0.002, "µs"))
    tuned = triton.autotune([triton.Config({"BLOCK": 16})], key=["n"])(kernels.add_kernel)
    more = [per_call(lambda: tuned[(1, )](x, y, out, 16), repeats=5) - plain for plain in times]
    rows.append(_fixed("autotuned: more than the 5 arguments", more, 0.0005, "µs"))
    compiled = kernels.add_kernel[(1, )](x, y, out, 16, BLOCK=16)
    run, handle, packed = compiled.run, compiled.function, compiled.packed_metadata
    direct = [per_call(lambda: run(1, 1, 1, 0, handle, packed, None, None, None, x, y, out, 16, 16), repeats=5)
              for _ in range(repeats)]
    rows.append(_fixed("`CompiledKernel.run`", direct, 0.0005, "µs"))
    return rows


def import_time(processes: int) -> list[Row]:
    """Median time of `import triton` in fresh processes, and what it pulled in."""
    fresh_process(_IMPORT)  # writes bytecode
    outputs = [fresh_process(_IMPORT).splitlines() for _ in range(processes)]
    loaded = outputs[0][1]
    return [_fixed("`import triton`", [float(lines[0]) for lines in outputs], 150,
                   note=f"of torch, numpy, libtriton it loads {loaded}")]
