"""Environment variables, number of jobs, and what a failed build says."""

from __future__ import annotations

import re

import pytest
from setup_tools import parallel
from setup_tools.cmake_driver import ErrorFinder
from setup_tools.environment import TABLE, Environment, warn_unknown
from setup_tools.environment_page import PAGE, environment_page
from setup_tools.errors import BuildError
from setup_tools.parallel import jobs
from setup_tools.toolchain import find_compiler_cache

from .conftest import ROOT

GIB = 1 << 30


@pytest.mark.parametrize(("cores", "memory", "expected"), [(8, 64 * GIB, 8), (64, 8 * GIB, 5), (4, GIB, 1)])
def test_jobs_come_from_cores_and_memory(monkeypatch, cores, memory, expected):
    monkeypatch.setattr(parallel, "cores", lambda: cores)
    monkeypatch.setattr(parallel, "free_memory", lambda: memory)
    assert jobs(Environment({})) == expected


@pytest.mark.parametrize(
    ("limit", "use", "cached", "expected"),
    [
        (str(8 * GIB), 3 * GIB, 1 * GIB, 6 * GIB),
        (str(8 * GIB), 9 * GIB, 0, 0),
        (str(99 * GIB), 0, 0, 16 * GIB),
        ("max", 3 * GIB, 0, 16 * GIB),
        (None, 0, 0, 16 * GIB),
    ],
)
def test_free_memory_is_that_of_the_machine_or_of_the_container(tmp_path, monkeypatch, limit, use, cached, expected):
    files = [tmp_path / name for name in ("memory.max", "memory.current", "memory.stat")]
    if limit is not None:
        for file, text in zip(files, (f"{limit}\n", f"{use}\n", f"anon 5\ninactive_file {cached}\n")):
            file.write_text(text)
    (tmp_path / "meminfo").write_text(f"MemTotal: {99 * GIB >> 10} kB\nMemAvailable: {16 * GIB >> 10} kB\n")
    monkeypatch.setattr(parallel, "_MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(parallel, "_CONTROL_GROUPS", [tuple(files)])
    assert parallel.free_memory() == expected


def test_where_nothing_tells_the_memory_cores_decide(tmp_path, monkeypatch):
    monkeypatch.setattr(parallel, "_MEMINFO", tmp_path / "nothing")
    monkeypatch.setattr(parallel, "_CONTROL_GROUPS", [])
    assert jobs(Environment({})) == parallel.cores()


def test_max_jobs_wins_over_cmakes_variable():
    assert jobs(Environment({"CMAKE_BUILD_PARALLEL_LEVEL": "3"})) == 3
    assert jobs(Environment({"CMAKE_BUILD_PARALLEL_LEVEL": "3", "MAX_JOBS": "7"})) == 7


@pytest.mark.parametrize("value", ["0", "-1", "many"])
def test_max_jobs_must_be_a_positive_number(value):
    with pytest.raises(BuildError, match=f"MAX_JOBS={value} is not a positive number"):
        jobs(Environment({"MAX_JOBS": value}))


def test_flags():
    assert Environment({}).flag("TRITON_BUILD_WITH_CCACHE") is True
    assert Environment({"TRITON_BUILD_WITH_CCACHE": "OFF"}).flag("TRITON_BUILD_WITH_CCACHE") is False
    with pytest.raises(BuildError, match="TRITON_BUILD_WITH_CCACHE=maybe is neither true"):
        Environment({"TRITON_BUILD_WITH_CCACHE": "maybe"}).flag("TRITON_BUILD_WITH_CCACHE")


def test_unknown_flagtree_variables_are_reported_with_the_nearest():
    said: list[str] = []
    warn_unknown({"FLAGTREE_BACKENDS": "x", "FLAGTREE_BACKEND": "x", "OTHER": ""}, TABLE, said.append)
    assert said == [
        "environment variable FLAGTREE_BACKENDS is not known and has no effect. Did you mean 'FLAGTREE_BACKEND'?"
    ]


def test_the_first_error_is_kept_not_the_last():
    finder = ErrorFinder()
    log = ["[1/3] Building", "FAILED: a.o", "/usr/bin/c++ -c a.cpp", "a.cpp:3:1: error: first", "  3 | oops"]
    for line in [*log, "[2/3] Building", *["more"] * 20, "b.cpp:1:1: error: second"]:
        finder.feed(line + "\n")
    assert finder.first[:2] == ["a.cpp:3:1: error: first", "  3 | oops"]
    assert not any("second" in line for line in finder.first)


def test_a_build_without_errors_has_no_first_error():
    finder = ErrorFinder()
    finder.feed("[1/1] Linking\n")
    assert finder.first == []


@pytest.mark.parametrize(
    ("there", "values", "expected"),
    [
        ("ccache sccache", {}, "ccache"),
        ("sccache", {}, "sccache"),
        ("", {}, ""),
        ("ccache sccache", {"CMAKE_CXX_COMPILER_LAUNCHER": "/opt/sccache"}, "/opt/sccache"),
        ("ccache", {"TRITON_BUILD_WITH_CCACHE": "0"}, ""),
    ],
)
def test_which_compiler_cache_is_used(tmp_path, monkeypatch, there, values, expected):
    for name in there.split():
        (tmp_path / name).touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = find_compiler_cache(Environment(values))
    assert found == (str(tmp_path / expected) if expected in there.split() else expected)


def test_the_page_of_variables_is_up_to_date():
    assert (ROOT / PAGE).read_text() == environment_page(ROOT), "run python -m setup_tools environment --write"


def test_every_variable_that_the_build_asks_for_is_in_the_table():
    known = {variable.name for variable in TABLE}
    asked = set()
    for file in (ROOT / "python" / "setup_tools").glob("*.py"):
        asked |= set(re.findall(r'\.(?:text|flag|number)\("(\w+)"\)', file.read_text()))
    assert len(asked) >= 8 and asked <= known
