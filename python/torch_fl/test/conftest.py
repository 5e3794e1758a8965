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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if _REASON:
        for item in (item for item in items if _FOLDER in item.path.parents):
            item.add_marker(pytest.mark.skip(reason=_REASON))


@pytest.fixture(scope="session", autouse=True)
def device() -> str:
    """The device's name, once it is registered."""
    if _REASON:
        pytest.skip(_REASON)
    importlib.import_module("torch_fl")
    return "flagos"
