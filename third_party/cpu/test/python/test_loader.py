"""Loading objects into the process, and what is refused."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from mlir_kernels import KERNEL_SIGNATURE, Kernel, add_kernel, compile_module, compile_object, cpu, llvm, target


@pytest.fixture(scope="module")
def add_object() -> bytes:
    return compile_object(add_kernel())


def check_add(kernel: Kernel, count: int = 3000) -> None:
    x, y = np.random.default_rng(0).random((2, count), dtype=np.float32)
    z = np.full(count + 16, -1, dtype=np.float32)
    assert kernel.launch((-(-count // 1024), 1, 1), [x, y, z, count]) is None
    np.testing.assert_array_equal(z[:count], x + y)
    assert (z[count:] == -1).all()


def test_object_runs(add_object):
    check_add(Kernel("add", add_object))


def test_equal_names_do_not_clash(add_object):
    other = compile_object(add_kernel().replace("arith.addf", "arith.mulf"))
    first, second = Kernel("add", add_object), Kernel("add", other)
    assert first.function != second.function
    check_add(first)
    x, z = np.full(4, 3, dtype=np.float32), np.zeros(4, dtype=np.float32)
    second.launch((1, 1, 1), [x, x, z, 4])
    assert (z == 9).all()


def test_object_from_a_file_runs_in_a_new_process(add_object, tmp_path):
    path = tmp_path / "add.obj"
    path.write_bytes(add_object)
    script = (
        "import sys, pathlib, numpy as np\n"
        "from mlir_kernels import Kernel\n"
        "kernel = Kernel('add', pathlib.Path(sys.argv[1]).read_bytes())\n"
        "x = np.arange(100, dtype=np.float32); z = np.zeros_like(x)\n"
        "assert kernel.launch((1, 1, 1), [x, x, z, 100]) is None\n"
        "assert (z == 2 * x).all()\n"
    )
    subprocess.run([sys.executable, "-c", script, path], check=True, cwd=Path(__file__).parent, timeout=60)


def test_many_loads_and_unloads(add_object):
    for _ in range(50):
        check_add(Kernel("add", add_object), 20)
    gc.collect()


def test_unload_twice_is_an_error(add_object):
    handle, _ = cpu.load("add", add_object)
    cpu.unload(handle)
    with pytest.raises(RuntimeError, match=f"handle {handle}"):
        cpu.unload(handle)


@pytest.mark.parametrize("garbage", [b"", b"garbage", b"\x7fELF", b"\x7fELF" + bytes(200)])
def test_garbage_is_refused(garbage, add_object):
    with pytest.raises(RuntimeError, match="kernel 'add' could not be loaded"):
        cpu.load("add", garbage)
    check_add(Kernel("add", add_object))


def test_truncated_object_is_refused(add_object):
    for size in range(1, len(add_object) - 64, 61):
        with pytest.raises(RuntimeError, match="could not be loaded"):
            cpu.load("add", add_object[:size])
    check_add(Kernel("add", add_object))


def test_damaged_object_is_refused(add_object):
    sealed = cpu.seal(add_object)
    assert sealed.startswith(add_object)
    check_add(Kernel("add", sealed))
    for position in range(0, len(sealed) - 8, 17):
        damaged = bytearray(sealed)
        damaged[position] ^= 0x10
        with pytest.raises(RuntimeError, match="kernel 'add' could not be loaded: the object is damaged"):
            cpu.load("add", bytes(damaged))
    check_add(Kernel("add", sealed))


def test_object_of_another_architecture_is_refused(add_object):
    machine = bytearray(add_object)
    machine[18:20] = (40).to_bytes(2, sys.byteorder)  # e_machine: 32-bit ARM
    with pytest.raises(RuntimeError, match="could not be loaded"):
        cpu.load("add", bytes(machine))


def test_missing_kernel_is_named(add_object):
    with pytest.raises(RuntimeError, match="subtract"):
        cpu.load("subtract", add_object)


def test_unknown_function_is_named():
    text = f"""module {{
      llvm.func @no_such_function()
      func.func @kernel{KERNEL_SIGNATURE} {{
        llvm.call @no_such_function() : () -> ()
        return
      }}
    }}"""
    code = compile_object(text)
    with pytest.raises(RuntimeError, match="no_such_function"):
        cpu.load("kernel", code)


@pytest.mark.parametrize("object_", [None, "text", 5])
def test_object_must_be_bytes(object_):
    with pytest.raises(TypeError):
        cpu.load("add", object_)


CALLED_HELPERS = {
    "memset": ("(!llvm.ptr, i32, i64) -> !llvm.ptr", "%a0, %c7, %c8"),
    "memcpy": ("(!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr", "%a0, %a1, %c8"),
    "memmove": ("(!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr", "%a0, %a1, %c8"),
}


@pytest.mark.parametrize("name", CALLED_HELPERS)
def test_memory_functions_are_found(name):
    signature, operands = CALLED_HELPERS[name]
    parameters = signature.split(" -> ")[0]
    text = f"""module {{
      llvm.func @{name}{parameters} -> !llvm.ptr
      func.func @kernel{KERNEL_SIGNATURE} {{
        %c7 = arith.constant 7 : i32
        %c8 = arith.constant 8 : i64
        %q = llvm.getelementptr %args[1] : (!llvm.ptr) -> !llvm.ptr, i64
        %a0 = llvm.load %args : !llvm.ptr -> !llvm.ptr
        %a1 = llvm.load %q : !llvm.ptr -> !llvm.ptr
        %r = llvm.call @{name}({operands}) : {signature}
        return
      }}
    }}"""
    target_, source = np.zeros(8, dtype=np.uint8), np.full(8, 7, dtype=np.uint8)
    Kernel("kernel", compile_object(text)).run_range(0, 1, [target_, source])
    assert (target_ == 7).all()


HALF_CONVERSIONS = [("f32", "f16"), ("f64", "f16"), ("f32", "bf16"), ("f64", "bf16"), ("f16", "f32"), ("bf16", "f32")]


@pytest.mark.skipif(not cpu.host()["triple"].startswith("x86_64"), reason="checks code for x86-64 without F16C")
@pytest.mark.parametrize("source, result", HALF_CONVERSIONS, ids="-".join)
def test_conversions_without_instructions(source, result):
    operation = "arith.truncf" if result.endswith("16") else "arith.extf"
    text = f"""module {{
      func.func @kernel{KERNEL_SIGNATURE} {{
        %p1 = llvm.getelementptr %args[1] : (!llvm.ptr) -> !llvm.ptr, i64
        %x = llvm.load %args : !llvm.ptr -> !llvm.ptr
        %y = llvm.load %p1 : !llvm.ptr -> !llvm.ptr
        %one = arith.constant 1 : i64
        scf.for %i = %lo to %hi step %one : i64 {{
          %px = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, {source}
          %py = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, {result}
          %v = llvm.load %px : !llvm.ptr -> {source}
          %w = {operation} %v : {source} to {result}
          llvm.store %w, %py : {result}, !llvm.ptr
        }}
        return
      }}
    }}"""
    values = [0, -0.0, 1, -1.5, 1 / 3, 65504, 65519.9, 65520, 1e-5, 6e-8, 3e-8, 2.98e-8, 1e-40, 1e30, np.inf, -np.inf]
    ranges = np.array(values, dtype=np.float64)

    def encode(name: str) -> np.ndarray:
        if name == "bf16":
            return to_bfloat16(ranges.astype(np.float32))
        with np.errstate(over="ignore"):
            return ranges.astype({"f16": np.float16, "f32": np.float32, "f64": np.float64}[name])

    x = encode(source)
    y = np.zeros(len(x), dtype={"f32": np.float32, "f16": np.float16, "bf16": np.uint16}[result])
    Kernel("kernel", compile_object(text, cpu_name="x86-64", vector_bits=128)).run_range(0, len(x), [x, y])
    with np.errstate(over="ignore"):
        if source == "bf16":
            expected = (x.astype(np.uint32) << 16).view(np.float32)
        elif result == "bf16":
            expected = to_bfloat16(x.astype(np.float32))
        else:
            expected = x.astype(y.dtype)
    np.testing.assert_array_equal(y.view(f"u{y.itemsize}"), expected.view(f"u{y.itemsize}"))


def to_bfloat16(values: np.ndarray) -> np.ndarray:
    """Round to nearest even, as bit patterns. No NaN."""
    bits = values.view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def test_assembly_and_object_come_from_one_module():
    module = compile_module(add_kernel())
    before = str(module)
    assert "add:" in llvm.to_assembly(module, *target())
    assert llvm.to_object(module, *target()) == llvm.to_object(module, *target())
    assert str(module) == before
