"""Source trees in miniature for the build's own tests, and real wheels for those marked slow."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "python"))

MANIFEST = """\
[backend]
name = "{name}"
summary = "A backend of the tests"
target = "{name}"
triton = "3.6"
{extra}
"""


@dataclass
class MiniTree:
    """A source tree with a trunk of two packages; ``backend`` adds backends to it."""

    root: Path

    def write(self, path: str, text: str = "") -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def backend(self, name: str, extra: str = "", *files: str) -> Path:
        """A backend's folder with its manifest (``extra`` is added to it) and empty files below ``backend/``."""
        for file in ("__init__.py", "compiler.py", "driver.py", *files):
            self.write(f"third_party/{name}/backend/{file}")
        return self.write(f"third_party/{name}/backend.toml", MANIFEST.format(name=name, extra=extra)).parent


@pytest.fixture
def tree(tmp_path: Path) -> MiniTree:
    tree = MiniTree(tmp_path / "source")
    tree.write("python/triton/__init__.py", '__version__ = "3.6.0"\n')
    for package in ("backends", "language", "language/extra"):
        tree.write(f"python/triton/{package}/__init__.py")
    return tree


def run(*command: str | Path, cwd: Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run ``command`` in ``cwd``; output and errors together in ``stdout``."""
    return subprocess.run(
        [os.fspath(part) for part in command],
        cwd=cwd,
        env={**clean_environment(), **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )


def clean_environment() -> dict[str, str]:
    """The environment without what would change a build, and with this Python's tools first."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("FLAGTREE_", "TRITON_", "PYTHON"))
    }
    kept["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), kept.get("PATH", "")])
    return kept


def copy_sources(target: Path) -> Path:
    """A copy of what git knows of this checkout, as a clone would have it; without git, of the whole tree."""
    if (ROOT / ".git").exists():
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
        for name in filter(None, listed.stdout.split("\0")):
            if (ROOT / name).is_file():
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, target / name)
    else:
        shutil.copytree(ROOT, target, ignore=shutil.ignore_patterns("build", "__pycache__", "_C", "*.egg-info"))
    return target


@dataclass
class VirtualEnvironment:
    """A new environment that sees the running one's packages (pybind11, NumPy, …) but has its own installations."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    def pip(self, *arguments: str | Path, cwd: Path, env: dict[str, str] | None = None) -> str:
        done = run(self.python, "-m", "pip", "--disable-pip-version-check", *arguments, cwd=cwd, env=env)
        assert done.returncode == 0, done.stdout[-6000:]
        return done.stdout

    def run(self, code: str, cwd: Path, env: dict[str, str] | None = None) -> str:
        """What ``code`` prints; its failure fails the test."""
        done = run(self.python, "-c", code, cwd=cwd, env=env)
        assert done.returncode == 0, done.stdout[-6000:]
        return done.stdout.strip()


def make_environment(folder: Path) -> VirtualEnvironment:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True, capture_output=True)
    environment = VirtualEnvironment(folder)
    purelib = environment.run("import sysconfig; print(sysconfig.get_path('purelib'))", folder)
    # Paths only, so that .pth files of the running environment (an editable install of this project) stay out.
    Path(purelib, "_outer.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return environment


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One copy of this checkout for all slow tests: they share its build trees."""
    return copy_sources(tmp_path_factory.mktemp("checkout") / "flagtree")


class Wheels:
    """Builds each wheel once."""

    def __init__(self, sources: Path, folder: Path):
        self._sources = sources
        self._folder = folder
        self._built: dict[str, Path] = {}

    def build(self, backend: str = "") -> Path:
        """The wheel of ``FLAGTREE_BACKEND=backend``, perhaps an example's; empty: the variable is unset."""
        if backend not in self._built:
            folder = self._folder / (backend or "default")
            done = run(
                *(sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "-v", "-w", folder, "."),
                cwd=self._sources,
                env=self._selection(backend),
            )
            assert done.returncode == 0, done.stdout[-6000:]
            (self._built[backend],) = folder.glob("*.whl")
        return self._built[backend]

    def _selection(self, backend: str) -> dict[str, str]:
        example = self._sources / "examples" / "backends" / backend
        plugin = {"TRITON_PLUGIN_DIRS": str(example)} if (example / "backend.toml").is_file() else {}
        return {"FLAGTREE_BACKEND": backend, **plugin} if backend else {}


@pytest.fixture(scope="session")
def wheels(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Wheels:
    return Wheels(sources, tmp_path_factory.mktemp("wheels"))


@pytest.fixture(scope="session")
def installed(wheels: Wheels, tmp_path_factory: pytest.TempPathFactory):
    """``installed("name")`` is an environment with that backend's wheel."""
    made: dict[str, VirtualEnvironment] = {}

    def install(backend: str = "") -> VirtualEnvironment:
        if backend not in made:
            environment = make_environment(tmp_path_factory.mktemp(backend or "default") / "venv")
            wheel = wheels.build(backend)
            environment.pip("install", "--no-deps", "--no-index", wheel, cwd=environment.folder)
            made[backend] = environment
        return made[backend]

    return install
