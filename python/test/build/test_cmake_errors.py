"""What the configuration says when something the build needs is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import ROOT, run


def configure(tmp_path: Path, *arguments: str, env: dict[str, str] | None = None) -> str:
    """The message of a configuration of this checkout that must fail, on one line."""
    done = run("cmake", "-G", "Ninja", "-S", ROOT, "-B", tmp_path / "build", *arguments, cwd=tmp_path, env=env)
    assert done.returncode != 0, done.stdout
    return " ".join(done.stdout.split())


def test_llvm_missing(tmp_path):
    message = configure(tmp_path, f"-DLLVM_SYSPATH={tmp_path}/nowhere")
    assert f"LLVM_SYSPATH={tmp_path}/nowhere holds no MLIR" in message
    assert "libmlir-22-dev" in message


def test_llvm_of_another_version(tmp_path):
    config = tmp_path / "llvm" / "lib" / "cmake" / "mlir" / "MLIRConfig.cmake"
    config.parent.mkdir(parents=True)
    config.write_text('set(LLVM_VERSION_MAJOR 19)\nset(LLVM_PACKAGE_VERSION 19.1.7)\nset(LLVM_DIR "/opt/llvm-19")\n')
    message = configure(tmp_path, f"-DLLVM_SYSPATH={tmp_path}/llvm")
    assert "LLVM 19.1.7 was found in /opt/llvm-19, but version 22 is needed" in message


@pytest.mark.parametrize("variable", ["CC", "CXX"])
def test_no_compiler(tmp_path, variable):
    language = {"CC": "C", "CXX": "CXX"}[variable]
    message = configure(tmp_path, env={variable: "/nowhere/compiler"})
    assert f"No {language} compiler was found" in message
    assert f"{variable}=/nowhere/compiler" in message
    assert "apt-get install g++" in message


def test_unknown_backend(tmp_path):
    message = configure(tmp_path, "-DTRITON_BACKENDS=nonesuch")
    assert "TRITON_BACKENDS names 'nonesuch'" in message
    assert "Backends here: cpu;" in message
