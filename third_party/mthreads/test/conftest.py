"""The package as an installation for this backend sees it, and a driver library without a device."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
HERE = Path(__file__).resolve().parent
sys.path.append(str(ROOT / "python" / "test"))

from spec.linked import Installation, link_installation  # noqa: E402


@pytest.fixture(scope="session")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    return link_installation(tmp_path_factory.mktemp("mthreads"), "mthreads")


@pytest.fixture(scope="session")
def fake_musa(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A shared library with the driver functions of MUSA that writes its launches to a file."""
    library = tmp_path_factory.mktemp("musa") / "libmusa.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, HERE / "fake_musa.c"], check=True)
    return library


@pytest.fixture(scope="session")
def compiler(installation: Installation) -> Installation:
    """The installation, if libtriton holds this backend's part."""
    from triton._C import libtriton

    if not hasattr(libtriton, "mthreads"):
        pytest.skip("libtriton was built without the mthreads backend (TRITON_BACKENDS)")
    return installation
