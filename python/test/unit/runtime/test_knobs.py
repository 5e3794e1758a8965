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


def test_assigning_env_follows_the_variable_again(monkeypatch):
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "0")
    knobs.compilation.always_compile = True
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "0")
    assert knobs.compilation.always_compile is True
    knobs.compilation.always_compile = knobs.env
    assert knobs.compilation.always_compile is False
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    assert knobs.compilation.always_compile is True


def test_reset_keeps_what_was_set_since(monkeypatch):
    monkeypatch.delenv("TRITON_ALWAYS_COMPILE", raising=False)
    knobs.compilation.always_compile = True
    os.environ["TRITON_ALWAYS_COMPILE"] = "0"
    knobs.compilation.reset()
    assert os.environ["TRITON_ALWAYS_COMPILE"] == "0" and knobs.compilation.always_compile is False


def test_assignments_that_leave_the_environment_alone(monkeypatch):
    monkeypatch.delenv("TRITON_ALWAYS_COMPILE", raising=False)
    monkeypatch.setattr(knobs, "propagate_env", False)
    with knobs.compilation.scope():
        knobs.compilation.always_compile = True
        assert knobs.compilation.always_compile and "TRITON_ALWAYS_COMPILE" not in os.environ
    assert not knobs.compilation.always_compile


def test_scopes_of_devices_that_are_not_there():
    with knobs.otherdevice.scope():
        knobs.otherdevice.tool = "a"
        assert knobs.otherdevice.knobs == {"tool": "a"} and knobs.otherdevice.copy().tool == "a"
    assert knobs.otherdevice.tool is None
    knobs.otherdevice.tool = "b"
    assert knobs.otherdevice.reset().knobs == {}


def test_a_class_of_the_wrong_kind(monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_MANAGER", "collections:OrderedDict")
    with pytest.raises(ValueError, match="TRITON_CACHE_MANAGER='collections:OrderedDict'.*derived from .*CacheManager"):
        knobs.cache.manager_class


def test_knobs_of_ones_own(monkeypatch):
    class Own(knobs.base_knobs):
        fast: knobs.env_bool = knobs.env_bool("OWN_FAST", True)
        maybe = knobs.env_opt_bool("OWN_MAYBE")
        level: knobs.env_int = knobs.env_int("OWN_LEVEL")
        name = knobs.env_str("OWN_NAME", "x")
        path = knobs.env_opt_str("OWN_PATH")
        made = knobs.env_str_callable_default("OWN_MADE", lambda: "y")
        cls = knobs.env_class("OWN_CLASS", "CacheManager")

    own = Own()
    defaults = {"fast": True, "maybe": None, "level": 0, "name": "x", "path": None, "made": "y", "cls": None}
    assert own.knobs == defaults
    for name, text in {
        "FAST": "0",
        "MAYBE": "1",
        "LEVEL": "3",
        "CLASS": "triton.runtime.cache:FileCacheManager",
    }.items():
        monkeypatch.setenv(f"OWN_{name}", text)
    assert (own.fast, own.maybe, own.level, own.cls.__name__) == (False, True, 3, "FileCacheManager")
    assert set(own.knob_descriptors) == set(own.knobs) and own.knob_descriptors["level"].env == "OWN_LEVEL"
    monkeypatch.setenv("OWN_CLASS", "collections:OrderedDict")
    with pytest.raises(ValueError, match="OWN_CLASS.*not a class derived from CacheManager"):
        own.cls


def test_texts_of_values(monkeypatch):
    assert [knobs.toenv(v) for v in (True, None, 3, "a", knobs.HookChain(), (1,))] == [
        ("1",), (None,), ("3",), ("a",), None, None,
    ]  # fmt: skip
    monkeypatch.delenv("OWN_TEXT", raising=False)
    knobs.setenv("OWN_TEXT", "1")
    assert os.environ["OWN_TEXT"] == "1"
    knobs.setenv("OWN_TEXT", None)
    assert "OWN_TEXT" not in os.environ


def test_nobody_without_a_home(tmp_path, monkeypatch):
    from triton import _temporary_home

    monkeypatch.delenv("TRITON_HOME", raising=False)
    monkeypatch.setattr("os.path.expanduser", lambda path: path)  # as it is without HOME and passwd entry
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    find = _temporary_home.temporary_home
    find.cache_clear()
    with pytest.warns(UserWarning, match="HOME is not set.*Set TRITON_HOME or TRITON_CACHE_DIR"):
        folder = knobs.cache.home_dir
    assert folder == str(tmp_path / f"triton-{os.getuid()}") and os.stat(folder).st_mode & 0o777 == 0o700
    assert knobs.cache.home_dir == folder
    os.chmod(folder, 0o777)  # others may have put kernels there
    find.cache_clear()
    with pytest.warns(UserWarning):
        other = knobs.cache.home_dir
    assert other != folder and os.path.dirname(other) == str(tmp_path)
    find.cache_clear()
