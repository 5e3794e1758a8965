"""The steps that make one wheel: environment, build, repair, check, test. cibuildwheel runs the same ones in images."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pythons import Python
from setup_tools.registry import Selection

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "wheels"
HERE = Path(__file__).resolve().parent
TOOLS = HERE / "requirements.txt"
REPAIR, CHECK, TEST = (HERE / f"{name}.py" for name in ("repair", "check", "test_installed"))
# What the wheel is tested with, besides itself; the group wheel-test of pyproject.toml.
TEST_REQUIREMENTS = ("pytest>=8", "numpy>=1.26")


class StepError(Exception):
    """A step that failed: which one, the end of its output and where the rest is."""


@dataclass(frozen=True)
class Job:
    """One wheel: the backends in it, the Python it is for, and the folder of the finished wheels of that backend."""

    selection: Selection
    python: Python
    finished: Path

    @property
    def name(self) -> str:
        return f"{self.selection.primary.name}-{self.python.tag}"


def make_environment(job: Job) -> Path:
    """A kept environment per Python with what builds and repairs wheels: at a fixed place CMake keeps its cache."""
    folder = WORK / f"environment-{job.python.tag}"
    python = folder / "bin" / "python"
    if not python.exists():
        _run(job, "environment", [job.python.executable, "-m", "venv", "--clear", folder])
    _pip(job, "environment", python, "install", "-r", ROOT / "requirements-build.txt", "-r", TOOLS)
    return folder


def build(job: Job, environment: Path) -> Path:
    """The wheel as the build makes it, with the compiler that all Pythons share."""
    raw = WORK / "raw" / job.name
    shutil.rmtree(raw, ignore_errors=True)
    variables = {"FLAGTREE_BACKEND": job.selection.primary.name, "FLAGTREE_SHARED_CORE": "1"}
    python = environment / "bin" / "python"
    # Verbose for the log: pip shows compiler errors only then.
    command = ("wheel", "-v", "--no-build-isolation", "--no-deps", "-w", raw, ROOT)
    _pip(job, "build", python, *command, environment={**variables, **_path(environment)}, quiet=False)
    return _only_wheel(raw, job)


def repair(job: Job, environment: Path, wheel: Path) -> Path:
    """The wheel with its true manylinux tag, and with the libraries inside that not every system has."""
    folder = WORK / "repaired" / job.name
    shutil.rmtree(folder, ignore_errors=True)
    python = environment / "bin" / "python"
    variables = {"FLAGTREE_BACKEND": job.selection.primary.name}
    _run(job, "repair", [python, REPAIR, wheel, folder], environment=variables)
    return _only_wheel(folder, job)


def check(job: Job, environment: Path, wheel: Path) -> None:
    """Contents, machine code and tags."""
    command = [environment / "bin" / "python", CHECK, job.selection.primary.name, wheel]
    _run(job, "check", command)


def test(job: Job, wheel: Path) -> None:
    """Installs the wheel into a new environment that holds nothing else of ours, and runs the tests for wheels."""
    folder = WORK / "tested" / job.name
    _run(job, "test", [job.python.executable, "-m", "venv", "--clear", folder])
    python = folder / "bin" / "python"
    _pip(job, "test", python, "install", "--no-compile", wheel, *TEST_REQUIREMENTS)
    _run(job, "test", [python, TEST], directory=folder)
    shutil.rmtree(folder)


def finish(job: Job, wheel: Path) -> Path:
    """Puts a tested wheel among the finished ones, in the place of an older one for the same Python."""
    job.finished.mkdir(parents=True, exist_ok=True)
    for old in job.finished.glob(f"*-{job.python.tag}-{job.python.tag}-*.whl"):
        old.unlink()
    return Path(shutil.copy2(wheel, job.finished))


def _only_wheel(folder: Path, job: Job) -> Path:
    wheels = sorted(folder.glob("*.whl"))
    if len(wheels) != 1:
        raise StepError(f"{job.name}: {folder} holds {len(wheels)} wheels instead of one; see {_log(job)}")
    return wheels[0]


def _log(job: Job) -> Path:
    return WORK / "logs" / f"{job.name}.log"


def _path(environment: Path) -> dict[str, str]:
    return {"PATH": os.pathsep.join([os.fspath(environment / "bin"), os.environ.get("PATH", "")])}


def _pip(
    job: Job, step: str, python: Path, *arguments: object, environment: Mapping[str, str] = {}, quiet: bool = True
) -> None:
    command = [python, "-m", "pip", "--disable-pip-version-check", *(["-q"] if quiet else []), *arguments]
    _run(job, step, command, environment=environment)


def _run(
    job: Job, step: str, command: Sequence[object], environment: Mapping[str, str] = {}, directory: Path = ROOT
) -> None:
    """Run a command with its output in the job's log. StepError with the end of the output where it fails."""
    words = [os.fspath(word) if isinstance(word, Path) else str(word) for word in command]
    # What selects a backend or a place to import from is given by the steps alone.
    kept = {k: v for k, v in os.environ.items() if k not in ("FLAGTREE_BACKEND", "PYTHONPATH", "PYTHONHOME")}
    log = _log(job)
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8") as output:
        print(f"\n$ {' '.join(words)}", file=output, flush=True)
        start = output.tell()
        done = subprocess.run(
            words, cwd=directory, env={**kept, **environment}, stdout=output, stderr=subprocess.STDOUT, check=False
        )
    if done.returncode != 0:
        with log.open("rb") as written:
            written.seek(start)
            lines = written.read().decode("utf-8", "replace").splitlines()
        end = "\n  ".join(lines[-20:])
        raise StepError(f"{job.name}: {step} failed with status {done.returncode}. The end of {log}:\n  {end}")
