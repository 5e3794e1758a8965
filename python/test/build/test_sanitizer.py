"""Builds with AddressSanitizer: what is compiled, and what Python says where the runtime is not loaded.

Compiling all of it takes too long for a test; `docs/build.md` has the commands that do it.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from .conftest import ROOT, run

SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")


def test_every_file_is_compiled_with_it_and_the_note_is_installed(tmp_path):
    tree = tmp_path / "build"
    done = run(
        *("cmake", "-G", "Ninja", "-S", ROOT, "-B", tree, "-DTRITON_SANITIZE=address", "-DTRITON_DEVELOP=OFF"),
        f"-DPython3_EXECUTABLE={sys.executable}",
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    commands = json.loads((tree / "compile_commands.json").read_text())
    assert len(commands) > 50
    assert [entry["file"] for entry in commands if "-fsanitize=address" not in entry["command"]] == []
    (note,) = tree.rglob(f"libtriton{SUFFIX}.asan")
    libraries = note.read_text().strip().split(":")
    assert len(libraries) == 2 and all(Path(library).is_file() for library in libraries)
    assert f'{note}"' in (tree / "cmake_install.cmake").read_text()


def test_another_sanitizer_is_refused(tmp_path):
    done = run("cmake", "-G", "Ninja", "-S", ROOT, "-B", tmp_path / "b", "-DTRITON_SANITIZE=memory", cwd=tmp_path)
    assert done.returncode != 0
    assert "TRITON_SANITIZE=memory is not known. It is address, or empty" in " ".join(done.stdout.split())


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package _C with the note of a sanitized build. Its libtriton is no library."""
    package = tmp_path / "_C"
    package.mkdir()
    shutil.copy2(ROOT / "python/triton/_C/__init__.py", package)
    (package / f"libtriton{SUFFIX}").touch()
    return package


def runtime() -> str | None:
    """The runtime of this machine's compiler."""
    compiler = shutil.which("c++")
    if compiler is None:
        return None
    path = subprocess.run([compiler, "-print-file-name=libasan.so"], capture_output=True, text=True, check=True).stdout
    return str(Path(path.strip()).resolve()) if path.startswith("/") else None


def test_import_without_the_runtime_says_how_to_load_it(package, tmp_path):
    (package / f"libtriton{SUFFIX}.asan").write_text("/usr/lib/libasan.so.8:/usr/lib/libstdc++.so.6\n")
    done = run(sys.executable, "-c", "import _C", cwd=tmp_path)
    assert done.returncode == 1
    assert "ImportError: this libtriton was built with AddressSanitizer" in done.stdout
    expected = "LD_PRELOAD=/usr/lib/libasan.so.8:/usr/lib/libstdc++.so.6 ASAN_OPTIONS=detect_leaks=0:"
    assert f"{expected}allow_user_poisoning=0 {sys.executable} ..." in done.stdout


@pytest.mark.skipif(runtime() is None, reason="this machine's compiler has no libasan")
def test_with_the_runtime_import_goes_on(package, tmp_path):
    (package / f"libtriton{SUFFIX}.asan").write_text(f"{runtime()}\n")
    env = {"LD_PRELOAD": runtime() or "", "ASAN_OPTIONS": "detect_leaks=0"}
    done = run(sys.executable, "-c", "import _C; print('imported')", cwd=tmp_path, env=env)
    assert done.stdout.strip() == "imported"


def test_other_builds_are_not_asked(package, tmp_path):
    (package / "libtriton.cpython-38-x86_64-linux-gnu.so.asan").touch()
    done = run(sys.executable, "-c", "import _C; print('imported')", cwd=tmp_path)
    assert done.stdout.strip() == "imported"
