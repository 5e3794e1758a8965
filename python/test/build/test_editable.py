"""Editable installs: links, a plain .pth, and a second one that compiles nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .conftest import make_environment, run

pytestmark = pytest.mark.slow

INSTALL = ("install", "--no-build-isolation", "--no-deps", "--no-index", "-v", "-e", ".")
COMPILED = re.compile(r"Building CXX object \S+")


@pytest.fixture(scope="module")
def first(sources, tmp_path_factory):
    """An environment with an editable install of mthreads, and what pip printed."""
    environment = make_environment(tmp_path_factory.mktemp("editable") / "venv")
    output = environment.pip(*INSTALL, cwd=sources, env={"FLAGTREE_BACKEND": "mthreads"})
    return environment, output


def test_it_is_a_plain_path_file(first, sources):
    environment, _ = first
    purelib = Path(environment.run("import sysconfig; print(sysconfig.get_path('purelib'))", sources))
    (file,) = purelib.glob("__editable__*.pth")
    assert file.read_text().strip() == str(sources / "python")


def test_files_are_those_of_the_checkout(first, sources, tmp_path):
    environment, _ = first
    code = "import triton.backends.mthreads as m, triton.tools.compile as c; print(m.__file__); print(c.__file__)"
    backend, overlay = environment.run(code, tmp_path).splitlines()
    assert backend == str(sources / "python/triton/backends/mthreads/__init__.py")
    assert Path(overlay).resolve() == sources / "third_party/mthreads/backend/spec/triton/tools/compile.py"


def test_second_install_compiles_nothing(first, sources):
    environment, _ = first
    output = environment.pip(*INSTALL, cwd=sources, env={"FLAGTREE_BACKEND": "mthreads"})
    assert COMPILED.findall(output) == []
    assert "ninja: no work to do" in output


def test_switching_the_backend_removes_the_other_and_says_so(first, sources, tmp_path):
    environment, _ = first
    output = environment.pip(*INSTALL, cwd=sources)
    assert "removed the link python/triton/backends/mthreads" in output
    code = "import triton.backends as b, triton._flagtree_backend as m; print(list(b.backends), m.BACKEND)"
    assert environment.run(code, tmp_path) == "['cpu'] cpu"


def test_loading_setup_py_changes_nothing(sources):
    def state():
        return {path: path.stat().st_mtime_ns for path in sources.rglob("*") if "__pycache__" not in path.parts}

    run("python", "setup.py", "--version", cwd=sources)  # makes the folder of bytecode
    before = state()
    done = run("python", "setup.py", "--version", cwd=sources, env={"FLAGTREE_BACKEND": "mthreads"})
    assert done.stdout.strip() == "3.6.0+mthreads3.6"
    assert state() == before


def test_the_distribution_can_be_renamed(sources):
    done = run("python", "setup.py", "--name", cwd=sources, env={"FLAGTREE_WHEEL_NAME": "triton"})
    assert done.stdout.strip() == "triton"


def test_language_servers_find_the_compile_commands(first, sources):
    commands = sources / "compile_commands.json"
    assert commands.is_symlink()
    assert "libtriton" in commands.read_text()


def test_an_unknown_backend_stops_pip_with_the_nearest_name(first, sources):
    environment, _ = first
    done = run(environment.python, "-m", "pip", *INSTALL, cwd=sources, env={"FLAGTREE_BACKEND": "mthread"})
    assert done.returncode != 0
    assert "FLAGTREE_BACKEND=mthread: there is no such backend. Did you mean 'mthreads'?" in done.stdout
