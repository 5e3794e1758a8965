"""Settings of the trunk that the CPU backend follows."""

import numpy as np
import pytest
import triton
import triton.language as tl
from triton import knobs


@triton.jit
def square(x_ptr, out_ptr):
    at = tl.arange(0, 16)
    x = tl.load(x_ptr + at)
    tl.store(out_ptr + at, x * x - 1)


@pytest.fixture(autouse=True)
def fresh(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    with knobs.runtime.scope(), knobs.language.scope():
        yield


def compiled(**options):
    return square.warmup(np.zeros(16, np.float32), np.zeros(16, np.float32), grid=(1,), **options)


def test_another_processor():
    knobs.runtime.override_arch = (
        "x86-64-v2" if "x86" in compiled().asm["llir"].split("target triple", 1)[1] else "cortex-a53"
    )
    kernel = compiled()
    assert kernel.metadata.arch == knobs.runtime.override_arch
    knobs.runtime.override_arch = None
    assert compiled().hash != kernel.hash


def test_unknown_processor_is_named():
    knobs.runtime.override_arch = "z80"
    with pytest.raises(ValueError, match="'z80' is not known"):
        compiled()


@pytest.mark.parametrize(
    ("default", "disabled", "option", "expected"),
    [(True, False, None, True), (False, False, None, False), (False, False, True, True), (True, True, True, False)],
)
def test_fusion(default, disabled, option, expected):
    knobs.language.default_fp_fusion, knobs.language.force_disable_fp_fusion = default, disabled
    assert compiled(enable_fp_fusion=option).metadata.enable_fp_fusion is expected


def test_products_and_sums_round_one_by_one():
    x, out = np.full(16, 1 + 2**-12, np.float32), np.zeros(16, np.float32)
    for fusion in (True, False):
        square[(1,)](x, out, enable_fp_fusion=fusion)
        np.testing.assert_array_equal(out, x * x - np.float32(1))
