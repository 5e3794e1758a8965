"""A specialization that replaces every file it can: all of the specialised packages, as an older design copied them."""

from __future__ import annotations

import shutil

import pytest

from .linked import ROOT, link_installation
from .test_editing import COMPILER, DRIVER, MANIFEST

PACKAGES = ("compiler", "language", "runtime", "tools")
PROGRAM = """
import importlib, sys
import numpy as np
import triton
import triton.language as tl

@triton.jit
def softmax(x, y, COLS: tl.constexpr):
    at = tl.program_id(0) * COLS + tl.arange(0, COLS)
    tl.store(y + at, tl.softmax(tl.load(x + at)))

x = np.random.default_rng(0).normal(size=(4, 64)).astype(np.float32)
y = np.zeros_like(x)
softmax[(4,)](x, y, 64)
expected = np.exp(x) / np.exp(x).sum(1, keepdims=True)
np.testing.assert_allclose(y, expected, rtol=1e-5)

@triton.jit
def wrong(x):
    tl.store(x, undefined_name)

try:
    wrong[(1,)](x)
except (triton.CompilationError, triton.InterpreterError) as error:
    print("undefined_name" in str(error), "spec/triton" in str(error))

names = sys.argv[1:]
files = [importlib.import_module(name).__file__ for name in names]
print(len(files), sum("/spec/triton/" in file for file in files))
second = [importlib.import_module(name.replace("triton.", "triton.backends.acme.spec.triton.", 1)) for name in names]
print(all(sys.modules[name] is module for name, module in zip(names, second)))
"""


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    """An installation whose backend has a copy of every file, and the names of their modules."""
    root = tmp_path_factory.mktemp("everything")
    backend = root / "third_party" / "acme" / "backend"
    (root / "third_party").mkdir()
    (root / "third_party" / "cpu").symlink_to(ROOT / "third_party" / "cpu")
    backend.mkdir(parents=True)
    (backend.parent / "backend.toml").write_text(MANIFEST)
    for name, text in {"__init__.py": "", "compiler.py": COMPILER, "driver.py": DRIVER}.items():
        (backend / name).write_text(text)
    trunk, names = ROOT / "python" / "triton", []
    for package in PACKAGES:
        for file in sorted((trunk / package).rglob("*.py")):
            path = file.relative_to(trunk)
            behind_link = any((trunk / parent).is_symlink() for parent in path.parents)
            if behind_link or path.parts[1:] == ("__init__.py",):  # those run before the specialization is active
                continue
            copy = backend / "spec" / "triton" / path
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, copy)
            names.append("triton." + ".".join(path.with_suffix("").parts).removesuffix(".__init__"))
    return link_installation(root, "acme"), names


@pytest.mark.parametrize("interpreted", ["0", "1"], ids=["compiled", "interpreted"])
def test_p11_copies_of_all_files_work_as_the_trunks_do(everything, tmp_path, interpreted):
    installation, names = everything
    assert len(names) > 60
    environment = {"TRITON_CACHE_DIR": str(tmp_path), "TRITON_INTERPRET": interpreted}
    lines = installation.output(PROGRAM, *names, **environment).splitlines()
    assert lines[0] == "True False", "the message ends at the user's line"
    assert lines[1:] == [f"{len(names)} {len(names)}", "True"]


def test_p6_copies_of_all_files_are_all_reported(everything):
    installation, names = everything
    code = "import sys\nfrom triton.cli import main\nsys.exit(main(['spec', 'drift', '--backend', 'acme']))"
    done = installation.run(code)
    empty = sum(not (ROOT / "python" / (name.replace(".", "/") + ".py")).exists() for name in names)
    assert done.returncode == 1
    assert done.stdout.count("it is identical to triton/") >= len(names) - empty
