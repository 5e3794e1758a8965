"""Names below the public ones that clients and backends of elsewhere use."""

import types

import numpy as np
import pytest
from triton import knobs
from triton._C import libtriton
from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase, GPUDriver
from triton.runtime.jit import native_specialize_impl


def test_variables_as_the_compiler_sees_them(monkeypatch):
    monkeypatch.setenv("TRITON_TEST_NAME", "text")
    monkeypatch.setenv("TRITON_TEST_ON", "on")
    monkeypatch.delenv("TRITON_TEST_ABSENT", raising=False)
    assert libtriton.getenv("TRITON_TEST_NAME") == "text"
    assert libtriton.getenv("TRITON_TEST_ABSENT") is None and libtriton.getenv("TRITON_TEST_ABSENT", "x") == "x"
    assert libtriton.getenv_bool("TRITON_TEST_ON", False) and libtriton.getenv_bool("TRITON_TEST_ABSENT", True)
    with pytest.raises(ValueError, match="expected 1/true/on/yes or 0/false/off/no"):
        libtriton.getenv_bool("TRITON_TEST_NAME", False)


def test_variables_that_change_code(monkeypatch):
    monkeypatch.setenv("DISABLE_LLVM_OPT", "1")
    monkeypatch.setenv("TRITON_REPRODUCER_PATH", "/somewhere")  # changes no code
    with knobs.compilation.scope():
        knobs.compilation.disable_line_info = True
        found = libtriton.get_cache_invalidating_env_vars()
    assert found["DISABLE_LLVM_OPT"] == "1" and found["TRITON_DISABLE_LINE_INFO"] == "1"
    assert "TRITON_REPRODUCER_PATH" not in found


@pytest.mark.parametrize("value", [1, 16, 2**40, True, 0.5, None, (1, 32), np.zeros(4, np.float32)], ids=repr)
def test_specialization(value):
    arguments = (None, value, False, True, True)
    assert libtriton.native_specialize_impl(*arguments) == native_specialize_impl(*arguments)
    with pytest.raises(TypeError, match="failed to specialize argument of type: str"):
        libtriton.native_specialize_impl(None, "text", False, True, True)


def test_driver_of_a_device_that_torch_knows():
    module = types.ModuleType("torch.toy")
    chosen = []
    module.current_device = lambda: 3
    module.set_device = chosen.append
    module.get_device_capability = lambda device: (9, device)
    module.current_stream = lambda device: types.SimpleNamespace(toy_stream=100 + device)

    class Driver(GPUDriver):
        is_active = classmethod(lambda cls: True)

        def get_device_interface(self):
            return module

        def map_python_to_cpp_type(self, ty):
            return ty

        def get_current_target(self):
            return GPUTarget("toy", 9, 32)

        def get_active_torch_device(self):
            return None

        def get_benchmarker(self):
            return None

    driver = Driver()
    driver.set_current_device(1)
    assert isinstance(driver, DriverBase) and chosen == [1]
    assert driver.get_current_device() == 3 and driver.get_current_stream(2) == 102
    assert driver.get_device_capability(1) == (9, 1)
    with pytest.raises(TypeError, match="abstract"):
        GPUDriver()
