"""What this machine can do at most: bytes from memory, and operations. For `triton.testing`."""

from __future__ import annotations

import functools
import mmap
import os
import re
import time

import triton
import triton.language as tl

from .compiler import host_machine

_BITS = {"fp64": 64, "fp32": 32, "fp16": 16, "bf16": 16, "i8": 8, "u8": 8}
# Multiplications and additions of one tile product of an x86 core with matrix registers, per cycle: 16 rows of 16
# columns in 16 cycles, times the elements in 4 bytes.
_TILE_PRODUCTS = {"bf16": ("amx-bf16", 512), "fp16": ("amx-fp16", 512), "i8": ("amx-int8", 1024)}
# Most cores start two vector operations a cycle that multiply and add; the processor does not tell.
_VECTOR_UNITS = 2
_MOST_BYTES = 1 << 30


@triton.jit
def _copy(source, target, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(target + at, tl.load(source + at))


class _Memory:
    """Pages of the process, as an argument of a kernel."""

    dtype = tl.float32

    def __init__(self, size: int):
        import ctypes

        self._pages = mmap.mmap(-1, size)
        self._first = ctypes.c_char.from_buffer(self._pages)
        self._address = ctypes.addressof(self._first)

    def data_ptr(self) -> int:
        return self._address


def _read_text(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().strip()
    except OSError:  # another system, or a container that hides it
        return ""


def _size(text: str) -> int:
    found = re.fullmatch(r"(\d+)([KMG]?)", text)
    return int(found[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[found[2]] if found else 0


def _last_cache() -> int:
    """Bytes of the largest cache of the first core; 0 where that is not known."""
    folder = "/sys/devices/system/cpu/cpu0/cache"
    indices = os.listdir(folder) if os.path.isdir(folder) else []
    return max((_size(_read_text(f"{folder}/{index}/size")) for index in indices), default=0)


@functools.cache
def memory_gbps() -> float:
    """GB/s that a copy reads and writes together, on all threads that kernels run on; the best of some runs.

    Measured once per process, in a fraction of a second, with two buffers that are twice the largest cache together,
    but at least 256 MB and at most 1 GiB.
    """
    block = 1 << 14
    size = min(max(_last_cache(), 128 << 20), _MOST_BYTES // 2) // (4 * block) * (4 * block)
    source, target = _Memory(size), _Memory(size)
    grid = (size // (4 * block),)
    times = []
    for _ in range(8):  # the first ones compile, and map the pages
        start = time.perf_counter()
        _copy[grid](source, target, BLOCK=block)
        times.append(time.perf_counter() - start)
    return 2 * size / min(times[2:]) / 1e9


@functools.cache
def _cores() -> int:
    """Cores that this process may run on; the threads of a core share its arithmetic."""
    ids = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    siblings = (_read_text(f"/sys/devices/system/cpu/cpu{i}/topology/thread_siblings_list") for i in ids)
    return len({text or str(i) for i, text in zip(ids, siblings)})


@functools.cache
def _clock_khz() -> float:
    """The highest clock rate of the first core, or the present one of a virtual machine. RuntimeError if unknown."""
    highest = _read_text("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq")
    if highest.isdecimal():
        return float(highest)
    present = re.search(r"^cpu MHz\s*:\s*([\d.]+)", _read_text("/proc/cpuinfo"), re.MULTILINE)
    if not present:
        raise RuntimeError("the system does not tell the clock rate of the processor: pass clock_rate, in kHz")
    return float(present[1]) * 1000


def max_tflops(dtype: str, clock_rate: float | None, matrix: bool) -> float:
    """Tera-operations per second of all cores at `clock_rate` kHz (None: the highest); an FMA counts as two.

    `dtype` is a canonical name. With `matrix`, instructions that add up products of several elements count, too: those
    of matrix registers, and of dot products of bytes and bf16. RuntimeError for other types.
    """
    if dtype not in _BITS:
        raise RuntimeError(f"no peak rate is known for {dtype}: expected one of {', '.join(_BITS)}")
    from triton._C.libtriton import cpu

    machine, host = host_machine(), cpu.host()
    features = {*host["enabled"], *host["withheld"]}
    # Arithmetic of narrow floats is that of float32, unless the processor has its own.
    bits = 16 if dtype == "fp16" and "avx512fp16" in features else max(32, _BITS[dtype])
    operations = machine.vector_bits // bits * _VECTOR_UNITS
    if matrix:
        factor = 4 if machine.dot_int8 and dtype in ("i8", "u8") else 2 if machine.dot_bf16 and dtype == "bf16" else 1
        feature, tiles = _TILE_PRODUCTS.get(dtype.replace("u8", "i8"), ("", 0))
        operations = max(operations * factor, tiles if feature in features else 0)
    return 2 * operations * _cores() * (clock_rate or _clock_khz()) * 1e3 / 1e12
