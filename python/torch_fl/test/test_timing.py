"""What times kernels for autotuning, and what stands in for it, with torch as it is and as it was."""

from __future__ import annotations

import types

import pytest

torch = pytest.importorskip("torch")


class Clock:
    """A benchmarker's own ways to time, which say who asked."""

    def __init__(self):
        self.asked = []

    def benchmark_cpu(self, call, warmup, rep):
        self.asked.append(("cpu", warmup, rep))
        return call()

    def benchmark_gpu(self, call, **options):
        self.asked.append(("gpu", options["warmup"], options["rep"]))
        return call()


class BenchmarkerBeforeTimers(Clock):
    """Takes every device but the CPU for CUDA, as torch 2.11 does."""

    def infer_device(self, *arguments, **named):
        return next(value.device for value in (*arguments, *named.values()) if isinstance(value, torch.Tensor))

    def benchmark(self, fn, fn_args=None, fn_kwargs=None, device=None, **options):
        self.asked.append(("original", device and torch.device(device).type))
        return fn(*(fn_args or ()), **(fn_kwargs or {}))


def older(**profile):
    from torch_fl.inductor.timing import install_timer

    config = types.SimpleNamespace(inductor_default_autotune_warmup=25, inductor_default_autotune_rep=100)
    benchmarker = type("Benchmarker", (BenchmarkerBeforeTimers,), {"benchmark": BenchmarkerBeforeTimers.benchmark})
    module = types.SimpleNamespace(Benchmarker=benchmarker, inductor_config=config)
    for _ in range(50):
        install_timer(module, named(**profile))
    return benchmarker()


def named(name="host", **changes):
    import dataclasses

    from torch_fl.profiles import find

    return dataclasses.replace(find(name), **changes)


def test_an_older_torch_times_the_device_by_the_clock_of_the_host(device):
    clock = older()
    assert clock.benchmark(lambda: 5, device="flagos") == 5
    assert clock.benchmark(lambda v, by: v.numel() * by, (torch.ones(3, device=device),), {"by": 2}, rep=40) == 6
    assert clock.asked == [("cpu", 25, 100), ("cpu", 25, 40)]


def test_an_older_torch_times_other_devices_as_before():
    clock = older()
    assert clock.benchmark(lambda v: v.numel(), (torch.ones(3),)) == 3
    assert clock.benchmark(lambda: 1, device="cuda") == 1
    assert clock.asked == [("original", None), ("original", "cuda")]


@pytest.mark.parametrize(("name", "way"), [("maca", "gpu"), ("musa", "cpu")])
def test_a_name_that_torch_does_not_have_stands_for_the_device(device, monkeypatch, name, way):
    waited = []
    monkeypatch.setattr(torch.flagos, "synchronize", lambda device=None: waited.append(device))
    clock = older(name=name)
    assert clock.benchmark(lambda: None, device=named(name).triton_type) is None
    assert clock.asked == [(way, 25, 100)]
    assert len(waited) == (way == "cpu")


def test_this_torch_times_the_device(device):
    from torch._inductor.runtime.benchmarking import benchmarker

    calls = []
    assert benchmarker.benchmark(lambda: calls.append(1), device=device, warmup=1, rep=1) >= 0
    assert calls


def test_the_first_launcher_that_is_wide_enough_is_taken():
    from torch_fl.inductor.choice import choose_without_timing, first_wide

    class Launcher:
        def __init__(self, **sizes):
            self.config = types.SimpleNamespace(kwargs=sizes)

    one, four, eight, none = Launcher(XBLOCK=1), Launcher(XBLOCK=4), Launcher(XBLOCK=8), Launcher(R0_BLOCK=2)
    assert first_wide([one, eight, four], 4) is eight
    assert first_wide([one], 4) is one
    assert first_wide([one, four], 1) is one
    assert first_wide([one, none], 4) is none

    class Autotuner:
        launchers = (one, four)

        def benchmark_all_configs(self):
            return {one: 1.0, four: 2.0}

    assert not choose_without_timing(Autotuner, named("host"))
    assert choose_without_timing(Autotuner, named("gcu"))
    assert not choose_without_timing(Autotuner, named("gcu"))
    assert list(Autotuner().benchmark_all_configs()) == [four]
