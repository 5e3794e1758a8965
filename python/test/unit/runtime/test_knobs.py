"""Knobs: attributes with environment variables behind them."""

import os

import pytest
from triton import knobs
from triton.knobs import HookChain


def test_follows_the_environment(monkeypatch):
    monkeypatch.delenv("TRITON_KERNEL_DUMP", raising=False)
    assert knobs.compilation.dump_ir is False
    for text, value in {"1": True, "on": True, "TRUE": True, "0": False, "off": False, "": False}.items():
        monkeypatch.setenv("TRITON_KERNEL_DUMP", text)
        assert knobs.compilation.dump_ir is value


def test_bad_value_names_variable_and_choices(monkeypatch):
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "maybe")
    with pytest.raises(ValueError, match="TRITON_KERNEL_DUMP='maybe'.*dump_ir.*1/true/on/yes"):
        knobs.compilation.dump_ir
    monkeypatch.setenv("TRITON_REDIS_PORT", "a")
    with pytest.raises(ValueError, match="TRITON_REDIS_PORT"):
        knobs.redis.port


def test_assigning_sets_the_environment_and_reset_undoes_it(monkeypatch):
    monkeypatch.setenv("TRITON_STORE_BINARY_ONLY", "0")
    group = knobs.compilation
    group.store_binary_only = True
    assert os.environ["TRITON_STORE_BINARY_ONLY"] == "1" and group.store_binary_only
    group.reset()
    assert os.environ["TRITON_STORE_BINARY_ONLY"] == "0" and not group.store_binary_only


def test_scope():
    before = os.environ.get("TRITON_CACHE_DIR")
    with knobs.cache.scope():
        knobs.cache.dir = "/somewhere"
        assert os.environ["TRITON_CACHE_DIR"] == "/somewhere"
    assert os.environ.get("TRITON_CACHE_DIR") == before
    with pytest.raises(ZeroDivisionError), knobs.cache.scope():
        knobs.cache.dir = "/somewhere"
        raise ZeroDivisionError
    assert os.environ.get("TRITON_CACHE_DIR") == before


def test_copy_leaves_the_environment_alone(monkeypatch):
    monkeypatch.delenv("TRITON_ALWAYS_COMPILE", raising=False)
    copy = knobs.compilation.copy()
    copy.always_compile = True
    assert copy.always_compile and not knobs.compilation.always_compile
    assert "TRITON_ALWAYS_COMPILE" not in os.environ


def test_misspelled_knob_names_the_nearest():
    with pytest.raises(AttributeError, match="'dump_irr'.*did you mean 'dump_ir'"):
        knobs.compilation.dump_irr = True


def test_groups_of_devices_that_are_not_there():
    assert knobs.somedevice.assembler_path is None
    knobs.somedevice.assembler_path = "/somewhere"
    assert knobs.somedevice.assembler_path == "/somewhere"
    with pytest.raises(AttributeError, match="did you mean 'compilation'"):
        _ = knobs.compilaton
    assert not hasattr(knobs, "SomeClass") and not hasattr(knobs, "__path__")


def test_folders_follow_home(monkeypatch):
    for name in ("TRITON_CACHE_DIR", "TRITON_DUMP_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TRITON_HOME", "/other")
    assert knobs.cache.dir == "/other/.triton/cache" and knobs.cache.dump_dir == "/other/.triton/dump"


def test_empty_folder_is_one_that_is_not_set(monkeypatch):
    monkeypatch.setenv("TRITON_HOME", "/somewhere")
    monkeypatch.setenv("TRITON_CACHE_DIR", "")
    assert knobs.cache.dir == "/somewhere/.triton/cache"


def test_debug_is_read_once(monkeypatch):
    knobs.refresh_knobs()
    monkeypatch.delenv("TRITON_DEBUG", raising=False)
    assert knobs.runtime.debug is False
    monkeypatch.setenv("TRITON_DEBUG", "1")
    assert knobs.runtime.debug is False
    knobs.refresh_knobs()
    assert knobs.runtime.debug is True
    monkeypatch.undo()
    knobs.refresh_knobs()


def test_hook_chain_is_false_while_empty():
    calls = []
    chain = HookChain()
    assert not chain and len(chain.calls) == 0
    first, second = (lambda x: calls.append((1, x))), (lambda x: calls.append((2, x)))
    chain.add(first)
    chain.add(second)
    chain.add(first)
    assert chain and len(chain) == 2
    chain("a")
    assert calls == [(1, "a"), (2, "a")]
    chain.remove(first)
    chain.remove(first)
    chain("b")
    assert calls[2:] == [(2, "b")]


def test_exit_hooks_run_in_reverse():
    calls = []
    chain = HookChain(reversed=True)
    chain.add(lambda: calls.append(1))
    chain.add(lambda: calls.append(2))
    chain()
    assert calls == [2, 1]


def test_hooks_are_chains_by_default():
    knobs.runtime.reset()
    assert isinstance(knobs.runtime.launch_enter_hook, HookChain)
    assert knobs.runtime.launch_enter_hook is knobs.runtime.launch_enter_hook
    assert not knobs.runtime.launch_exit_hook
