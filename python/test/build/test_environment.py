"""Environment variables, number of jobs, and what a failed build says."""

from __future__ import annotations

import pytest
from setup_tools import cmake_driver
from setup_tools.cmake_driver import ErrorFinder, jobs
from setup_tools.environment import TABLE, Environment, warn_unknown
from setup_tools.errors import BuildError
from setup_tools.toolchain import find_compiler_cache

GIB = 1 << 30


@pytest.mark.parametrize(("cores", "memory", "expected"), [(8, 64 * GIB, 8), (64, 8 * GIB, 5), (4, GIB, 1)])
def test_jobs_come_from_cores_and_memory(monkeypatch, cores, memory, expected):
    monkeypatch.setattr(cmake_driver, "_cores", lambda: cores)
    monkeypatch.setattr(cmake_driver, "_free_memory", lambda: memory)
    assert jobs(Environment({})) == expected


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
