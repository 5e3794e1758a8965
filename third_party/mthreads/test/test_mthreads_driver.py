"""The driver: why it is inactive, and what it does with a driver library (a fake one)."""

from __future__ import annotations

IMPORT = "from triton.backends.mthreads.driver import MUSADriver\n"


def test_without_the_runtime_it_is_inactive_with_a_reason(installation, tmp_path):
    code = IMPORT + "print(MUSADriver.is_active()); print(MUSADriver.inactive_reason())"
    active, reason = installation.output(code, MUSA_HOME=str(tmp_path)).splitlines()
    assert active == "False"
    assert "the MUSA driver library was not found" in reason
    assert f"{tmp_path}/lib/libmusa.so" in reason
    assert "TRITON_LIBMUSA_PATH" in reason


def test_the_runtime_falls_back_to_the_cpu(installation):
    code = "import triton; print(triton.runtime.driver.active.get_current_target().backend)"
    assert installation.output(code) == "cpu"


def test_asking_for_it_by_name_says_why_not(installation):
    done = installation.run("import triton; triton.runtime.driver.active", TRITON_DEFAULT_BACKEND="mthreads")
    assert done.returncode != 0
    assert "is not active: the MUSA driver library was not found" in done.stderr


def test_a_library_that_is_none_is_named(installation, tmp_path):
    wrong = tmp_path / "libmusa.so"
    wrong.write_text("text")
    code = IMPORT + "print(MUSADriver.inactive_reason())"
    assert str(wrong) in installation.output(code, TRITON_LIBMUSA_PATH=str(wrong))


def test_a_library_without_devices_is_inactive(installation, fake_musa):
    code = IMPORT + "print(MUSADriver.inactive_reason())"
    assert installation.output(code, TRITON_LIBMUSA_PATH=str(fake_musa)) == f"{fake_musa} finds no device"


def test_a_failing_call_is_named_with_the_librarys_reason(installation, fake_musa):
    code = IMPORT + "print(MUSADriver.inactive_reason())"
    reason = installation.output(code, TRITON_LIBMUSA_PATH=str(fake_musa), FAKE_MUSA_BROKEN="1")
    assert reason == "muInit failed: no device driver (100)"


def test_target_of_a_device(installation, fake_musa):
    code = IMPORT + "print(MUSADriver.is_active(), MUSADriver().get_current_target())"
    output = installation.output(code, TRITON_LIBMUSA_PATH=str(fake_musa), FAKE_MUSA_DEVICES="1")
    assert output == "True GPUTarget(backend='musa', arch=31, warp_size=32)"


def test_loading_and_launching(installation, fake_musa, tmp_path):
    log = tmp_path / "launches"
    code = IMPORT + (
        """
from types import SimpleNamespace
driver = MUSADriver()
module, function, registers, spills, threads = driver.utils.load_binary("kernel", b"binary", 0, 0)
print(registers, spills, threads)
source = SimpleNamespace(signature={"p": "*fp32", "BLOCK": "constexpr", "n": "i32", "s": "fp32"})
launch = driver.launcher_cls(source, SimpleNamespace(num_warps=4, warp_size=32, shared=64))
seen = []
tensor = SimpleNamespace(data_ptr=lambda: 4096)
launch(2, 3, 1, 0, function, None, "meta", seen.append, seen.append, tensor, 16, 7, 0.5)
launch(0, 3, 1, 0, function, None, "meta", seen.append, seen.append, tensor, 16, 7, 0.5)
print(seen)
driver.utils.unload_module(module)
"""
    )
    env = {"TRITON_LIBMUSA_PATH": str(fake_musa), "FAKE_MUSA_DEVICES": "1", "FAKE_MUSA_LOG": str(log)}
    assert installation.output(code, **env).splitlines() == ["40 30 0", "['meta', 'meta']"]
    launched = "grid 2 3 1 block 128 1 1 shared 64 stream (nil) pointer 4096 int 7 float 0.5\n"
    assert log.read_text() == launched, "an empty grid launches nothing"


def test_a_wrong_argument_is_named(installation, fake_musa):
    code = IMPORT + (
        """
from types import SimpleNamespace
source = SimpleNamespace(signature={"n": "i32"})
MUSADriver().launcher_cls(source, SimpleNamespace(num_warps=4, warp_size=32, shared=0))(
    1, 1, 1, 0, 1, None, None, None, None, "seven")
"""
    )
    done = installation.run(code, TRITON_LIBMUSA_PATH=str(fake_musa), FAKE_MUSA_DEVICES="1")
    assert "TypeError: argument 'n' = 'seven' of type str" in done.stderr


def test_a_binary_that_does_not_load_is_an_error(installation, fake_musa):
    code = IMPORT + "MUSADriver().utils.load_binary('kernel', b'nonsense', 0, 0)"
    done = installation.run(code, TRITON_LIBMUSA_PATH=str(fake_musa), FAKE_MUSA_DEVICES="1")
    assert "MusaError: muModuleLoadData failed" in done.stderr


def test_elements_of_tuples_are_arguments_of_their_own(installation, fake_musa, tmp_path):
    log = tmp_path / "launches"
    code = IMPORT + (
        """
from types import SimpleNamespace
source = SimpleNamespace(signature={"t": ("*fp32", "constexpr", ("i32", "fp32")), "BLOCK": "constexpr"})
launch = MUSADriver().launcher_cls(source, SimpleNamespace(num_warps=1, warp_size=32, shared=0))
function = MUSADriver().utils.load_binary("kernel", b"binary", 0, 0)[1]
tensor = SimpleNamespace(data_ptr=lambda: 4096)
launch(1, 1, 1, 0, function, None, None, None, None, (tensor, 5, (7, 0.5)), 16)
"""
    )
    env = {"TRITON_LIBMUSA_PATH": str(fake_musa), "FAKE_MUSA_DEVICES": "1", "FAKE_MUSA_LOG": str(log)}
    installation.output(code, **env)
    assert log.read_text().endswith("pointer 4096 int 7 float 0.5\n")


def test_descriptors_are_passed_as_what_they_consist_of(installation, fake_musa, tmp_path):
    code = IMPORT + (
        """
from types import SimpleNamespace
source = SimpleNamespace(signature={"d": "tensordesc<fp32[64, 32]>"})
launch = MUSADriver().launcher_cls(source, SimpleNamespace(num_warps=1, warp_size=32, shared=0))
tensor = SimpleNamespace(data_ptr=lambda: 4096)
value = SimpleNamespace(base=tensor, shape=[100, 200], strides=[256, 1], block_shape=[64, 32])
print([slot.value for slot in launch._slots("d", launch._live[0][2], value)])
launch(1, 1, 1, 0, 1, None, None, None, None, tensor)
"""
    )
    done = installation.run(code, TRITON_LIBMUSA_PATH=str(fake_musa), FAKE_MUSA_DEVICES="1")
    assert done.stdout.strip() == "[4096, 100, 200, 256]"
    assert "TypeError: argument 'd' = " in done.stderr and "expected a TensorDescriptor" in done.stderr
