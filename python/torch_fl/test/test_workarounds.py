"""Repairs of toolchains, on stand-ins for them."""

from __future__ import annotations

import types

import pytest

pytest.importorskip("torch")


def test_libdevice_is_mapped_only_where_the_backend_left_it_out():
    from torch_fl.workarounds.libdevice import GENERIC, add_library

    class Empty:
        def get_module_map(self):
            return {}

    class Full:
        def get_module_map(self):
            return {GENERIC: "its own"}

    add_library(Empty, lambda: "the library")
    add_library(Full, lambda: "the library")
    assert Empty().get_module_map() == {GENERIC: "the library"}
    assert Full().get_module_map() == {GENERIC: "its own"}


def test_an_overflow_becomes_out_of_resources_and_other_errors_stay():
    from torch_fl.workarounds.resource_limits import translate_overflow
    from triton.runtime.errors import OutOfResources

    def compile_kernel(message):
        raise ValueError(message)

    triton = types.SimpleNamespace(compile=compile_kernel)
    translate_overflow(triton)
    with pytest.raises(OutOfResources) as caught:
        triton.compile("ub overflow, requires 3145728 bits while 1572864 bits available")
    assert (caught.value.required, caught.value.limit, caught.value.name) == (3145728, 1572864, "ub")
    with pytest.raises(ValueError, match="something else"):
        triton.compile("something else")


def test_pointers_to_bool_are_declared_as_bytes_and_kernels_linearized():
    from torch_fl.workarounds.byte_loads import declare_bytes, linearize

    utils = types.SimpleNamespace(signature_of=lambda arg, *, size_dtype: arg)
    declare_bytes(utils)
    assert [utils.signature_of(t, size_dtype=None) for t in ("*i1", "i1", "*fp32")] == ["*i8", "i1", "*fp32"]
    triton = types.SimpleNamespace(compile=lambda src, target=None, options=None: options)
    linearize(triton)
    assert triton.compile("source", options={"num_warps": 4}) == {"enable_linearize": True, "num_warps": 4}
    assert triton.compile("source", options={"enable_linearize": False}) == {"enable_linearize": False}


@pytest.mark.parametrize(
    ("source", "signature", "found"),
    [
        ("x.to(tl.int64)", [], "int64"),
        ("x.to(tl.uint64)", [], "uint64"),
        ("tl.float64", [], "float64"),
        ("x + 1", ["*fp32", "*i64"], "*i64"),
        ("x + 1", ["fp64"], "fp64"),
        ("my_int64_name", ["*fp32", "i32", "constexpr"], None),
    ],
)
def test_values_of_64_bits_are_found(source, signature, found):
    from torch_fl.workarounds.guard_64bit import wide_type

    assert wide_type(source, signature) == found


def test_a_kernel_of_64_bits_is_refused_before_it_is_compiled():
    from torch._inductor.exc import InductorError
    from torch_fl.workarounds.guard_64bit import refuse_wide_kernels

    compiled = []

    class Autotuner:
        def __init__(self, source):
            self.fn = types.SimpleNamespace(src=source, __name__="triton_poi_0")
            self.triton_meta = {"signature": {"x": "*fp32"}}

        def _precompile_config(self, config):
            compiled.append(config)

    refuse_wide_kernels(Autotuner)
    with pytest.raises(InductorError, match=r"triton_poi_0 needs int64"):
        Autotuner("x.to(tl.int64)")._precompile_config("config")
    assert not compiled
    Autotuner("x + 1")._precompile_config("config")
    assert compiled == ["config"]


def _installers():
    """Each of the repairs, with the name of what it wraps."""
    from torch_fl.workarounds import byte_loads, guard_64bit, libdevice, resource_limits

    return [
        (resource_limits.translate_overflow, "compile"),
        (byte_loads.linearize, "compile"),
        (byte_loads.declare_bytes, "signature_of"),
        (guard_64bit.refuse_wide_kernels, "_precompile_config"),
        (lambda owner: libdevice.add_library(owner, lambda: None), "get_module_map"),
    ]


def test_fifty_registrations_do_not_nest():
    owners = {name: types.SimpleNamespace(**{name: lambda *_, **__: None}) for _, name in _installers()}
    assert all(install(owners[name]) for install, name in _installers())
    before = {name: vars(owner).copy() for name, owner in owners.items()}
    for _ in range(50):
        assert not any(install(owners[name]) for install, name in _installers())
    assert {name: vars(owner) for name, owner in owners.items()} == before


@pytest.mark.cpu_memory
def test_inductor_drops_a_configuration_that_overflows_and_keeps_the_others(device, monkeypatch):
    import torch
    import triton
    from torch._inductor import config
    from torch_fl.workarounds.resource_limits import translate_overflow
    from triton.backends.cpu.compiler import CPUBackend

    made, original = [], CPUBackend._obj

    def overflow_once(self, *arguments):
        made.append(self)
        if len(made) == 1:
            raise RuntimeError("ub overflow, requires 3145728 bits while 1572864 bits available")
        return original(self, *arguments)

    monkeypatch.setattr(triton, "compile", triton.compile)  # undone after the test
    monkeypatch.setattr(triton, "_torch_fl_installed", frozenset(), raising=False)
    monkeypatch.setattr(CPUBackend, "_obj", overflow_once)
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    assert translate_overflow(triton)
    torch._dynamo.reset()
    x = torch.ones(300, 70, device=device)
    with config.patch(compile_threads=1, fx_graph_cache=False, autotune_local_cache=False):
        run = torch.compile(lambda v: v.t() * 3 + 0.125, backend="flagos", mode="max-autotune")
        assert (run(x) == 3.125).all()
    assert len(made) > 1
