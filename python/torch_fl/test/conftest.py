"""Tests of the device. They skip, with the reason, where torch or the built extension is missing."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path

import pytest


def _absent() -> str | None:
    if importlib.util.find_spec("torch") is None:
        return "torch is not installed"
    if importlib.util.find_spec("torch_fl._C") is None:
        return "the extension of torch_fl is not built: pip install --no-build-isolation python/torch_fl"
    return None


_REASON = _absent()
_FOLDER = Path(__file__).parent


def _memory() -> str:
    """The device whose memory `flagos` has here: ``cpu`` or ``cuda``."""
    return importlib.import_module("torch_fl").profile().memory


def _has_cpu_backend() -> bool:
    """Whether the Triton that is there compiles for processors, as FlagTree's does and others do not."""
    found = importlib.util.find_spec("triton")
    return found is not None and any(
        (Path(part) / "backends" / "cpu").is_dir() for part in found.submodule_search_locations
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "cpu_backend: needs Triton's backend for the CPU, whatever the device's memory")
    for name in ("cpu", "cuda"):
        config.addinivalue_line("markers", f"{name}_memory: only where the device lives in the memory of {name}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    memory = None if _REASON else _memory()
    has_cpu_backend = _has_cpu_backend()
    for item in (item for item in items if _FOLDER in item.path.parents):
        if _REASON:
            item.add_marker(pytest.mark.skip(reason=_REASON))
        elif any(mark.name.endswith("_memory") and mark.name != f"{memory}_memory" for mark in item.iter_markers()):
            item.add_marker(pytest.mark.skip(reason=f"the device lives in the memory of {memory}"))
        elif item.get_closest_marker("cpu_backend") and not has_cpu_backend:
            item.add_marker(pytest.mark.skip(reason="this Triton has no backend for the CPU"))


@pytest.fixture(scope="session")
def memory(device: str) -> str:
    """The device whose memory `flagos` has here, and whose operators run on it: ``cpu`` or ``cuda``."""
    return _memory()


@pytest.fixture(scope="session", autouse=True)
def device() -> str:
    """The device's name, once it is registered."""
    if _REASON:
        pytest.skip(_REASON)
    importlib.import_module("torch_fl")
    # Results are compared with those of the CPU, in its precision.
    importlib.import_module("torch").backends.cudnn.allow_tf32 = False
    return "flagos"
