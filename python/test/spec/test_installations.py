"""What users of installations complained about: prerequisites at run time, read-only folders, missing files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .linked import ROOT, link_installation

KERNEL = """
import numpy as np
import triton
import triton.language as tl

@triton.jit
def add_one(x, N: tl.constexpr):
    tl.store(x + tl.arange(0, N), tl.load(x + tl.arange(0, N)) + 1)

x = np.zeros(16, np.float32)
add_one[(1,)](x, 16)
print(x.sum())
"""
# Makes writing below a folder fail as on a read-only file system: the tests may run as root, whom modes do not stop.
READ_ONLY = """
import os, sys
root = os.path.realpath({root!r})

def guard(event, args):
    paths = [a for a in args if isinstance(a, (str, bytes, os.PathLike))]
    if event == "open":
        writes = (isinstance(args[1], str) and set(args[1]) & set("wax+")) or args[2] & (os.O_WRONLY | os.O_RDWR)
        paths = paths[:1] if writes else []
    elif event not in ("os.mkdir", "os.rename", "os.remove", "os.symlink", "os.link", "os.rmdir", "os.truncate"):
        paths = []
    for path in paths:
        if os.path.realpath(os.fsdecode(path)).startswith(root):
            raise OSError(30, "Read-only file system", os.fsdecode(path))

sys.dont_write_bytecode = True
sys.addaudithook(guard)
"""


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    return link_installation(tmp_path_factory.mktemp("installation") / "site-packages", "mthreads")


def test_running_needs_none_of_the_build_dependencies(installation, tmp_path):
    lines = (ROOT / "requirements-build.txt").read_text().splitlines()
    names = [line.split(">")[0].split(";")[0].strip().replace("-", "_") for line in lines if line[:1].isalpha()]
    assert "setuptools" in names and "pybind11" in names
    code = f"import sys\nfor name in {[*names, 'pkg_resources', 'setup_tools']!r}: sys.modules[name] = None\n{KERNEL}"
    assert installation.output(code, TRITON_CACHE_DIR=str(tmp_path)) == "16.0"


def test_a_read_only_installation_works(installation, tmp_path):
    code = READ_ONLY.format(root=str(installation.root)) + KERNEL
    assert installation.output(code, TRITON_CACHE_DIR=str(tmp_path)) == "16.0"


def test_the_guard_of_the_test_above_refuses_writing(installation):
    code = READ_ONLY.format(root=str(installation.root)) + f"open({str(installation.root / 'new')!r}, 'w')"
    assert "Read-only file system" in installation.run(code).stderr


@pytest.mark.parametrize("words", [["doctor", "--no-build"], ["backends"], ["spec", "check"], ["cache", "size"]])
def test_the_command_changes_nothing_in_a_read_only_installation(installation, tmp_path, words):
    code = READ_ONLY.format(root=str(installation.root)) + f"from triton.cli import main\nmain({words!r})"
    done = installation.run(code, TRITON_CACHE_DIR=str(tmp_path))
    assert done.returncode == 0 and done.stderr == "" and "Read-only" not in done.stdout


def test_a_package_without_filecheck_imports_and_says_where_it_was_looked_for(installation, tmp_path):
    code = """
        import os, triton._filecheck as f
        f._NAMES = ("no-such-program",)
        try:
            f.filecheck_path()
        except FileNotFoundError as error:
            print(error)
    """
    text = installation.output(code, PATH=str(tmp_path))
    assert f"FileCheck is neither at {installation.package}/no-such-program nor on PATH" in text


def test_filecheck_is_found_by_the_suffix_of_the_platform(tmp_path):
    code = "import sys; sys.platform = 'win32'; import triton._filecheck as f; print(f._NAMES)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == "('FileCheck.exe',)"


def test_p11_an_overlay_copy_of_filecheck_finds_the_program(installation):
    """The specialization's copy of a trunk file lies five folders deeper than the program."""
    if not (installation.package / "FileCheck").exists():  # a checkout that was not built
        (installation.package / "FileCheck").touch(mode=0o755)
    code = """
        import importlib.util, shutil, sys, triton, triton.flagtree_spec as s
        copy = importlib.util.spec_from_file_location("triton._filecheck", s.overlay_dir() + "/_filecheck_copy.py")
        copy.loader.get_data = lambda path: open(triton.__path__[0] + "/_filecheck.py", "rb").read()
        copy.loader.path_stats = lambda path: {"mtime": 0, "size": 0}
        module = importlib.util.module_from_spec(copy)
        sys.modules["triton._filecheck"] = module
        copy.loader.exec_module(module)
        print(module.__file__)
        print(module.filecheck_path())
    """
    file, program = installation.output(code, PATH="/nowhere").splitlines()
    assert "/spec/triton/" in file and Path(program) == installation.package / "FileCheck"


def test_p11_no_file_that_an_overlay_can_replace_looks_beside_itself():
    """``__file__`` of a copy is another folder: specialised packages take their paths from ``triton``."""
    found = []
    for package in ("compiler", "language", "runtime", "tools"):
        for file in (ROOT / "python" / "triton" / package).rglob("*.py"):
            if not any(parent.is_symlink() for parent in file.parents):
                for number, line in enumerate(file.read_text().splitlines(), 1):
                    if "__file__" in line.partition("#")[0]:
                        found.append(f"{file.relative_to(ROOT)}:{number}: {line.strip()}")
    # Asked of another module.
    others = ("triton.__file__", 'sys.modules["triton"]', "sys.modules[module]", "ast.__file__")
    assert [line for line in found if not any(word in line for word in others)] == []


def test_p11_errors_hide_the_frames_of_an_overlays_compiler_files(installation):
    """As they hide those of the trunk's: the message ends at the user's line."""
    code = """
        import os, types
        from triton.compiler import traceback_filter as t
        from triton.flagtree_spec import overlay_dir
        def frame(path):
            code = types.SimpleNamespace(co_filename=path)
            return types.SimpleNamespace(tb_frame=types.SimpleNamespace(f_code=code))
        folders = (os.path.dirname(t.__file__), os.path.join(overlay_dir(), "compiler"), overlay_dir(), "/home/user")
        print([t._is_compiler_frame(frame(folder + "/x.py")) for folder in folders])
    """
    assert installation.output(code) == "[True, True, False, False]"
