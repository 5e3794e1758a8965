"""Loads the C++ extension, and says what is wrong where it does not fit."""

from __future__ import annotations

import importlib
import importlib.util
from types import ModuleType

import torch

OLDEST, NEWEST = (2, 11), (2, 13)
_REBUILD = "Build it again: pip install --no-build-isolation --force-reinstall --no-deps python/torch_fl"


class ExtensionError(ImportError):
    """The extension is missing, or belongs to another torch."""


def minor_version(text: str) -> tuple[int, ...]:
    """``(2, 13)`` for ``2.13.0+cpu``: what the binary interface of torch depends on."""
    return tuple(int(part) for part in text.split("+")[0].split(".")[:2])


def check_supported(running: str) -> None:
    """ExtensionError unless the device has been tried with this version of torch."""
    if not OLDEST <= minor_version(running) <= NEWEST:
        between = " to ".join(".".join(map(str, version)) for version in (OLDEST, NEWEST))
        raise ExtensionError(
            f"torch_fl works with torch {between}, and this is torch {running}. Install one of those: "
            f"pip install 'torch~={NEWEST[0]}.{NEWEST[1]}.0'"
        )


def check_versions(built_for: str, running: str) -> None:
    """ExtensionError unless an extension built for one version of torch works in the other."""
    if minor_version(built_for) != minor_version(running):
        raise ExtensionError(
            f"torch_fl: the extension was built for torch {built_for}, and this is torch {running}. {_REBUILD}"
        )


def load() -> ModuleType:
    """The extension ``torch_fl._C``. ExtensionError if it is missing or belongs to another torch."""
    check_supported(torch.__version__)
    if importlib.util.find_spec("torch_fl._C") is None or importlib.util.find_spec("torch_fl._built_for") is None:
        raise ExtensionError(f"torch_fl: the extension torch_fl._C is missing. {_REBUILD}")
    built_for = importlib.import_module("torch_fl._built_for").TORCH_VERSION
    check_versions(built_for, torch.__version__)
    try:
        return importlib.import_module("torch_fl._C")
    except ImportError as error:
        raise ExtensionError(
            f"torch_fl: the extension, built for torch {built_for}, cannot be loaded into torch {torch.__version__}: "
            f"{error}. {_REBUILD}"
        ) from error
