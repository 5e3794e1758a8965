"""What a new process pays for its first launch, with an empty or a filled kernel cache, and the memory it takes.

`python first_launch.py NAME` is what `latency.py` runs. It prints the seconds of the first launch, imports of torch and
triton excluded, the peak of resident memory in MB, and by how much the launch raised it.
"""

import gc
import resource
import sys
import time

import kernels
import kernels_model
import torch


def add(block: int = 1024) -> None:
    x, y, out = (torch.ones(1024) for _ in range(3))
    kernels.add_kernel[(1, )](x, y, out, 1024, BLOCK=block)


def add_65536() -> None:
    add(65536)


def softmax() -> None:
    x = torch.ones(1, 1000)
    kernels.softmax(x, torch.empty_like(x))


def matmul() -> None:
    a, b, out = torch.ones(128, 64), torch.ones(64, 128), torch.empty(128, 128)
    kernels.matmul(a, b, out, blocks=(128, 128, 64))


def attention() -> None:
    q = torch.ones(1, 128, 64)
    kernels_model.attention(q, q, q, torch.empty_like(q))


def sort() -> None:
    x = torch.ones(1024)
    kernels_model.sort_kernel[(1, )](x, torch.empty_like(x), BLOCK=1024)


def main() -> None:
    launch = {"add": add, "add_65536": add_65536, "softmax": softmax, "matmul": matmul, "attention": attention,
              "sort": sort}[sys.argv[1]]
    # torch's import leaves a collection of its million objects due, which takes 70 ms and belongs to nobody in
    # particular: the next allocations of whoever comes first start it.
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    launch()
    print(time.perf_counter() - start)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(peak / 1024)
    print((peak - before) / 1024)


if __name__ == "__main__":
    main()
