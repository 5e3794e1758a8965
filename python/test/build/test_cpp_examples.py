"""The example backends with C++: each is built once, through ``TRITON_PLUGIN_DIRS``, and then does what it says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from .conftest import ROOT, VirtualEnvironment, Wheels, make_environment, run

EXAMPLES = ROOT / "examples" / "backends"
LIT = (sys.executable, "-c", "import lit.main; lit.main.main()", "-v")


def newest_tool(name: str) -> Path | None:
    """A tool that was built in this checkout without the overlay; None where there is none."""
    trees = (tree for tree in ROOT.glob("build/*") if not tree.name.startswith("overlay"))
    found = [path for tree in trees for path in tree.glob(f"**/bin/{name}/{name}")]
    return max(found, key=lambda path: path.stat().st_mtime, default=None)


def test_the_trunk_does_none_of_what_the_overlay_does():
    tool = newest_tool("triton-opt")
    if tool is None:
        pytest.skip("triton-opt has not been built in this checkout")
    folder = EXAMPLES / "overlay" / "test"
    done = run(*LIT, "-Dexpect=TRUNK", folder, cwd=ROOT, env={"TRITON_OPT": str(tool)})
    assert done.returncode == 0, done.stdout
    assert "Unsupported: 2" in done.stdout and "Passed     : 6" in done.stdout


def test_kernels_without_the_overlay_show_the_default(tmp_path):
    if not any(ROOT.glob("python/triton/_C/libtriton.*")):
        pytest.skip("libtriton has not been built in this checkout")
    folder = EXAMPLES / "overlay"
    command = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", folder, folder / "test")
    env = {"TRITON_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(ROOT / "python")}
    done = run(sys.executable, *command, cwd=folder, env=env)
    assert "11 passed, 1 skipped" in done.stdout, done.stdout


@dataclass
class Example:
    """An example that was built and installed. `changed`: files outside of the build folder that the build touched."""

    name: str
    folder: Path
    tree: Path
    wheel: Path
    environment: VirtualEnvironment
    changed: set[str]

    def target(self, name: str) -> None:
        done = run("cmake", "--build", self.tree, "--target", name, cwd=self.tree)
        assert done.returncode == 0, done.stdout[-6000:]

    def pytest(self, cache: Path) -> str:
        command = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", self.folder, self.folder / "test")
        done = run(self.environment.python, *command, cwd=self.folder, env={"TRITON_CACHE_DIR": str(cache)})
        assert done.returncode == 0, done.stdout
        return done.stdout

    def lit(self) -> str:
        self.target("triton-opt")
        tools = {
            "TRITON_OPT": f"{self.tree}/bin/triton-opt/triton-opt",
            "FILECHECK": f"{self.tree}/bin/FileCheck/FileCheck",
        }
        done = run(*LIT, self.folder / "test", cwd=self.folder, env=tools)
        assert done.returncode == 0, done.stdout
        return done.stdout


def snapshot(root: Path) -> dict[str, int]:
    """Modification times of the files below `root`, except its build folder and bytecode."""
    files = (path for path in root.rglob("*") if path.is_file() and path.parent.name != "__pycache__")
    files = (path for path in files if path.relative_to(root).parts[0] != "build")
    return {path.relative_to(root).as_posix(): path.stat().st_mtime_ns for path in files}


@pytest.fixture(scope="session", params=["overlay", "full"])
def example(request, sources: Path, wheels: Wheels, tmp_path_factory: pytest.TempPathFactory) -> Example:
    name = request.param
    before = snapshot(sources)
    wheel = wheels.build(name)
    after = snapshot(sources)
    environment = make_environment(tmp_path_factory.mktemp(name) / "venv")
    environment.pip("install", "--no-deps", "--no-index", wheel, cwd=environment.folder)
    (tree,) = sources.glob(f"build/{name}+cpu/cmake-*")
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    return Example(name, sources / "examples" / "backends" / name, tree, wheel, environment, changed)


@pytest.mark.slow
def test_kernels_are_compiled_by_the_backend(example, tmp_path):
    assert re.search(r"^\d+ passed in", example.pytest(tmp_path), re.MULTILINE)


@pytest.mark.slow
def test_passes_and_verifiers_are_the_backends(example):
    found = dict(re.findall(r"(\w+) *: (\d+)", example.lit()))
    assert found.get("Passed") == {"overlay": "7", "full": "2"}[example.name]
    assert "Failed" not in found


@pytest.mark.slow
def test_c4_the_documentation_is_of_what_was_built(example):
    example.target("triton-doc")
    text = {path.name: path.read_text() for path in (example.tree / "docs").glob("*.md")}
    assert ("max-factor" in text["TritonPasses.md"]) == (example.name == "overlay")
    assert ("full.md" in text) == ("FullPasses.md" in text) == (example.name == "full")
    if example.name == "full":
        assert "### `full.saturate`" in text["full.md"]


@pytest.mark.slow
def test_c5_a_build_writes_into_its_build_folder_only(example):
    assert example.changed == set()


@pytest.mark.slow
def test_c5_an_installation_can_be_moved(example, tmp_path):
    with zipfile.ZipFile(example.wheel) as archive:
        archive.extractall(tmp_path / "elsewhere")
        library = next(name for name in archive.namelist() if re.match(r"triton/_C/libtriton\..*\.so$", name))
        content = archive.read(library)
    assert str(example.tree).encode() not in content and b"site-packages" not in content
    file = tmp_path / "kernel.py"
    file.write_text(
        "import numpy as np, triton, triton.language as tl\n"
        "@triton.jit\ndef one(x):\n    tl.store(x, 1)\n"
        "x = np.zeros(1, np.int32)\nkernel = one[(1,)](x)\n"
        "print(x[0], kernel.metadata.target.backend, triton.__file__)\n"
    )
    env = {"PYTHONPATH": str(tmp_path / "elsewhere"), "TRITON_CACHE_DIR": str(tmp_path / "cache")}
    done = run(sys.executable, file, cwd=tmp_path, env=env)
    assert done.stdout.split() == ["1", example.name, f"{tmp_path}/elsewhere/triton/__init__.py"], done.stdout


@pytest.mark.slow
def test_c6_only_the_init_function_and_the_list_of_objects_are_exported(example):
    (library,) = example.environment.folder.glob("lib/python*/site-packages/triton/_C/libtriton*.so")
    nm = shutil.which("nm") or "/usr/lib/llvm-22/bin/llvm-nm"
    symbols = subprocess.run([nm, "-D", "--defined-only", library], capture_output=True, text=True, check=True)
    # The other two are what debuggers look for.
    expected = {"PyInit_libtriton", "__jit_debug_register_code", "__jit_debug_descriptor"}
    assert {line.split()[-1] for line in symbols.stdout.splitlines()} == expected


@pytest.mark.slow
def test_the_wheel_holds_no_sources_of_the_backend(example):
    with zipfile.ZipFile(example.wheel) as archive:
        names = archive.namelist()
    assert f"triton/backends/{example.name}/compiler.py" in names
    assert not [name for name in names if os.path.splitext(name)[1] in (".cpp", ".cc", ".h", ".td", ".toml", ".mlir")]
