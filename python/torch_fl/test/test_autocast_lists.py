"""Torch's lists of types for autocast, operator by operator: those of its headers, and those of its own tests."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

HALF, SINGLE = torch.float16, torch.float32

# Lists in the header, with the operators that they have in torch 2.13 at least.
LISTS = {
    "LOWER_PRECISION_FP": 33,
    "FP32": 58,
    "FP32_SET_OPT_DTYPE": 11,
    "DIFFERENT_REDISPATCH_SIGNATURE": 2,
    "PROMOTE": 11,
}


def operators(name):
    """Names with overloads, such as ``softmax.int``, of one list in the header of the installed torch."""
    header = Path(torch.__file__).with_name("include") / "ATen" / "autocast_mode.h"
    text = re.search(rf"#define AT_FORALL_{name}\(_\)((?:.*\\\n)*.*)", header.read_text(encoding="utf-8"))[1]
    if name == "DIFFERENT_REDISPATCH_SIGNATURE":
        return re.findall(r'"([\w.]+)"', text)
    return [".".join(filter(None, found)) for found in re.findall(r"_\((\w+)(?:, *(\w+))?\)", text)]


@pytest.mark.parametrize("name", LISTS)
def test_every_operator_of_a_list_has_a_kernel_for_autocast(device, name):
    has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key
    found = operators(name)
    assert len(found) >= LISTS[name] - 1  # one came with torch 2.13
    assert [op for op in found if not has_kernel(f"aten::{op}", "AutocastPrivateUse1")] == []
    assert not has_kernel("aten::relu", "AutocastPrivateUse1")


def lists(device):
    pytest.importorskip("expecttest")  # of torch's own tests
    from torch.testing._internal.autocast_test_lists import AutocastTestLists

    torch.manual_seed(0)
    return AutocastTestLists(torch.device(device, 0))


def results(device, cases, namespace):
    """Name and type of the result under autocast for each case: a name, arguments, and perhaps named ones."""
    with torch.autocast(device, dtype=HALF):
        for name, arguments, *rest in cases:
            named = next((part for part in rest if isinstance(part, dict)), {})
            expected = next((part for part in rest if isinstance(part, torch.dtype)), None)
            if namespace == "methods":
                function, arguments = getattr(arguments[0], name, None), arguments[1:]
            else:
                function = getattr(namespace, name, None)
            # Division of Python 2 is not there, convolution of cuDNN not for this device, and the arguments of one
            # operator do not fit it.
            if function is None or "cudnn" in name or not isinstance(arguments, tuple):
                continue
            result = function(*arguments, **named)
            first = next((part for part in result if part is not None), None) if isinstance(result, tuple) else result
            yield name, getattr(first, "dtype", None), expected


@pytest.mark.filterwarnings("ignore:Using torch.cross without", "ignore:torch.chain_matmul is deprecated")
@pytest.mark.parametrize(
    ("name", "namespace", "dtype"),
    [
        ("torch_fp16", torch, HALF),
        ("nn_fp16", torch._C._nn, HALF),
        ("methods_fp16", "methods", HALF),
        ("linalg_fp16", torch._C._linalg, HALF),
        ("torch_fp32", torch, SINGLE),
        ("nn_fp32", torch._C._nn, SINGLE),
        ("methods_fp32", "methods", SINGLE),
        ("torch_need_autocast_promote", torch, SINGLE),
        ("torch_expect_builtin_promote", torch, None),
        ("methods_expect_builtin_promote", "methods", None),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_operators_of_torchs_own_tests_have_the_type_of_their_list(device, name, namespace, dtype):
    seen = list(results(device, getattr(lists(device), name), namespace))
    assert seen
    wrong = [
        (operator, found) for operator, found, expected in seen if found is not None and found != (dtype or expected)
    ]
    assert wrong == []
