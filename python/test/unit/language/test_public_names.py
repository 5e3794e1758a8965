"""Every name that the public modules of Triton have, with the parameters that callers may name.

What only GPUs have is there, too, and says so when it is called.
"""

import importlib
import inspect
from pathlib import Path

import pytest


def listed():
    module = ""
    for line in Path(__file__).with_name("public_names.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            module = line[1:-1]
        elif line and not line.startswith("#"):
            name, _, parameters = line.partition(": ")
            yield module, name, parameters.split()


NAMES = list(listed())


@pytest.mark.parametrize("module", sorted({module for module, _, _ in NAMES}))
def test_names(module):
    loaded = importlib.import_module(module)
    missing = []
    for name, parameters in ((name, parameters) for listed_in, name, parameters in NAMES if listed_in == module):
        if not hasattr(loaded, name):
            missing.append(name)
            continue
        value = getattr(loaded, name)
        function = getattr(value, "fn", value)  # of a jit function
        if not parameters or not callable(function):
            continue
        taken = inspect.signature(function).parameters
        if not any(p.kind is p.VAR_KEYWORD for p in taken.values()):
            missing += [f"{name}({parameter}=)" for parameter in parameters if parameter not in taken]
    assert not missing


def test_the_list_is_of_use():
    assert len(NAMES) > 300 and sum(bool(parameters) for _, _, parameters in NAMES) > 200


def test_methods_of_tensors():
    import triton.language as tl

    names = """to cast trans permute reshape view broadcast_to expand_dims split item store atomic_add atomic_and
    atomic_cas atomic_max atomic_min atomic_or atomic_poll atomic_xchg atomic_xor exp exp2 log log2 cos sin sqrt sqrt_rn
    rsqrt abs erf floor ceil reduce associative_scan gather histogram cdiv sigmoid softmax ravel max argmax min argmin
    sum xor_sum reduce_or cumsum cumprod sort flip T numel"""
    assert [name for name in names.split() if not hasattr(tl.tensor, name)] == []
