"""Discovery of backends and choice of the driver."""

import os
import shutil
import subprocess
import sys
import textwrap
import types

import pytest
import triton
import triton.backends as backends_module
from triton.backends import Backend, Backends, backends
from triton.backends.compiler import BaseBackend, GPUTarget
from triton.backends.driver import DriverBase
from triton.compiler import make_backend
from triton.runtime import driver as driver_object
from triton.runtime.driver import DriverConfig
from triton.runtime.driver import driver as same_object

from .kernels import scale


def make_driver(active, reason="no device found"):
    class Driver(DriverBase):
        @classmethod
        def is_active(cls):
            if isinstance(active, Exception):
                raise active
            return active

        @classmethod
        def inactive_reason(cls):
            return reason

        def map_python_to_cpp_type(self, ty):
            return ty

        def get_current_target(self):
            return GPUTarget("x", 0, 1)

        def get_active_torch_device(self):
            return None

        def get_benchmarker(self):
            return None

    return Driver


@pytest.fixture
def installed(monkeypatch):
    """Installs fake backends; returns a fresh choice of driver."""

    def install(**active):
        found = Backends()
        found._found = {}
        for name, state in active.items():
            backend = Backend(name, f"fake.{name}")
            backend._classes["driver"] = make_driver(*state) if isinstance(state, tuple) else make_driver(state)
            found._found[name] = backend
        monkeypatch.setattr(sys.modules["triton.runtime.driver"], "backends", found)
        return DriverConfig(), found

    monkeypatch.delenv("TRITON_DEFAULT_BACKEND", raising=False)
    return install


def test_driver_is_the_object_under_both_names():
    assert driver_object is same_object
    assert driver_object.active.get_current_target().backend == "cpu"


def test_only_accelerator_wins_over_the_cpu(installed):
    config, found = installed(cpu=True, one=False, two=True)
    assert type(config.active) is found["two"].driver


def test_a_driver_may_wait_to_be_chosen(installed, monkeypatch):
    config, found = installed(cpu=True, one=True)
    found["one"].driver.chosen_by_default = False
    assert config.decided is None
    assert type(config.active) is found["cpu"].driver
    monkeypatch.setenv("TRITON_DEFAULT_BACKEND", "one")
    assert type(DriverConfig().active) is found["one"].driver
    assert type(config.decided) is found["cpu"].driver


def test_cpu_is_the_fallback(installed):
    config, found = installed(cpu=True, one=False)
    assert type(config.active) is found["cpu"].driver


def test_a_broken_backend_is_named_when_the_cpu_takes_its_place(installed):
    config, found = installed(cpu=True, one=OSError("no libone.so"), two=False)
    with pytest.warns(RuntimeWarning, match="backend 'one' is skipped, it cannot be used: OSError: no libone.so"):
        assert type(config.active) is found["cpu"].driver


def test_a_compiler_that_cannot_be_imported_does_not_keep_the_others_from_compiling(monkeypatch):
    found = Backends()
    found._found = {"one": Backend("one", "no_such_package_one"), "cpu": backends["cpu"]}
    with pytest.warns(RuntimeWarning, match="backend 'one' is skipped, its compiler fails: ModuleNotFoundError"):
        fitting, broken = found.for_target(GPUTarget("cpu", "", 1))
    assert [backend.name for backend in fitting] == ["cpu"] and "no_such_package_one" in broken["one"]
    assert found.for_target(GPUTarget("cpu", "", 1)) == (fitting, broken), "the warning comes once"
    monkeypatch.setattr(sys.modules["triton.compiler.compiler"], "backends", found)
    with pytest.raises(RuntimeError, match="0 compatible.*; one cannot be used: ModuleNotFoundError"):
        make_backend(GPUTarget("nowhere", 0, 1))


def test_an_alias_chooses_its_backend(installed, monkeypatch):
    config, found = installed(cpu=True, one=True, two=True)
    monkeypatch.setattr(sys.modules["triton.runtime.driver"], "backend_aliases", lambda: {"first": "one", "x": "gone"})
    monkeypatch.setenv("TRITON_DEFAULT_BACKEND", "first")
    assert type(config.active) is found["one"].driver
    monkeypatch.setenv("TRITON_DEFAULT_BACKEND", "frist")
    with pytest.raises(RuntimeError, match="'frist' is no backend of this installation.*Did you mean 'first'"):
        DriverConfig().active


def test_environment_wins(installed, monkeypatch):
    config, found = installed(cpu=True, one=True, two=True)
    monkeypatch.setenv("TRITON_DEFAULT_BACKEND", "cpu")
    assert type(config.active) is found["cpu"].driver


def test_set_active_wins_and_can_be_reset(installed):
    config, found = installed(cpu=True, one=True)
    mine = make_driver(True)()
    config.set_active(mine)
    assert config.active is mine
    config.reset_active()
    assert type(config.active) is found["one"].driver


def test_a_driver_may_name_a_type_of_device_twice():
    torch = pytest.importorskip("torch")
    cpu = backends["cpu"].driver
    twice = type("Twice", (cpu,), {"dlpack_device_types": (*cpu.dlpack_device_types, *cpu.dlpack_device_types)})
    x, out = torch.arange(50.0), torch.zeros(50)
    driver_object.set_active(twice())
    try:
        scale[(4,)](x, out, 50, 2.0, BLOCK=16)
    finally:
        driver_object.reset_active()
    assert torch.equal(out, x * 2)


def test_several_accelerators_are_an_error(installed):
    config, _ = installed(cpu=True, one=True, two=True)
    with pytest.raises(RuntimeError, match="2 accelerators.*one, two.*TRITON_DEFAULT_BACKEND"):
        config.active


def test_no_driver_lists_every_backend_and_why(installed):
    config, _ = installed(cpu=(False, "libtriton is missing"), one=(False, "no such card"), two=OSError("broken"))
    with pytest.raises(RuntimeError, match="0 active drivers") as caught:
        config.active
    text = str(caught.value)
    assert "cpu: libtriton is missing" in text and "one: no such card" in text and "OSError: broken" in text


def test_unknown_backend_in_the_environment(installed, monkeypatch):
    config, _ = installed(cpu=True, someone=True)
    monkeypatch.setenv("TRITON_DEFAULT_BACKEND", "somone")
    with pytest.raises(RuntimeError, match="'somone'.*cpu, someone.*Did you mean 'someone'"):
        config.active


def test_inactive_backend_in_the_environment(installed, monkeypatch):
    config, _ = installed(cpu=True, one=(False, "no such card"))
    monkeypatch.setenv("TRITON_DEFAULT_BACKEND", "one")
    with pytest.raises(RuntimeError, match="'one' is not active: no such card"):
        config.active


def test_cpu_is_installed():
    assert "cpu" in backends and "cpu" in list(backends)
    assert issubclass(backends["cpu"].compiler, BaseBackend) and issubclass(backends["cpu"].driver, DriverBase)
    with pytest.raises(KeyError, match="'nothing'.*cpu"):
        backends["nothing"]


def test_make_backend_needs_exactly_one():
    assert make_backend(GPUTarget("cpu", "", 1)).binary_ext == "obj"
    with pytest.raises(RuntimeError, match=r"0 compatible backends for target \(nobody\)"):
        make_backend(GPUTarget("nobody", 0, 32))


@pytest.fixture
def distribution(tmp_path, monkeypatch):
    """Puts a distribution that declares backends on the path."""

    def install(text):
        folder = tmp_path / "some_backend-1.0.dist-info"
        folder.mkdir()
        (folder / "entry_points.txt").write_text(f"[console_scripts]\ntool = a:b\n\n[triton.backends]\n{text}\n")
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.delenv("TRITON_BACKENDS_IN_TREE", raising=False)

    return install


def test_entry_point_adds_a_backend(distribution, tmp_path):
    package = tmp_path / "some_backend"
    package.mkdir()
    (package / "__init__.py").write_text("")
    distribution("Some = some_backend")
    found = backends_module._discover()
    assert "cpu" in found and found["Some"].package == "some_backend"


def test_entry_point_is_not_read_when_backends_are_those_of_the_tree(distribution, monkeypatch):
    distribution("some = some_backend")
    monkeypatch.setenv("TRITON_BACKENDS_IN_TREE", "1")
    assert "some" not in backends_module._discover()


def test_broken_entry_point_is_named_and_skipped(distribution):
    distribution("gone = no_such_package.backend")
    with pytest.warns(UserWarning, match=r"'gone' is skipped.*no_such_package\.backend"):
        found = backends_module._discover()
    assert "cpu" in found and "gone" not in found


def test_backend_module_with_two_drivers_is_an_error():
    module = types.ModuleType("two")
    module.A, module.B = make_driver(True), make_driver(True)
    with pytest.raises(RuntimeError, match="two: expected exactly one concrete subclass of DriverBase"):
        backends_module._concrete_subclass(module, DriverBase)


def test_missing_library_makes_the_cpu_inactive_with_a_reason(monkeypatch):
    def find_spec(name, package=None):
        raise ImportError("libtriton is for another Python")

    monkeypatch.setattr("importlib.util.find_spec", find_spec)
    driver = backends["cpu"].driver
    assert not driver.is_active() and driver.inactive_reason() == "libtriton is for another Python"
    monkeypatch.setattr("importlib.util.find_spec", lambda name, package=None: None)
    assert not driver.is_active() and "pip install" in driver.inactive_reason()


def test_a_package_without_the_folder_of_libtriton_says_what_to_do(tmp_path):
    package = os.path.dirname(triton.__file__)
    shutil.copytree(package, tmp_path / "triton", ignore=shutil.ignore_patterns("_C", "__pycache__"))
    program = tmp_path / "program.py"
    program.write_text(
        "import triton, triton.language as tl\n\n@triton.jit\ndef f(n):\n    tl.num_programs(0)\n\nf[(1,)](3)\n"
    )
    done = subprocess.run(
        [sys.executable, program], env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True
    )
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode != 0 and "libtriton is missing" in last and "pip install" in last


def test_import_loads_neither_libtriton_nor_torch():
    script = """
        import sys
        import triton
        import triton.language
        from triton import jit, cdiv
        from triton.backends import backends
        assert "cpu" in backends
        loaded = [name for name in ("torch", "numpy", "triton._C.libtriton") if name in sys.modules]
        assert not loaded, loaded
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=True)
