"""The table of platforms, and what follows from it, on machines that have none of them."""

from __future__ import annotations

import dataclasses

import pytest

pytest.importorskip("torch")


@pytest.mark.parametrize(
    ("name", "triton_type", "key", "cuda_like"),
    [
        ("host", "flagos", "flagos", False),
        ("cuda", "cuda", "nvidia", True),
        ("ppu", "cuda", "nvidia", True),
        ("hcu", "hip", "hcu", True),
        ("maca", "maca", "metax", True),
        ("npu", "npu", "ascend", False),
        ("musa", "musa", "mthreads", False),
        ("gcu", "gcu", "gcu", False),
        ("txda", "txda", "tsingmicro", False),
    ],
)
def test_names_of_a_platform(name, triton_type, key, cuda_like):
    from torch_fl.profiles import find

    record = find(name)
    assert (record.triton_type, record.triton_key, record.is_cuda_like) == (triton_type, key, cuda_like)
    with pytest.raises(dataclasses.FrozenInstanceError):
        record.name = "other"


def test_an_unknown_platform_is_refused_with_the_nearest_one():
    from torch_fl.profiles import find

    with pytest.raises(ValueError, match="Did you mean 'musa'"):
        find("muse")


@pytest.mark.parametrize("name", ["ppu", "musa", "gcu", "npu", "txda"])
def test_compile_threads_default_to_one_and_the_user_wins(name, monkeypatch):
    from torch_fl.inductor.patches import config_patches
    from torch_fl.profiles import find

    monkeypatch.delenv("TORCHINDUCTOR_COMPILE_THREADS", raising=False)
    assert config_patches(find(name))["compile_threads"] == 1
    assert config_patches(find(name), options={"compile-threads": 3})["compile_threads"] == 3
    monkeypatch.setenv("TORCHINDUCTOR_COMPILE_THREADS", "5")
    assert "compile_threads" not in config_patches(find(name))


def test_cuda_and_host_leave_compile_threads_alone(monkeypatch):
    from torch_fl.inductor.patches import config_patches
    from torch_fl.profiles import find

    monkeypatch.delenv("TORCHINDUCTOR_COMPILE_THREADS", raising=False)
    assert "compile_threads" not in config_patches(find("cuda"))
    assert "compile_threads" not in config_patches(find("host"))


def test_modes_become_patches_without_graphs_and_without_tuning_where_there_is_none():
    from torch_fl.inductor.patches import config_patches
    from torch_fl.profiles import find

    host = config_patches(find("host"), "max-autotune")
    assert host["max_autotune"] is True
    assert host["triton.cudagraphs"] is False
    native = config_patches(find("npu"), "max-autotune")
    assert not native["max_autotune"]
    assert native["max_autotune_gemm_backends"] == "TRITON"


def test_the_reported_type_is_that_of_the_platform():
    from torch_fl.inductor.properties import report_triton_type
    from torch_fl.profiles import find

    torch = pytest.importorskip("torch")

    class Made(tuple):
        def _replace(self, **changes):
            return changes

    class Properties:
        @staticmethod
        def create(device):
            return Made()

    report_triton_type(Properties, find("npu"))
    wrapped = Properties.create
    report_triton_type(Properties, find("npu"))
    assert Properties.create is wrapped
    assert Properties.create(torch.device("flagos", 0)) == {"type": "npu"}
    assert Properties.create(torch.device("cpu")) == ()


def test_the_cache_key_depends_on_device_target_and_compiler():
    from torch_fl.inductor.cache_key import describe_device, described
    from torch_fl.profiles import find

    system = {"hash": "of nothing"}
    keys = {described(system, *details)["hash"] for details in (("d", "t", "1"), ("d", "t", "2"), ("d", "u", "1"))}
    assert len(keys) == 3

    class CacheBase:
        @staticmethod
        def get_system():
            return system

    describe_device(CacheBase, find("cuda"), lambda: ("d", "t", "1"))
    assert CacheBase.get_system() == system
    for _ in range(2):
        describe_device(CacheBase, find("host"), lambda: ("d", "t", "1"))
    assert CacheBase.get_system() == described(system, "d", "t", "1")


def test_the_cache_key_depends_on_the_build_of_this_package(device, monkeypatch):
    from torch_fl.inductor import cache_key
    from torch_fl.profiles import profile

    if profile().is_cuda_like:
        pytest.skip("torch describes the hardware itself there")
    before = cache_key.current_details()
    assert cache_key.current_details() == before
    monkeypatch.setattr(cache_key, "package_digest", lambda: "another build")
    assert cache_key.current_details() != before


def test_the_digest_is_that_of_the_packages_files(monkeypatch, tmp_path):
    from torch_fl.inductor import cache_key

    package = tmp_path / "torch_fl"
    (package / "inductor").mkdir(parents=True)
    monkeypatch.setattr(cache_key, "__file__", str(package / "inductor" / "cache_key.py"))
    digests = set()
    steps = [("__init__.py", "1"), ("__init__.py", "2"), ("_C.cpython.so", "1"), ("inductor/patches.py", "1")]
    for name, text in steps:
        (package / name).write_text(text)
        digests.add(cache_key.package_digest())
    (package / "notes.txt").write_text("1")
    digests.add(cache_key.package_digest())
    assert len(digests) == 4


def test_older_torch_gets_the_warp_size_of_the_driver(monkeypatch):
    import types

    from torch_fl.inductor.older_torch import report_warp_size
    from torch_fl.profiles import find

    driver = pytest.importorskip("triton.runtime").driver
    target = types.SimpleNamespace(get_current_target=lambda: types.SimpleNamespace(warp_size=16))
    monkeypatch.setattr(type(driver), "active", target)
    heuristics = types.SimpleNamespace(cc_warp_size=lambda capability: 32)
    assert not report_warp_size(heuristics, find("cuda"))
    assert report_warp_size(heuristics, find("txda"))
    assert not report_warp_size(heuristics, find("txda"))
    assert heuristics.cc_warp_size("any") == 16
    assert not report_warp_size(types.SimpleNamespace(), find("txda"))


def test_cuda_gets_its_raw_stream_back(monkeypatch):
    import types

    import torch
    from torch_fl.inductor.older_torch import attach_raw_stream

    module = types.SimpleNamespace(CudaInterface=type("CudaInterface", (), {"get_raw_stream": None}))
    monkeypatch.setattr(torch._C, "_cuda_getCurrentRawStream", lambda index: 7 + index, raising=False)
    assert attach_raw_stream(module)
    assert not attach_raw_stream(module)
    assert module.CudaInterface.get_raw_stream(1) == 8
