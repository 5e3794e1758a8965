"""Real wheels, installed into clean environments."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from .conftest import make_environment, run

pytestmark = pytest.mark.slow

MEBIBYTE = 1 << 20
OVERLAY = "triton/backends/mthreads/spec/triton"
KERNEL = """
import numpy as np
import triton
import triton.language as tl

@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)
"""


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def contents_of(wheel: Path) -> dict[str, str]:
    """The digest of every file."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}


def run_file(environment, tmp_path: Path, code: str) -> str:
    """What the file with ``code`` prints: kernels need their source, so ``python -c`` will not do."""
    file = tmp_path / "program.py"
    file.write_text(code)
    done = run(environment.python, file, cwd=tmp_path, env={"TRITON_CACHE_DIR": str(tmp_path / "cache")})
    assert done.returncode == 0, done.stdout
    return done.stdout.strip()


def test_default_wheel_runs_a_kernel(installed, tmp_path):
    code = KERNEL + (
        "x = np.arange(1000, dtype=np.float32)\nout = np.zeros_like(x)\n"
        "add[(8,)](x, x, out, 1000, BLOCK=128)\nnp.testing.assert_array_equal(out, 2 * x)\nprint(triton.__file__)\n"
    )
    assert run_file(installed(), tmp_path, code).startswith(str(installed().folder))


def test_a_kernel_with_squeeze_runs_on_the_cpu_of_an_mthreads_wheel(installed, tmp_path):
    code = KERNEL + (
        "@triton.jit\ndef kernel(x, out, N: tl.constexpr):\n    i = tl.arange(0, N)\n"
        "    tl.store(out + i, tl.squeeze(tl.unsqueeze(tl.load(x + i), 0), 0) + 1)\n"
        "x = np.arange(64, dtype=np.float32)\nout = np.zeros_like(x)\nkernel[(1,)](x, out, 64)\n"
        "np.testing.assert_array_equal(out, x + 1)\n"
        "print(triton.runtime.driver.active.get_current_target().backend)\n"
    )
    assert run_file(installed("mthreads"), tmp_path, code) == "cpu"


def test_spec_path_resolves_inside_the_installed_overlay(installed):
    environment = installed("mthreads")
    code = "import triton.tools.compile as c, triton.tools as t; print(c.__file__); print(t.__file__)"
    overlay, trunk = environment.run(code, environment.folder).splitlines()
    assert overlay.endswith(f"{OVERLAY}/tools/compile.py") and overlay.startswith(str(environment.folder))
    assert trunk.endswith("site-packages/triton/tools/__init__.py")


def test_p1_an_environment_below_a_folder_called_triton_is_specialized(wheels, tmp_path):
    environment = make_environment(tmp_path / "triton-work" / "triton")
    environment.pip("install", "--no-deps", "--no-index", wheels.build("mthreads"), cwd=tmp_path)
    code = (
        "import triton.tools.link as link, triton.language as tl\n"
        "print(link.__file__, hasattr(tl, '_experimental_descriptor_load'))"
    )
    file, has_own_names = environment.run(code, tmp_path).split()
    assert file.endswith(f"{OVERLAY}/tools/link.py")
    assert has_own_names == "True"


def test_p9_a_wheel_without_its_overlay_says_so(wheels, tmp_path):
    with zipfile.ZipFile(wheels.build("mthreads")) as archive:
        kept = [name for name in archive.namelist() if "/spec/" not in name]
        archive.extractall(tmp_path, kept)
    done = run(sys.executable, "-c", "import triton.language", cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)})
    assert done.returncode != 0
    assert "backend 'mthreads' is selected by" in done.stdout
    assert "_flagtree_backend.py" in done.stdout and f"{OVERLAY} does not exist" in done.stdout


@pytest.mark.parametrize("backend", ["", "mthreads"])
def test_p12_the_marker_is_in_every_wheel(wheels, backend):
    with zipfile.ZipFile(wheels.build(backend)) as archive:
        marker: dict = {}
        exec(archive.read("triton/_flagtree_backend.py"), marker)
    assert marker["BACKEND"] == (backend or "cpu")
    assert marker["OVERLAY"] is bool(backend)


@pytest.mark.parametrize(("backend", "expected"), [("", {"cpu"}), ("mthreads", {"cpu", "mthreads"})])
def test_p13_a_wheel_holds_the_selected_backends_only(wheels, backend, expected):
    names = names_in(wheels.build(backend))
    found = {name.split("/")[2] for name in names if name.startswith("triton/backends/") and name.count("/") > 2}
    assert found == expected


def test_the_wheel_holds_what_its_record_lists_and_nothing_of_the_build(wheels):
    names = names_in(wheels.build("mthreads"))
    for needed in (
        "triton/FileCheck",
        "triton/language/extra/cpu/libdevice.py",
        f"{OVERLAY}/tools/ragged_tma.py",
        f"{OVERLAY}/language/__init__.py",
    ):
        assert needed in names
    assert len([name for name in names if name.startswith("triton/_C/libtriton.") and name.endswith(".so")]) == 1
    strays = [name for name in names if not re.match(r"triton/|flagtree-[^/]*\.dist-info/", name)]
    assert strays == []
    # The templates of new backends are sources on purpose.
    sources = [name for name in names if name.endswith((".toml", ".cc", ".cpp", ".h.in", ".pyc"))]
    assert not [name for name in sources if not name.startswith("triton/cli/templates/")]


def test_version_and_entry_points(installed):
    environment = installed("mthreads")
    code = (
        "from importlib.metadata import entry_points, version; print(version('flagtree'));"
        "print(sorted(e.value for e in entry_points(group='triton.backends')))"
    )
    version, points = environment.run(code, environment.folder).splitlines()
    assert version == "3.6.0+mthreads3.6"
    assert points == "['triton.backends.cpu', 'triton.backends.mthreads']"


def test_the_flagtree_command_is_installed(installed, tmp_path):
    done = run(installed("mthreads").folder / "bin" / "flagtree", "--help", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "usage: flagtree" in done.stdout


def test_filecheck_of_the_wheel_works(installed, tmp_path):
    environment = installed()
    folder = Path(environment.run("import triton; print(triton.__path__[0])", tmp_path))
    (tmp_path / "checks").write_text("CHECK: hello\n")
    command = [folder / "FileCheck", tmp_path / "checks"]
    assert subprocess.run(command, input="hello\n", text=True, check=False).returncode == 0
    assert subprocess.run(command, input="other\n", text=True, capture_output=True, check=False).returncode == 1


def test_size_of_the_wheel(wheels):
    assert wheels.build("mthreads").stat().st_size <= 35 * MEBIBYTE


def test_c6_only_the_init_function_and_what_debuggers_read_is_exported(installed, tmp_path):
    environment = installed()
    library = environment.run("import triton._C.libtriton as l; print(l.__file__)", tmp_path)
    symbols = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True)
    exported = {line.split()[-1] for line in symbols.stdout.splitlines()}
    assert exported == {"PyInit_libtriton", "__jit_debug_register_code", "__jit_debug_descriptor"}


def test_llvm_is_linked_statically(installed, tmp_path):
    environment = installed()
    library = environment.run("import triton._C.libtriton as l; print(l.__file__)", tmp_path)
    needed = subprocess.run(["ldd", library], capture_output=True, text=True, check=True).stdout
    assert "LLVM" not in needed and "MLIR" not in needed


def test_import_of_the_package_loads_neither_libtriton_nor_torch(installed, tmp_path):
    code = "import sys, triton; print([m for m in sys.modules if 'libtriton' in m or m == 'torch' or m == 'numpy'])"
    assert installed().run(code, tmp_path) == "[]"


def test_a_package_without_libtriton_says_how_to_build_it(wheels, tmp_path):
    with zipfile.ZipFile(wheels.build()) as archive:
        archive.extractall(tmp_path, [name for name in archive.namelist() if not name.endswith(".so")])
    file = tmp_path / "program.py"
    file.write_text(KERNEL + "x = np.ones(8, np.float32)\nadd[(1,)](x, x, x, 8, BLOCK=8)\n")
    done = run(sys.executable, file, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)})
    assert done.returncode != 0
    last = done.stdout.strip().splitlines()[-1]
    assert "triton/_C holds no libtriton for this Python" in last
    assert "the C++ part was not built" in last and "pip install" in last


def test_a_library_for_another_python_is_named(wheels, tmp_path):
    with zipfile.ZipFile(wheels.build()) as archive:
        archive.extractall(tmp_path, [name for name in archive.namelist() if not name.endswith(".so")])
    (tmp_path / "triton" / "_C" / "libtriton.cpython-38-x86_64-linux-gnu.so").touch()
    done = run(sys.executable, "-c", "import triton._C.libtriton", cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)})
    assert done.returncode != 0
    assert "it was built for another Python: libtriton.cpython-38-x86_64-linux-gnu.so" in done.stdout


NO_BUILD_TOOLS = """
import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("setuptools", "pkg_resources", "distutils", "packaging", "filelock", "pybind11",
                                      "scikit_build_core", "cmake", "ninja", "tomli", "wheel", "setup_tools"):
            raise ImportError(f"{name} is a tool of the build")

sys.meta_path.insert(0, Refuse())
"""


def test_what_only_the_build_needs_is_not_needed_by_kernels(installed, tmp_path):
    code = NO_BUILD_TOOLS + KERNEL + "x = np.ones(8, np.float32)\nadd[(1,)](x, x, x, 8, BLOCK=8)\nprint(x.sum())\n"
    assert run_file(installed("mthreads"), tmp_path, code) == "16.0"


@pytest.fixture
def read_only(installed, tmp_path) -> Iterator[Path]:
    """The installed package, in folders that nobody may write to."""
    package = Path(installed().run("import triton; print(triton.__path__[0])", tmp_path))
    folders = [package.parent, package, *(path for path in package.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    yield package
    for folder in folders:
        folder.chmod(0o755)


# Root may write everywhere; without these capabilities it is as bound by permissions as anybody.
AS_ANYBODY = ("setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override") if os.getuid() == 0 else ()


@pytest.mark.skipif(bool(AS_ANYBODY) and shutil.which("setpriv") is None, reason="run as root, without setpriv")
def test_read_only_site_packages_are_no_hindrance(installed, read_only, tmp_path):
    probe = [*AS_ANYBODY, sys.executable, "-c", f"open({str(read_only / 'probe')!r}, 'w')"]
    assert subprocess.run(probe, capture_output=True, check=False).returncode != 0, "the folder is not read-only"
    file = tmp_path / "program.py"
    file.write_text(
        KERNEL
        + "x = np.ones(8, np.float32)\nadd[(1,)](x, x, x, 8, BLOCK=8)\nassert x.tolist() == [2] * 8\nprint('ran')\n"
    )
    for cache, warns in ((tmp_path / "cache", False), (read_only / "cache", True)):
        env = {"TRITON_CACHE_DIR": str(cache), "HOME": str(read_only)}
        done = run(*AS_ANYBODY, installed().python, file, cwd=tmp_path, env=env)
        assert done.returncode == 0, done.stdout
        assert done.stdout.splitlines().count("ran") == 1
        assert (f"cannot write {cache}" in done.stdout) is warns


def test_a_wheel_called_triton_has_the_same_files(sources, wheels, tmp_path):
    """From the tree of the wheel called flagtree, so nothing is compiled."""
    done = run(
        *(sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "-v", "-w", tmp_path, "."),
        cwd=sources,
        env={"FLAGTREE_WHEEL_NAME": "triton", "FLAGTREE_BACKEND": "mthreads"},
    )
    assert done.returncode == 0, done.stdout[-4000:]
    assert "Building CXX object" not in done.stdout
    (wheel,) = tmp_path.glob("triton-3.6.0+mthreads3.6-*.whl")
    renamed = {name.replace("triton-3.6.0+", "flagtree-3.6.0+") for name in names_in(wheel)}
    assert renamed == names_in(wheels.build("mthreads"))


def test_sdist_holds_all_sources_and_makes_the_same_wheel(sources, wheels, tmp_path):
    done = run(*(sys.executable, "-m", "build", "--no-isolation", "--sdist", "--outdir", tmp_path, "."), cwd=sources)
    assert done.returncode == 0, done.stdout[-4000:]
    (archive,) = tmp_path.glob("*.tar.gz")
    run("tar", "xzf", archive, "-C", tmp_path, cwd=tmp_path)
    (folder,) = (path for path in tmp_path.iterdir() if path.is_dir())
    for file in ("third_party/mthreads/backend.toml", "third_party/cpu/backend.toml", "cmake/AddTriton.cmake"):
        assert (folder / file).is_file(), file
    assert not list(folder.glob("python/triton/backends/mthreads")), "links are left out"
    done = run(
        *(sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "-w", tmp_path / "w", folder),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    (wheel,) = (tmp_path / "w").glob("*.whl")
    assert contents_of(wheel) == contents_of(wheels.build())
