"""Editing an overlay file in an editable installation: the next run uses it, and only affected kernels recompile."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .linked import ROOT, Installation, link_installation

MANIFEST = '[backend]\nname = "acme"\nsummary = "A"\ntarget = "acme"\ntriton = "3.6"\ncompanions = ["cpu"]\n'
COMPILER = """
import hashlib
from triton.backends.compiler import BaseBackend

class AcmeBackend(BaseBackend):
    supports_target = staticmethod(lambda target: target.backend == "acme")
    hash = lambda self: "acme"
    parse_options = add_stages = load_dialects = get_module_map = lambda self, *_: None
"""
DRIVER = """
from triton.backends.driver import DriverBase

class AcmeDriver(DriverBase):
    is_active = classmethod(lambda cls: False)
    map_python_to_cpp_type = get_current_target = get_active_torch_device = get_benchmarker = lambda self, *_: None
"""
TOP = "from .language import language_extend_globals\n"
LANGUAGE = """
def language_extend_globals(names):
    from triton.language.extras import triple
    names["triple"] = triple
"""
# A module that the overlay adds to the language, one that it adds to the tools.
EXTRAS = """
from triton.language import core
from triton.runtime.jit import jit

@jit
def triple(x):
    return x * 3
"""
BLOCKS = """
import triton

LIMIT = 5

@triton.jit
def add_five(x):
    return x + 5
"""
PROGRAM = """
import numpy as np
import triton
import triton.language as tl
from triton.tools.blocks import add_five

compiled = []
triton.knobs.compilation.listener = lambda **kw: None if kw["cache_hit"] else compiled.append(kw["metadata"]["name"])

@triton.jit
def plain(x, N: tl.constexpr):
    tl.store(x + tl.arange(0, N), tl.load(x + tl.arange(0, N)) + 1)

@triton.jit
def with_tool(x, N: tl.constexpr):
    tl.store(x + tl.arange(0, N), add_five(tl.load(x + tl.arange(0, N))))

@triton.jit
def with_language(x, N: tl.constexpr):
    tl.store(x + tl.arange(0, N), tl.triple(tl.load(x + tl.arange(0, N))))

for kernel in (plain, with_tool, with_language):
    x = np.full(16, 2, np.float32)
    kernel[(1,)](x, 16)
    print(kernel.__name__, x[0])
print("compiled", *sorted(compiled))
"""


class Editable:
    """An editable installation of this checkout for a backend ``acme`` whose overlay a test edits."""

    def __init__(self, root: Path):
        self.backend = root / "third_party" / "acme"
        (root / "third_party").mkdir(parents=True)
        (root / "third_party" / "cpu").symlink_to(ROOT / "third_party" / "cpu")
        self.write("../backend.toml", MANIFEST)
        for name, text in {"__init__.py": "", "compiler.py": COMPILER, "driver.py": DRIVER}.items():
            self.write(name, text)
        for name, text in {"__init__.py": TOP, "language/__init__.py": LANGUAGE, "language/extras.py": EXTRAS}.items():
            self.overlay(name, text)
        self.overlay("tools/blocks.py", BLOCKS)
        self.installation: Installation = link_installation(root, "acme")
        self._cache = str(root / "cache")

    def write(self, path: str, text: str) -> None:
        file = self.backend / "backend" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def overlay(self, path: str, text: str) -> None:
        self.write(f"spec/triton/{path}", text)

    def run(self) -> tuple[dict[str, float], list[str]]:
        """Results by kernel, and the kernels that were compiled."""
        *results, compiled = self.installation.output(PROGRAM, TRITON_CACHE_DIR=self._cache).splitlines()
        return {name: float(value) for name, value in map(str.split, results)}, compiled.split()[1:]


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """An installation in which the program has run once."""
    folder = tmp_path_factory.mktemp("editing") / "checkout"
    editable = Editable(folder)
    results, compiled = editable.run()
    assert results == {"plain": 3, "with_tool": 7, "with_language": 6}
    assert compiled == ["plain", "with_language", "with_tool"]
    assert editable.run() == (results, []), "nothing changed"
    return editable


def test_p10_an_edited_tool_recompiles_the_kernels_that_call_it(first):
    first.overlay("tools/blocks.py", BLOCKS.replace("x + 5", "x + 6"))
    results, compiled = first.run()
    assert results["with_tool"] == 8 and compiled == ["with_tool"]


def test_p10_an_edited_line_that_no_kernel_uses_recompiles_nothing(first):
    first.overlay("tools/blocks.py", (first.backend / "backend/spec/triton/tools/blocks.py").read_text() + "\nX = 1\n")
    first.overlay("tools/more.py", "X = 1\n")
    assert first.run()[1] == []


def test_p10_an_edited_language_file_without_init_recompiles_everything(first):
    first.overlay("language/extras.py", EXTRAS.replace("x * 3", "x * 4"))
    results, compiled = first.run()
    assert results["with_language"] == 8 and compiled == ["plain", "with_language", "with_tool"]


def test_p10_a_new_file_in_a_folder_without_init_recompiles_everything(first):
    first.overlay("compiler/deep/new.py", "X = 1\n")
    assert first.run()[1] == ["plain", "with_language", "with_tool"]
    shutil.rmtree(first.backend / "backend/spec/triton/compiler")
    assert first.run()[1] == [], "removed again: the first kernels fit"


def test_p10_an_edited_file_of_another_backend_recompiles_nothing(first):
    first.write("driver.py", DRIVER + "\nX = 1\n")
    assert first.run()[1] == []


def test_p10_what_an_editor_leaves_changes_nothing(first):
    """Emacs marks a file with unsaved changes by a link to nowhere."""
    links = [first.backend / "backend" / path for path in (".#driver.py", "spec/triton/language/.#extras.py")]
    for link in links:
        link.symlink_to("somebody@somewhere.1234")
    assert first.run()[1] == []
    for link in links:
        link.unlink()


def test_p10_no_library_is_read_for_the_key(first):
    """The library has a hundred megabytes: its build id stands for it."""
    code = """
        import builtins, os
        import triton.backends.cpu.compiler
        from triton.runtime.version_key import compiler_key
        sizes, real = [], builtins.open
        def counting(path, *a, **k):
            file = real(path, *a, **k)
            if "libtriton" in str(path):
                read = file.read
                class Counted:
                    seek, __enter__, __exit__ = file.seek, lambda s: s, lambda s, *e: file.close()
                    def read(self, *n):
                        data = read(*n)
                        sizes.append(len(data))
                        return data
                return Counted()
            return file
        builtins.open = counting
        compiler_key("triton.backends.cpu.compiler")
        print(0 < sum(sizes) < 100_000)
    """
    assert first.installation.output(code) == "True"
