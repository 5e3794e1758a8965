"""Virtual environments: one that builds with flagtree-build, and ones in which a FlagTree is installed."""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

from .conftest import ROOT, run


@dataclass
class Environment:
    """A virtual environment that sees the running one's packages (pip, NumPy, ...) but not its .pth files."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def site(self) -> Path:
        (site,) = self.folder.glob("lib/python*/site-packages")
        return site

    def pip(self, *arguments: str | Path, cwd: Path | None = None, **env: str) -> str:
        """What pip prints; its failure fails the test."""
        done = self.try_pip(*arguments, cwd=cwd, **env)
        assert done.returncode == 0, done.stdout[-6000:]
        return done.stdout

    def try_pip(self, *arguments: str | Path, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        command = ("-m", "pip", "--disable-pip-version-check", *arguments)
        return run(self.python, *command, cwd=cwd or self.folder, **env)

    def output(self, code: str, cwd: Path, **env: str) -> str:
        """What the program ``code`` prints; its failure fails the test."""
        done = self.program(code, cwd, **env)
        assert done.returncode == 0, done.stdout
        return done.stdout.strip()

    def program(self, code: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
        file = cwd / "program.py"
        file.write_text(code)
        return run(self.python, file, cwd=cwd, TRITON_CACHE_DIR=os.fspath(cwd / "cache"), **env)

    def triton_files(self) -> dict[str, str]:
        """Every file of the installed package with its digest, except bytecode and the compiler library."""
        folder = self.site / "triton"
        files = [file for file in folder.rglob("*") if file.is_file() and "__pycache__" not in file.parts]
        return {file.relative_to(folder).as_posix(): _digest(file) for file in sorted(files) if file.suffix != ".so"}


def make_environment(folder: Path) -> Environment:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True, capture_output=True)
    environment = Environment(folder)
    (environment.site / "_outer.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return environment


def make_builder(folder: Path) -> Environment:
    """An environment with the wheel of flagtree-build."""
    builder = make_environment(folder / "builder")
    wheels = folder / "flagtree-build"
    builder.pip("wheel", "-q", "--no-build-isolation", "--no-deps", "-w", wheels, ROOT / "python" / "setup_tools")
    (wheel,) = wheels.glob("*.whl")
    builder.pip("install", "-q", "--no-index", "--no-deps", wheel)
    return builder


def install_default_selection(environment: Environment) -> None:
    """Installs what the default wheel holds, with the checkout's compiler library instead of one built for it."""
    from setup_tools.project import load_project

    project = load_project(ROOT, {})
    assembly, site = project.assembly, environment.site
    for package in assembly.packages:
        source = _source_of(package, assembly.wheel_package_dir)
        (site / package.replace(".", "/")).mkdir(parents=True, exist_ok=True)
        for file in [*source.glob("*.py"), *source.glob("py.typed")]:
            shutil.copy(file, site / package.replace(".", "/") / file.name)
    (site / assembly.marker_file).write_text(assembly.marker)
    for library in (ROOT / "python" / "triton" / "_C").glob("libtriton.*"):
        (site / "triton" / "_C" / library.name).symlink_to(library)
    _write_metadata(site, project.version, assembly.entry_points)


def _source_of(package: str, package_dir: dict[str, str]) -> Path:
    for parent in (package.rsplit(".", count)[0] for count in range(package.count(".") + 1)):
        if parent in package_dir:
            return ROOT / package_dir[parent] / package[len(parent) + 1 :].replace(".", "/")
    return ROOT / package_dir[""] / package.replace(".", "/")


def _write_metadata(site: Path, version: str, entry_points: dict[str, list[str]]) -> None:
    folder = site / f"flagtree-{version}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: flagtree\nVersion: {version}\n")
    (folder / "INSTALLER").write_text("pip\n")
    (folder / "WHEEL").write_text("Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    lines = [line for group, points in entry_points.items() for line in (f"[{group}]", *points)]
    (folder / "entry_points.txt").write_text("\n".join(lines) + "\n")
    files = [file for file in (site / "triton").rglob("*") if file.is_file()] + list(folder.iterdir())
    rows = [f"{file.relative_to(site).as_posix()},sha256={_digest(file)},{file.stat().st_size}" for file in files]
    (folder / "RECORD").write_text("\n".join([*rows, f"{folder.name}/RECORD,,"]) + "\n")


def _digest(file: Path) -> str:
    if file.suffix == ".so":
        return ""
    return base64.urlsafe_b64encode(hashlib.sha256(file.read_bytes()).digest()).rstrip(b"=").decode()


def make_repository(parent: Path, name: str, *options: str) -> Path:
    """A git repository that holds what ``flagtree new-backend NAME --repository`` writes."""
    from triton.cli import main

    parent.mkdir(parents=True, exist_ok=True)
    assert main(["new-backend", name, "--repository", "--dir", os.fspath(parent), *options]) == 0
    (root,) = (folder for folder in parent.glob("flagtree-*") if (folder / name).is_dir())
    identity = ("-c", "user.name=tests", "-c", "user.email=tests@example.org")
    for command in (("init", "-q"), ("add", "."), (*identity, "commit", "-q", "-m", "A backend")):
        done = run("git", *command, cwd=root)
        assert done.returncode == 0, done.stdout
    return root


def build_wheel(builder: Environment, repository: Path, **env: str) -> Path:
    """The wheel that pip makes of ``repository`` with the builder's own packages."""
    dist = repository / "dist"
    builder.pip("wheel", "-q", "--no-build-isolation", "--no-deps", "-w", dist, ".", cwd=repository, **env)
    (wheel,) = dist.glob("*.whl")
    return wheel
