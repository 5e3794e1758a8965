"""Source, parameters and keys of jit functions."""

import copy
import importlib
import linecache
import pickle
import shutil
import sys

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.runtime.jit import JITFunction, KernelParam

from .kernels import fill, scale

FACTOR: tl.constexpr = tl.constexpr(3)


@triton.jit
def uses_helper(x):
    return triton.cdiv(x, helper(x))


@triton.jit
def helper(x):
    return x * FACTOR


@triton.jit(
    do_not_specialize=["n"],
    do_not_specialize_on_alignment=[0],
)
# a comment between the decorator and the function
def decorated(x_ptr, n: "tl.int64", c: tl.const, *, WIDTH: tl.constexpr = 4):
    tl.store(x_ptr, n)


def module_from(tmp_path, name, text):
    path = tmp_path / f"{name}.py"
    path.write_text(text)
    # Bytecode is found by size and second: a module rewritten at once would be the old one.
    shutil.rmtree(tmp_path / "__pycache__", ignore_errors=True)
    sys.path.insert(0, str(tmp_path))
    try:
        importlib.invalidate_caches()
        sys.modules.pop(name, None)
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(tmp_path))


HEAD = "import triton\nimport triton.language as tl\n"


def test_source_starts_at_def_and_knows_its_line():
    assert decorated.src.startswith("def decorated(")
    assert decorated.raw_src.startswith("@triton.jit(")
    lines = linecache.getlines(__file__)
    assert lines[decorated.starting_line_number - 1].startswith("def decorated(")
    tree = decorated.parse()
    assert [f.name for f in tree.body] == ["decorated"]


def test_parameters():
    x_ptr, n, c, width = decorated.params
    assert isinstance(n, KernelParam)
    assert [p.name for p in decorated.params] == decorated.arg_names == ["x_ptr", "n", "c", "WIDTH"]
    assert [p.num for p in decorated.params] == [0, 1, 2, 3]
    assert n.do_not_specialize and not x_ptr.do_not_specialize
    assert x_ptr.do_not_specialize_on_alignment and not n.do_not_specialize_on_alignment
    assert n.annotation_type == "i64" and c.is_const and not c.annotation_type
    assert width.is_constexpr and width.has_default and width.default == 4
    assert decorated.constexprs == [3]


def test_names_of_other_kernels_in_options_are_left_out():
    kernel = triton.jit(do_not_specialize=["m", "n", 17])(decorated.fn)
    assert [p.name for p in kernel.params if p.do_not_specialize] == ["n"]


def test_signature_is_that_of_the_function():
    assert list(decorated.signature.parameters) == decorated.arg_names


def test_function_without_a_file_is_an_error():
    scope = {}
    exec("def kernel(x):\n    pass\n", scope)
    with pytest.raises(ValueError, match=r"kernel\(\): no source text"):
        triton.jit(scope["kernel"])


@pytest.mark.parametrize("value", [3, "text", len, JITFunction])
def test_only_functions_can_be_compiled(value):
    with pytest.raises(TypeError, match="needs a Python function"):
        triton.jit(value)


def test_keyword_dictionary_parameter_is_an_error():
    def kernel(x, **rest):
        pass

    with pytest.raises(TypeError, match=r"\*\*rest"):
        triton.jit(kernel)


def test_direct_call_says_how_to_launch():
    with pytest.raises(RuntimeError, match=r"scale\[grid\]"):
        scale(1, 2)


def test_source_is_what_it_was_when_the_function_was_made(tmp_path):
    module = module_from(tmp_path, "edited_later", HEAD + "@triton.jit\ndef k(x):\n    tl.store(x, 1)\n")
    (tmp_path / "edited_later.py").write_text("# line\n# line\n" + HEAD)
    assert module.k.src == "def k(x):\n    tl.store(x, 1)\n"


def key_of(tmp_path, name, text):
    return module_from(tmp_path, name, HEAD + text).k.cache_key


CALLEE = "@triton.jit\ndef callee(x):\n    return x + {}\n@triton.jit\ndef k(x):\n    tl.store(x, callee(1))\n"
GLOBAL = "N = tl.constexpr({})\n@triton.jit\ndef k(x):\n    tl.store(x, N)\n"
HOST = "@triton.constexpr_function\ndef host():\n    return {}\n@triton.jit\ndef k(x):\n    tl.store(x, host())\n"


PLAIN = "def host():\n    return {}\n@triton.jit\ndef k(x):\n    tl.store(x, host())\n"
CLASS = "class Settings:\n    N = {}\n@triton.jit\ndef k(x):\n    tl.store(x, Settings.N)\n"


@pytest.mark.parametrize("text", [CALLEE, GLOBAL, HOST, PLAIN, CLASS])
def test_key_covers_what_the_source_refers_to(tmp_path, text):
    one = key_of(tmp_path, "dependency_a", text.format(1))
    assert one == key_of(tmp_path, "dependency_a", text.format(1))
    assert one != key_of(tmp_path, "dependency_a", text.format(2))


def test_key_does_not_cover_a_local_of_the_same_name(tmp_path):
    text = "N = {}\n@triton.jit\ndef k(x):\n    N = 4\n    tl.store(x, N)\n"
    assert key_of(tmp_path, "local_name", text.format(1)) == key_of(tmp_path, "local_name", text.format(2))


def test_key_covers_noinline(tmp_path):
    text = "@triton.jit(noinline={})\ndef k(x):\n    tl.store(x, 1)\n"
    assert key_of(tmp_path, "inlining", text.format(True)) != key_of(tmp_path, "inlining", text.format(False))


def test_key_of_functions_that_call_each_other(tmp_path):
    text = "@triton.jit\ndef other(x):\n    return k(x)\n@triton.jit\ndef k(x):\n    return other(x) + {}\n"
    assert key_of(tmp_path, "mutual", text.format(1)) != key_of(tmp_path, "mutual", text.format(2))


def test_used_globals():
    assert len(uses_helper.cache_key) == 64
    assert [name for name, _ in uses_helper.used_global_vals] == ["FACTOR"]


def test_capture_scope_sees_closure_variables():
    width = 3

    @triton.jit
    def kernel(x):
        tl.store(x, width)

    assert kernel.get_capture_scope()["width"] == 3
    assert kernel.get_capture_scope()["FACTOR"] is FACTOR


def test_global_function_is_pickled_by_name():
    assert pickle.loads(pickle.dumps(fill)) is fill
    assert copy.deepcopy(fill) is fill


def test_pickle_without_the_function_itself():
    """As a compile worker sends it: with `fn`, globals and locks removed."""
    clone = JITFunction(fill.fn)
    clone.cache_key
    clone.fn = clone.__globals__ = clone.used_global_vals = clone._hash_lock = None
    restored = pickle.loads(pickle.dumps(clone))
    assert restored.arg_names == fill.arg_names and restored.src == fill.src
    assert restored._hash_lock is not None
    assert restored.cache_key == fill.cache_key


def test_source_cannot_be_assigned():
    with pytest.raises(AttributeError, match="read-only"):
        fill.src = "def fill(): pass"


def test_constexpr_function_is_an_ordinary_function_for_host_code():
    assert triton.cdiv(7, 2) == 4
    assert [triton.next_power_of_2(n) for n in (0, 1, 3, 64, 65)] == [0, 1, 4, 64, 128]
    assert triton.cdiv.__name__ == "cdiv"


def test_binder_for_tools():
    kernels, _, target, backend, binder = scale.create_binder()
    assert target.backend == "cpu" and backend.supports_target(target)
    x = np.zeros(16, np.float32)
    bound, pairs, options = binder(x, x, 17, 2.0, BLOCK=16, num_warps=8)
    assert bound["x_ptr"] is x and bound["n"] == 17 and options == {"num_warps": 8}
    types = dict(zip(scale.arg_names, pairs))
    assert types["n"] == ("i32", "") and types["BLOCK"] == ("constexpr", 16) and types["x_ptr"][0] == "*fp32"
    kernel = scale[(1,)](x, x.copy(), 17, 2.0, BLOCK=16)
    assert any(kernel is found for found in kernels.values())
    with pytest.raises(TypeError, match="missing"):
        binder(x)
