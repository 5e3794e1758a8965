"""Freed memory of the host's device waits for the next tensor of its size."""

from __future__ import annotations

import threading

import pytest
from python_process import run

torch = pytest.importorskip("torch")

from torch_fl.profiles import profile  # noqa: E402

pytestmark = pytest.mark.skipif(profile().name != "host", reason="accelerators have allocators of their own")
ELEMENTS = 1 << 20  # 4 MB


def test_the_next_tensor_of_the_size_gets_it(device):
    torch.flagos.empty_cache()
    allocated, reserved = torch.flagos.memory_allocated(), torch.flagos.memory_reserved()
    x = torch.empty(ELEMENTS, device=device)
    address = x.data_ptr()
    assert torch.flagos.memory_allocated() == allocated + 4 * ELEMENTS
    del x
    assert torch.flagos.memory_allocated() == allocated
    assert 4 * ELEMENTS <= torch.flagos.memory_reserved() - reserved < 5 * ELEMENTS
    y = torch.empty(ELEMENTS - 100, device=device)
    assert y.data_ptr() == address
    z = torch.empty(ELEMENTS, device=device)
    assert z.data_ptr() != address


def test_emptying_the_cache_returns_it(device):
    torch.flagos.empty_cache()
    reserved = torch.flagos.memory_reserved()
    kept = torch.zeros(ELEMENTS, device=device)
    x = torch.ones(20 * ELEMENTS, device=device)
    del x
    assert torch.flagos.memory_reserved() >= reserved + 84 * ELEMENTS
    torch.flagos.empty_cache()
    # The rest of huge pages that `kept` uses stays.
    assert torch.flagos.memory_reserved() < reserved + 4 * ELEMENTS + (4 << 20)
    assert kept.sum().item() == 0


def test_small_and_large_tensors_do_not_overlap(device):
    torch.manual_seed(0)
    live = []
    for number in range(600):
        size = int(torch.randint(1, 1 << int(torch.randint(1, 21, ())), ()))
        live.append((number, torch.full((size,), number, dtype=torch.int32, device=device)))
        assert live[-1][1].data_ptr() % 64 == 0
        if number % 3 == 2:
            live.pop(int(torch.randint(len(live), ())))
        if number % 100 == 99:
            torch.flagos.empty_cache()
            assert all(bool((tensor == value).all()) for value, tensor in live)


def test_a_tensor_takes_what_several_left(device):
    torch.flagos.empty_cache()
    parts = [torch.empty(ELEMENTS // 2, device=device) for _ in range(8)]
    addresses = {part.data_ptr() for part in parts}
    reserved = torch.flagos.memory_reserved()
    del parts
    whole = torch.empty(3 * ELEMENTS, device=device)
    assert whole.data_ptr() in addresses
    assert torch.flagos.memory_reserved() == reserved


def test_contents_are_of_the_new_tensor(device):
    torch.flagos.empty_cache()
    x = torch.full((ELEMENTS,), 7.0, device=device)
    del x
    assert torch.zeros(ELEMENTS, device=device).abs().sum().item() == 0


def test_many_sizes_stay_below_the_limit(device):
    torch.flagos.empty_cache()
    for size in range(1, 200):
        torch.empty(size * 50_000, device=device)
    waiting = torch.flagos.memory_reserved() - torch.flagos.memory_allocated()
    _, total = torch.accelerator.get_memory_info()
    assert 0 < waiting <= total / 8
    torch.flagos.empty_cache()


def test_threads_share_it(device):
    def work(number):
        for _ in range(200):
            x = torch.full((1 << 16,), float(number), device=device)
            if x.min().item() != number or x.max().item() != number:
                wrong.append(number)

    wrong: list[int] = []
    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


FORKS = """
import os, threading, torch, torch_fl
def work():
    while running:
        torch.empty(1000, device="flagos")
running = True
threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads: thread.start()
for _ in range(40):
    child = os.fork()
    if child == 0:
        torch.empty(1000, device="flagos")
        os._exit(0)
    os.waitpid(child, 0)
running = False
print("all ended")
"""


def test_a_fork_does_not_wait_for_a_lock_of_its_parents_threads():
    assert "all ended" in run(FORKS).stdout
