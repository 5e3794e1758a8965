"""Loads the C++ extension, and says what is wrong where it does not fit."""

from __future__ import annotations

import importlib
import importlib.util
from types import ModuleType

import torch

from .profiles import Profile

OLDEST, NEWEST = (2, 11), (2, 13)
_REBUILD = "Build it again: pip install --no-build-isolation --force-reinstall --no-deps python/torch_fl"


class ExtensionError(ImportError):
    """The extension is missing or belongs to another torch, or this torch is none that it can be built for."""


def minor_version(text: str) -> tuple[int, int]:
    """``(2, 13)`` for ``2.13.0+cpu``: what the binary interface of torch depends on."""
    major, minor = text.split("+")[0].split(".")[:2]
    return int(major), int(minor)


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


def check_memory(profile: Profile, running: str) -> None:
    """ExtensionError if the platform's memory is that of a device which this torch was built without."""
    if profile.memory == "cuda" and not (torch.version.cuda or torch.version.hip):
        raise ExtensionError(
            f"torch_fl: platform {profile.name!r} lives in the memory of CUDA, and torch {running} was built without "
            f"it. Install a torch for the hardware, or unset ACCELERATOR"
        )


def load(profile: Profile) -> ModuleType:
    """The extension ``torch_fl._C``. ExtensionError if it is missing, or does not fit this torch or its hardware."""
    check_supported(torch.__version__)
    if importlib.util.find_spec("torch_fl._C") is None or importlib.util.find_spec("torch_fl._built_for") is None:
        raise ExtensionError(f"torch_fl: the extension torch_fl._C is missing. {_REBUILD}")
    built_for = importlib.import_module("torch_fl._built_for").TORCH_VERSION
    check_versions(built_for, torch.__version__)
    check_memory(profile, torch.__version__)
    try:
        extension = importlib.import_module("torch_fl._C")
    except ImportError as error:
        raise ExtensionError(
            f"torch_fl: the extension, built for torch {built_for}, cannot be loaded into torch {torch.__version__}: "
            f"{error}. {_REBUILD}"
        ) from error
    extension.start(profile.memory)
    return extension
