"""Sizes of blocks on processors: what is chosen for which kernel, and that kernels with them are right."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from torch_fl.inductor.host_blocks import host_blocks, prefer_host_blocks  # noqa: E402
from torch_fl.profiles import find, profile  # noqa: E402

COLUMNS, ROWS = {"tiling_scores": {"x": 9, "r0_": 1}}, {"tiling_scores": {"x": 1, "r0_": 9}}


@pytest.mark.parametrize(
    "kind, sizes, meta, blocks",
    [
        ("POINTWISE", {"y": 2048, "x": 2048}, {}, {"YBLOCK": 16, "XBLOCK": 64}),
        ("POINTWISE", {"y": 8, "x": 32}, {}, {"YBLOCK": 8, "XBLOCK": 32}),
        ("POINTWISE", {"x": 1 << 20}, {}, None),
        ("REDUCTION", {"x": 4096, "r0_": 4096}, COLUMNS, {"XBLOCK": 512, "R0_BLOCK": 1}),
        ("REDUCTION", {"x": 1024, "r0_": 4096}, COLUMNS, {"XBLOCK": 128, "R0_BLOCK": 1}),
        ("REDUCTION", {"x": 8, "r0_": 4096}, {"reduction_hint": "ReductionHint.OUTER"}, {"XBLOCK": 8, "R0_BLOCK": 1}),
        ("REDUCTION", {"x": 2048, "r0_": 4096}, ROWS, {"XBLOCK": 1, "R0_BLOCK": 256}),
        ("REDUCTION", {"x": 2048, "r0_": 1 << 17}, ROWS, {"XBLOCK": 1, "R0_BLOCK": 256}),
        ("PERSISTENT_REDUCTION", {"x": 4096, "r0_": 1024}, ROWS, {"XBLOCK": 4}),
        ("PERSISTENT_REDUCTION", {"x": 4096, "r0_": 16}, ROWS, {"XBLOCK": 16}),
        ("PERSISTENT_REDUCTION", {"x": 4096, "r0_": 32}, COLUMNS, None),
        ("REDUCTION", {"x": 16, "y": 16, "r0_": 4096}, COLUMNS, None),
        ("PERSISTENT_REDUCTION", {"x": 16, "r0_": 1024}, ROWS | {"RSPLIT_SIZE": 64}, None),
    ],
)
def test_sizes(kind, sizes, meta, blocks):
    assert host_blocks(kind, sizes, meta, threads=2) == blocks


def _autotuned(monkeypatch, device, configs, **meta):
    """The block sizes that arrive at Inductor's function."""
    seen = []
    heuristics = SimpleNamespace(cached_autotune=lambda hints, configs, **_: seen.extend(configs))
    assert prefer_host_blocks(heuristics, find("host"))
    assert not prefer_host_blocks(heuristics, find("host"))
    heuristics.cached_autotune(
        {"x": 4096, "r0_": 1024},
        [SimpleNamespace(kwargs=dict(kwargs)) for kwargs in configs],
        triton_meta={"device": SimpleNamespace(type=device, multi_processor_count=2)},
        heuristic_type=SimpleNamespace(name="REDUCTION"),
        inductor_meta=COLUMNS | meta,
    )
    return [config.kwargs for config in seen]


THEIRS = [{"XBLOCK": 1, "R0_BLOCK": 2048}, {"XBLOCK": 64, "R0_BLOCK": 64}]


def test_ours_replace_theirs_on_the_host(monkeypatch):
    for device in ("flagos", "cpu"):
        assert _autotuned(monkeypatch, device, THEIRS) == [{"XBLOCK": 512, "R0_BLOCK": 1}]


def test_ours_are_tried_beside_theirs_by_tuning(monkeypatch):
    assert _autotuned(monkeypatch, "flagos", THEIRS, max_autotune=True) == [{"XBLOCK": 512, "R0_BLOCK": 1}, *THEIRS]


def test_other_devices_and_unknown_sizes_keep_theirs(monkeypatch):
    assert _autotuned(monkeypatch, "cuda", THEIRS) == THEIRS
    unknown = [{"XBLOCK": 1, "R0_BLOCK": 8, "RSPLIT": 2}]
    assert _autotuned(monkeypatch, "flagos", unknown) == unknown


def test_accelerators_keep_theirs():
    assert not prefer_host_blocks(SimpleNamespace(cached_autotune=None), find("cuda"))


@pytest.mark.skipif(profile().name != "host", reason="the sizes of the host")
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize(
    "shape, function",
    [
        ((300, 1000), lambda x: x.sum(0)),
        ((70, 33, 5), lambda x: x.amax((0, 2))),
        ((33, 5000), lambda x: x.softmax(1)),
        ((500, 70), lambda x: torch.nn.functional.layer_norm(x, (70,))),
        ((130, 70), lambda x: x.t().contiguous() + 1),
        ((64, 96), lambda x: torch.cat([x, x * 2], 1)[:, 32:160]),
        ((4, 32, 6, 16), lambda x: x.transpose(1, 2).contiguous() * 2),
    ],
)
def test_kernels_are_right(device, shape, function, dtype):
    torch.manual_seed(0)
    x = torch.randn(shape).to(dtype)
    torch._dynamo.reset()
    result = torch.compile(function, backend="flagos")(x.to(device)).cpu()
    tolerance = 2e-2 if dtype is torch.bfloat16 else 1e-4
    torch.testing.assert_close(result.float(), function(x.float()), rtol=tolerance, atol=tolerance * 4)
