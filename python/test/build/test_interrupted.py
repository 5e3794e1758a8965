"""Builds that are killed half-way, and two at once in one checkout."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import sysconfig
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from setup_tools.locking import exclusive

from .archives import artifact_of, manifest_lines, toolchain
from .checkout import INSTALL, Checkout, kill_all, make_checkout, wait_for
from .conftest import ROOT, make_environment, run
from .test_install_modes import libtriton

PLATFORM = sysconfig.get_platform()


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    checkout = make_checkout(tmp_path / "checkout")
    checkout.backend("acme")
    checkout.write("third_party/acme/CMakeLists.txt")
    return checkout


@pytest.fixture
def start(checkout: Checkout) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """``checkout.start_wheel``; what still runs when the test ends is killed."""
    started: list[subprocess.Popen[bytes]] = []

    def call(folder: Path, log: Path, env: dict[str, str]) -> subprocess.Popen[bytes]:
        started.append(checkout.start_wheel(folder, log, env))
        return started[-1]

    yield call
    for process in started:
        if process.poll() is None:
            kill_all(process)


def held_up(checkout: Checkout, gate: Path) -> dict[str, str]:
    """An environment in which the compilation of d.cpp waits until ``gate`` exists."""
    wait = f"while [ ! -e {gate} ]; do sleep 0.05; done"
    tool = checkout.write("slow", f'#!/bin/sh\ncase "$*" in *d.cpp*) {wait};; esac\nexec "$@"\n')
    tool.chmod(0o755)
    return {"CMAKE_CXX_COMPILER_LAUNCHER": str(tool)}


def check_wheel(folder: Path, backends: str = "host") -> None:
    """The one wheel in ``folder`` is whole, and its library says what it was built for."""
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
        archive.extractall(folder / "content")
    assert libtriton(folder / "content")["backends"] == backends


@pytest.mark.slow
def test_a_build_killed_while_it_compiles_goes_on_where_it_was(checkout, start, tmp_path):
    env = held_up(checkout, tmp_path / "gate")
    process = start(tmp_path / "killed", tmp_path / "log", env)
    objects = checkout.root / "build"
    wait_for(lambda: len(list(objects.rglob("[abc].cpp.o"))) == 3)
    kill_all(process)
    assert not list((tmp_path / "killed").glob("*.whl"))
    # A compiler that was killed leaves half a file; the next build must not take it for whole.
    (half,) = objects.glob("*/cmake-*/CMakeFiles/libtriton.dir")
    (half / "d.cpp.o").write_bytes(b"\x7fELF")
    (tmp_path / "gate").touch()
    done = checkout.wheel(tmp_path / "again", env)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "d.cpp.o" in done.stdout and "a.cpp.o" not in done.stdout, "what was built is kept"
    assert "waiting until it is done" not in done.stdout, "the lock died with its holder"
    check_wheel(tmp_path / "again")


@pytest.mark.slow
def test_whatever_killed_builds_left_the_next_one_is_right(checkout, tmp_path):
    environment = make_environment(tmp_path / "venv")
    install = (*INSTALL, "-e", ".")
    environment.pip(*install, cwd=checkout.root)
    (tree,) = checkout.root.glob("build/host/cmake-*")
    (library,) = checkout.root.glob("python/triton/_C/libtriton*")
    (record,) = checkout.root.glob("build/editable-*.json")
    # While CMake configured, while the library was copied, while the record was written.
    (tree / "CMakeCache.txt").write_text("")
    (tree / ".skbuild-info.json").write_text('{"sou')
    (tree / "build.ninja").unlink()
    library.write_bytes(library.read_bytes()[:1000])
    record.write_text("[")
    environment.pip(*install, cwd=checkout.root)
    assert libtriton(checkout.root / "python")["backends"] == "host"
    # While a wheel was put together.
    for folder in (f"lib.{PLATFORM}-{sys.implementation.cache_tag}", f"bdist.{PLATFORM}/wheel"):
        checkout.write(f"build/host/{folder}/triton/stale.py", "x = 1\n")
    done = checkout.wheel(tmp_path / "w")
    assert done.returncode == 0, done.stdout[-3000:]
    check_wheel(tmp_path / "w")
    assert not list((tmp_path / "w").rglob("stale.py"))


@pytest.mark.slow
def test_of_two_builds_at_once_the_second_waits_and_both_are_right(checkout, start, tmp_path):
    env = held_up(checkout, tmp_path / "gate")
    first = start(tmp_path / "1", tmp_path / "log1", env)
    wait_for(lambda: bool(list(checkout.root.glob("build/host/cmake-*/build.ninja"))))
    second = start(tmp_path / "2", tmp_path / "log2", {**env, "FLAGTREE_BACKEND": "acme"})
    wait_for(lambda: "is busy with a build in" in (tmp_path / "log2").read_text(errors="replace"))
    assert second.poll() is None
    (tmp_path / "gate").touch()
    assert first.wait(60) == 0, (tmp_path / "log1").read_text()
    assert second.wait(60) == 0, (tmp_path / "log2").read_text()
    check_wheel(tmp_path / "1")
    check_wheel(tmp_path / "2", "acme+host")
    text = (tmp_path / "log2").read_text(errors="replace")
    assert "another process (process " in text and "waiting until it is done" in text


HOLDER = """\
import sys, time
from pathlib import Path
from setup_tools.locking import exclusive
with exclusive(Path(sys.argv[1]), "a test", print):
    Path(sys.argv[2]).touch()
    time.sleep(60)
"""


def test_a_lock_names_its_holder_and_dies_with_it(tmp_path):
    lock, held = tmp_path / "lock", tmp_path / "held"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, lock, held], env=environment)
    said: list[str] = []
    try:
        wait_for(held.exists)
        done = threading.Event()

        def take() -> None:
            with exclusive(lock, "the work", said.append):
                done.set()

        thread = threading.Thread(target=take)
        thread.start()
        wait_for(lambda: bool(said))
        assert said == [f"another process (process {holder.pid}) is busy with the work: waiting until it is done"]
        assert not done.is_set()
    finally:
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    thread.join(10)
    assert done.is_set()


def test_two_processes_fetch_one_artifact_once(tmp_path):
    checkout = make_checkout(tmp_path / "checkout")
    artifact = artifact_of(toolchain(tmp_path / "mirror" / "example.org" / "files" / "tools.tar.gz"))
    checkout.backend("acme", manifest_lines(artifact))
    env = {
        "FLAGTREE_CACHE_DIR": str(tmp_path / "cache"),
        "FLAGTREE_ARTIFACT_MIRROR": str(tmp_path / "mirror"),
        "PYTHONPATH": str(ROOT / "python"),
    }
    outputs: list[str] = []

    def fetch() -> None:
        command = (sys.executable, "-m", "triton.cli", "fetch", "--root", checkout.root, "acme")
        done = run(*command, cwd=tmp_path, env=env)
        assert done.returncode == 0, done.stdout
        outputs.append(done.stdout)

    threads = [threading.Thread(target=fetch) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(outputs) == 3
    assert "".join(outputs).count("fetching tools") == 1
    assert "".join(outputs).count("unpacking tools") == 1
