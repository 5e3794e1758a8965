"""Runs the MUSA toolkit's tools: LLVM IR to a binary that the driver loads."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from . import target
from .target import Architecture, Fact

EXTRA_OPTIONS = "TRITON_MUSA_LLC_OPTIONS"


class ToolchainError(RuntimeError):
    """A tool of the MUSA toolkit is missing, or failed."""


def musa_home() -> Path:
    """The root of the MUSA toolkit: MUSA_HOME, else its usual place."""
    return Path(os.environ.get("MUSA_HOME") or target.DEFAULT_HOME).expanduser()


class Toolchain:
    """The tools below one root. Raises ToolchainError with everything that is missing."""

    def __init__(self, home: Path, architecture: Architecture, needs_library: bool):
        self.home = home
        self.architecture = architecture
        missing = self.missing_files(home, architecture, needs_library)
        if missing:
            raise ToolchainError(self._missing(missing))
        library = target.MATH_LIBRARIES[architecture.number] if needs_library else None
        self.library = home / library.value if library else None

    @staticmethod
    def missing_files(home: Path, architecture: Architecture, needs_library: bool) -> list[str]:
        """What a kernel for `architecture` needs and `home` does not have."""
        tools = [target.LLC, target.LINKER]
        library = target.MATH_LIBRARIES[architecture.number] if needs_library else None
        if library:
            tools.append(target.BITCODE_LINKER)
        missing = [str(home / tool.value) for tool in tools if not os.access(home / tool.value, os.X_OK)]
        if library and not (home / library.value).is_file():
            missing.append(str(home / library.value))
        return missing

    def _missing(self, missing: list[str]) -> str:
        origin = "MUSA_HOME" if os.environ.get("MUSA_HOME") else f"MUSA_HOME is not set, so {target.DEFAULT_HOME}"
        return (
            f"the MUSA toolkit's tools for {self.architecture.name} were not found: {', '.join(missing)} "
            f"(root {self.home}: {origin}). Install the MUSA toolkit, or set MUSA_HOME to its root. "
            "Without it, kernels run on the cpu backend (TRITON_DEFAULT_BACKEND=cpu)."
        )

    def build(self, llvm_ir: str) -> bytes:
        """The binary of a kernel. Intermediate files are deleted whatever happens."""
        with tempfile.TemporaryDirectory(prefix="triton-musa-") as name:
            folder = Path(name)
            source, linked, obj, binary = (folder / f"kernel.{ext}" for ext in ("ll", "bc", "o", "mubin"))
            source.write_text(llvm_ir, encoding="utf-8")
            if self.library:
                arguments = target.bitcode_linker_arguments(str(source), str(self.library), str(linked))
                self._run(target.BITCODE_LINKER, arguments, linked)
                source = linked
            extra = os.environ.get(EXTRA_OPTIONS, "")
            self._run(target.LLC, target.llc_arguments(self.architecture, str(source), str(obj), extra), obj)
            self._run(target.LINKER, target.linker_arguments(str(obj), str(binary)), binary)
            return binary.read_bytes()

    def _run(self, tool: Fact, arguments: list[str], output: Path) -> None:
        command = [str(self.home / tool.value), *arguments]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        except OSError as error:
            raise ToolchainError(f"{command[0]} cannot be run: {error.strerror}") from error
        if done.returncode == 0 and output.is_file():
            return
        what = f"failed with status {done.returncode}" if done.returncode else f"wrote no {output.name}"
        said = (done.stderr.strip() or done.stdout.strip() or "it printed nothing")[:4000]
        raise ToolchainError(
            f"{tool.value} of the MUSA toolkit {what}: {said}\n"
            f"command: {shlex.join(command)}\n"
            "The LLVM IR is the stage 'llir'; TRITON_KERNEL_DUMP=1 keeps it."
        )

    def identity(self) -> str:
        """Changes whenever a tool is replaced: for the cache key."""
        files = [self.home / tool.value for tool in (target.LLC, target.LINKER)]
        return ";".join(f"{file}:{file.stat().st_mtime_ns}:{file.stat().st_size}" for file in files)
