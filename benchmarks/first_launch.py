"""What a new process pays for its first launch, with an empty or a filled kernel cache, and the memory it takes.

`python first_launch.py NAME` is what `latency.py` runs. It prints the seconds of the first launch, imports of torch and
triton and the making of the tensors excluded, the peak of resident memory in MB, and by how much the launch raised it.
"""

import gc
import resource
import sys
import time
from collections.abc import Callable

import kernels
import kernels_model
import torch


def add(block: int = 1024) -> Callable[[], object]:
    x, y, out = (torch.ones(1024) for _ in range(3))
    return lambda: kernels.add_kernel[(1, )](x, y, out, 1024, BLOCK=block)


def add_65536() -> Callable[[], object]:
    return add(65536)


def softmax() -> Callable[[], object]:
    x, out = torch.ones(1, 1000), torch.empty(1, 1000)
    return lambda: kernels.softmax(x, out)


def matmul() -> Callable[[], object]:
    a, b, out = torch.ones(128, 64), torch.ones(64, 128), torch.empty(128, 128)
    return lambda: kernels.matmul(a, b, out, blocks=(128, 128, 64))


def attention() -> Callable[[], object]:
    q, out = torch.ones(1, 128, 64), torch.empty(1, 128, 64)
    return lambda: kernels_model.attention(q, q, q, out)


def sort() -> Callable[[], object]:
    x, out = torch.ones(1024), torch.empty(1024)
    return lambda: kernels_model.sort_kernel[(1, )](x, out, BLOCK=1024)


def main() -> None:
    prepare = {"add": add, "add_65536": add_65536, "softmax": softmax, "matmul": matmul, "attention": attention,
               "sort": sort}[sys.argv[1]]
    launch = prepare()  # torch's own first operations take half a millisecond
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
