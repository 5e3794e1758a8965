"""The helpers that tests of kernels import from `triton._internal_testing`."""

import numpy as np
import pytest
import triton._internal_testing as helpers
import triton.language as tl
from triton import knobs
from triton.backends.compiler import GPUTarget


@pytest.mark.parametrize(
    ("target", "true"),
    [
        (GPUTarget("cpu", "", 1), {"is_cpu", "supports_tma"}),
        (GPUTarget("cuda", 80, 32), {"is_cuda", "is_ampere_or_newer"}),
        (
            GPUTarget("cuda", 90, 32),
            {"is_cuda", "is_ampere_or_newer", "is_hopper", "is_hopper_or_newer", "supports_tma"},
        ),
        (GPUTarget("hip", "gfx942", 64), {"is_hip", "supports_tma"}),
        (None, {"supports_tma"}),
    ],
    ids=["cpu", "ampere", "hopper", "hip", "interpreter"],
)
def test_devices(monkeypatch, target, true):
    monkeypatch.setattr(helpers, "get_current_target", lambda: target)
    names = [name for name in vars(helpers) if name.startswith(("is_", "supports_")) and name != "is_interpreter"]
    assert {name for name in names if getattr(helpers, name)()} == true


@pytest.mark.parametrize("name", [*helpers.dtypes_with_bfloat16, "bool", "float8_e5m2", "float8_e4m3fn"])
def test_values_survive_the_way_through_torch(name):
    torch = pytest.importorskip("torch")
    values = helpers.numpy_random(100, name)
    tensor = helpers.to_triton(values, dst_type=name)
    bare = helpers.unwrap_tensor(tensor)
    assert isinstance(bare, torch.Tensor) and len(bare) == 100
    if "float8" in name:
        floats = bare.view(getattr(torch, name)).float()
        assert bool((floats > 0).all()) and bool(floats.isfinite().all())
    else:
        np.testing.assert_array_equal(helpers.to_numpy(tensor), values)


def test_types_of_names():
    names = {"bool": tl.int1, "float32": tl.float32, "uint8": tl.uint8, "float8_e4m3fn": tl.float8e4nv}
    assert {name: helpers.str_to_triton_dtype(name) for name in names} == names


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="unknown type 'float31'"):
        helpers.numpy_random(3, "float31")


def test_fresh_knobs(monkeypatch):
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    start, stop = helpers._fresh_knobs_impl()
    assert start() is knobs and not knobs.compilation.always_compile
    stop()
    assert knobs.compilation.always_compile
