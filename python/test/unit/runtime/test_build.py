"""C for drivers: compiled once, loaded, and errors that say what the compiler says."""

import ctypes
import shutil

import pytest
from triton import knobs
from triton.runtime import build

pytestmark = pytest.mark.skipif(
    shutil.which("gcc") is None and shutil.which("clang") is None, reason="needs a compiler"
)

MODULE = """
#include <Python.h>
#include <math.h>
static PyObject *twice(PyObject *self, PyObject *x) { return PyFloat_FromDouble(sqrt(4.0) * PyFloat_AsDouble(x)); }
static PyMethodDef methods[] = {{"twice", twice, METH_O, ""}, {0, 0, 0, 0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "own_module", "", -1, methods};
PyMODINIT_FUNC PyInit_own_module(void) { return PyModule_Create(&module); }
"""


@pytest.fixture(autouse=True)
def new_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("CC", raising=False)


def test_module():
    module = build.compile_module_from_src(MODULE, "own_module", libraries=["m"], include_dirs=[], ccflags=["-DX"])
    assert module.twice(3.0) == 6.0


def test_compiled_once(tmp_path):
    source = tmp_path / "a.c"
    source.write_text("int answer(void) { return 42; }\n")
    first = build.compile_so_from_file(str(source), "a")
    assert ctypes.CDLL(first).answer() == 42
    with knobs.build.scope():
        knobs.build.impl = lambda *_: pytest.fail("compiled again")
        assert build.compile_so_from_src(source.read_text(), "a") == first


def test_another_compiler(tmp_path):
    made = tmp_path / "made.so"
    made.write_bytes(b"object")
    with knobs.build.scope():
        knobs.build.impl = lambda name, src, folder, library_dirs, include_dirs, libraries: str(made)
        with open(build.compile_so_from_src("x", "b", libraries=["m"]), "rb") as file:
            assert file.read() == b"object"


def test_errors(monkeypatch):
    with pytest.raises(RuntimeError, match=r"(?s)-shared.*not_a_type"):
        build.compile_so_from_src("not_a_type f;", "c")
    with pytest.raises(ValueError, match="'fortran': expected one of 'c', 'c\\+\\+'"):
        build.compile_so_from_src("", "c", language="fortran")
    monkeypatch.setenv("CC", "/nowhere/cc")
    with pytest.raises(RuntimeError, match="no compiler for c .*/nowhere/cc.*variable CC"):
        build.compile_so_from_src("int x;", "c")
