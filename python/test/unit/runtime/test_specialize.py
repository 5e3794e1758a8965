"""The native launcher and the Python code make the same decisions about arguments."""

import itertools
import struct

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.runtime.jit import native_specialize_impl
from triton.runtime.native_bridge import make_function

CONST_OPEN, CONST_CLOSE, CONST_NONE = 15, 16, 17
POINTERS = "u1 i8 i16 i32 i64 u8 u16 u32 u64 fp16 bf16 fp32 fp64 fp8e4nv fp8e5 fp8e4b8 fp8e5b16 fp8e4b15".split()
SCALARS = {
    1: ("constexpr", None),
    2: ("constexpr", 1),
    3: ("u1", None),
    4: ("fp32", None),
    5: ("i32", ""),
    6: ("i32", "D"),
    7: ("i64", ""),
    8: ("i64", "D"),
    9: ("u64", ""),
    10: ("u64", "D"),
}


def decode(codes):
    """The types and keys that native codes stand for."""
    items = iter(codes)

    def read(end):
        found = []
        for code in items:
            if code == end:
                return tuple(t for t, _ in found), tuple(k for _, k in found)
            if code == 13:
                found.append(read(14))
            elif code >= 0x40:
                found.append((f"*{POINTERS[(code & 0x3F) >> 1]}", "D" if code & 1 else ""))
            else:
                found.append(SCALARS[code])
        return tuple(t for t, _ in found), tuple(k for _, k in found)

    types, keys = read(None)
    return types[0], keys[0]


@triton.jit
def plain(x):
    tl.store(x, 1)


@triton.jit(do_not_specialize=["x"])
def unspecialized(x):
    tl.store(x, 1)


@triton.jit(do_not_specialize_on_alignment=["x"])
def unaligned(x):
    tl.store(x, 1)


class Duck:
    def __init__(self, dtype, address):
        self.dtype, self.address = dtype, address

    def data_ptr(self):
        return self.address


def values():
    yield from (None, True, False, 0.0, 1.0, float("nan"))
    for n in (0, 1, 2, 15, 16, -16, -1, 31, 32, 33, 63, 64):
        yield n
        for sign in (1, -1):
            if 2 < n:
                for delta in (-1, 0, 1):
                    value = sign * (2**n + delta) if 0 < n < 64 else n
                    if -(2**63) <= value < 2**64:
                        yield value
    for name in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split():
        array = np.zeros(64, name)
        yield array
        yield array[1:]
    for dtype, address in itertools.product(("torch.float32", "torch.bfloat16", "float8_e5m2"), (16, 24)):
        yield Duck(dtype, address)
    yield ()
    yield (1, 2, (16, None, np.zeros(16, "float32")), True)


def normalize(key):
    """No key and an empty one mean the same to the compiler."""
    if isinstance(key, tuple):
        return tuple(map(normalize, key))
    return key or ""


@pytest.mark.parametrize("fn", [plain, unspecialized, unaligned], ids=["plain", "no specialize", "no align"])
def test_native_and_python_agree(fn):
    native = make_function(fn)
    param = fn.params[0]
    count = 0
    for value in values():
        specialize = not param.do_not_specialize
        align = not param.do_not_specialize_on_alignment
        expected_type, expected_key = native_specialize_impl(None, value, False, specialize, align)
        decided = native.specialize(0, value)
        assert decided is not None, value
        found_type, found_key = decode(decided[0])
        assert found_type == expected_type, value
        assert normalize(found_key) == normalize(expected_key), value
        count += 1
    assert count > 80


def test_tensors_of_torch_agree():
    torch = pytest.importorskip("torch")
    native = make_function(plain)
    base = torch.zeros(64)
    dtypes = (torch.float32, torch.float16, torch.bfloat16, torch.int8, torch.int64, torch.bool, torch.float8_e4m3fn)
    tensors = [torch.zeros(64, dtype=dtype) for dtype in dtypes]
    tensors += [base[1:], base[4:], base.requires_grad_(), torch.nn.Parameter(torch.zeros(3)), torch.zeros(0)]
    for tensor in tensors:
        codes, slots = native.specialize(0, tensor)
        assert decode(codes) == native_specialize_impl(None, tensor, False, True, True)
        assert struct.unpack("<Q", slots)[0] == tensor.data_ptr()


def test_tensor_without_memory_is_left_to_python():
    torch = pytest.importorskip("torch")
    assert make_function(plain).specialize(0, torch.zeros(4, device="meta")) is None


def test_patched_tensor_methods_are_honoured(monkeypatch):
    torch = pytest.importorskip("torch")
    native = make_function(plain)
    tensor = torch.zeros(64)
    address = tensor.data_ptr()
    assert struct.unpack("<Q", native.specialize(0, tensor)[1])[0] == address
    monkeypatch.setattr(torch.Tensor, "data_ptr", lambda self: 4096)
    assert struct.unpack("<Q", native.specialize(0, tensor)[1])[0] == 4096
    monkeypatch.undo()
    assert struct.unpack("<Q", native.specialize(0, tensor)[1])[0] == address


def test_tensor_subclass_in_python_keeps_its_methods():
    torch = pytest.importorskip("torch")

    class Moved(torch.Tensor):
        def data_ptr(self):
            return 8192

    tensor = torch.zeros(64).as_subclass(Moved)
    assert struct.unpack("<Q", make_function(plain).specialize(0, tensor)[1])[0] == 8192


@pytest.mark.parametrize("value", ["text", [1], {}, object(), tl.float32])
def test_values_that_are_no_arguments(value):
    with pytest.raises(TypeError, match="failed to specialize argument of type"):
        native_specialize_impl(None, value, False, True, True)
    assert make_function(plain).specialize(0, value) is None


def test_const_pointers():
    assert native_specialize_impl(None, np.zeros(4, "float32"), True, True, True)[0] == "*kfp32"
