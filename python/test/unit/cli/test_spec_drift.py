"""flagtree spec drift: identical, stale and orphaned copies, and names that are missing (P6)."""

from __future__ import annotations

import pytest

FILE = "third_party/acme/backend/spec/triton/tools/compile.py"


@pytest.fixture
def forked(checkout):
    checkout.overlay("tools/compile.py", "def compile_it(): return 1\n")
    return checkout


def lock(checkout):
    return (checkout.root / "third_party/acme/backend/spec/forks.lock").read_text()


def test_p6_an_identical_copy_is_a_problem(spec, checkout):
    checkout.overlay("tools/compile.py", "def compile_it(): pass\r\n")
    (checkout.root / FILE).write_bytes(b"def compile_it(): pass\r\n")
    outcome = spec("drift")
    (problem,) = outcome.findings("problem")
    assert outcome.status == 1 and problem["subject"] == FILE and "identical to" in problem["text"]


def test_empty_files_are_no_copies(spec, checkout):
    checkout.trunk("tools/inner/__init__.py")
    checkout.overlay("tools/inner/__init__.py")
    assert spec("drift").status == 0


def test_a_fork_without_a_record_is_a_note(spec, forked):
    outcome = spec("drift")
    (note,) = outcome.findings("note")
    assert outcome.status == 0 and note["fix"] == f"flagtree spec drift --record {FILE}"


def test_p6_a_stale_copy_is_a_problem_until_it_is_recorded_by_name(spec, forked):
    assert spec("drift", "--record").json["changed"] == {"acme": ["triton/tools/compile.py"]}
    assert [finding["level"] for finding in spec("drift").json["findings"]] == ["ok"]
    forked.trunk("tools/compile.py", "def compile_it(): return 'new'\n")
    (problem,) = spec("drift").findings("problem")
    assert "stale: python/triton/tools/compile.py changed since it was forked" in problem["text"]
    before = lock(forked)
    assert spec("drift", "--record").json["changed"] == {"acme": []}
    assert lock(forked) == before, "without its name nobody has looked at the changes"
    assert spec("drift", "--record", forked.root / FILE).status == 0
    assert spec("drift").status == 0 and lock(forked) != before


def test_p6_a_fork_of_a_file_that_is_gone_is_a_problem(spec, forked):
    spec("drift", "--record")
    (forked.root / "python/triton/tools/compile.py").unlink()
    (problem,) = spec("drift").findings("problem")
    assert "forked from python/triton/tools/compile.py, which the trunk no longer has" in problem["text"]


def test_records_of_deleted_files_go(spec, forked):
    spec("drift", "--record")
    (forked.root / FILE).unlink()
    (note,) = spec("drift").findings("note")
    assert "does not exist" in note["text"]
    spec("drift", "--record")
    assert not (forked.root / "third_party/acme/backend/spec/forks.lock").exists()


def test_the_lock_is_text_that_can_be_read(spec, forked):
    spec("drift", "--record")
    head, line = lock(forked).splitlines()
    assert head.startswith("# ")
    digest, path = line.split()
    assert path == "triton/tools/compile.py" and len(digest) == len("sha256:") + 64


@pytest.mark.parametrize("line", ["sha256:12  triton/a.py", "mine triton/a.py", "own triton/a.py\nown triton/a.py"])
def test_a_damaged_lock_is_named(spec, forked, line):
    forked.spec("forks.lock", line + "\n")
    outcome = spec("drift")
    number = line.count("\n") + 1
    assert outcome.status == 2 and f"forks.lock:{number} " in outcome.err


def test_a_lock_that_is_no_text_is_named(spec, forked):
    spec("drift", "--record")
    file = forked.root / "third_party/acme/backend/spec/forks.lock"
    file.write_bytes(b"\xff\n")
    outcome = spec("drift")
    assert outcome.status == 2 and f"{file}:1 is no" in outcome.err


def test_a_file_that_is_none_of_a_specialization_cannot_be_recorded(spec, forked):
    outcome = spec("drift", "--record", forked.root / "third_party/acme/backend/driver.py")
    assert outcome.status == 2 and "is no file of a specialization" in outcome.err


def test_p6_names_that_the_trunk_imports_are_missing(spec, forked):
    forked.trunk("tools/compile.py", "def compile_it(): pass\ndef thread_barrier(): pass\ndef other(): pass\n")
    forked.trunk("tools/link.py", "from .compile import compile_it, thread_barrier\n")
    outcome = spec("drift")
    (problem,) = outcome.findings("problem")
    assert problem["text"] == "it lacks 'thread_barrier', which python/triton/tools/link.py:1 imports from it"
    assert any("lacks public names of the trunk's file: other" in note["text"] for note in outcome.findings("note"))
    spec("drift", "--record")
    assert len(spec("drift").findings("problem")) == 1 and spec("drift").findings("note") == [], "somebody has looked"


@pytest.mark.parametrize(
    "text",
    [
        "from x import *\n",
        "def __getattr__(name): pass\n",
        "try:\n    from x import thread_barrier\nexcept ImportError:\n    thread_barrier = None\n",
        "if 1:\n    thread_barrier: int = 1\n",
        "with a as thread_barrier:\n    pass\n",
    ],
)
def test_names_that_may_be_there_are_not_missing(spec, forked, text):
    forked.trunk("tools/compile.py", "def thread_barrier(): pass\n")
    forked.trunk("tools/link.py", "from .compile import thread_barrier\n")
    forked.overlay("tools/compile.py", text)
    assert spec("drift").findings("problem") == []


def test_modules_below_a_replaced_package_are_not_missing(spec, checkout):
    checkout.trunk("tools/inner/__init__.py", "x = 1\n")
    checkout.trunk("tools/inner/a.py", "x = 1\n")
    checkout.trunk("tools/link.py", "from .inner import a\n")
    checkout.overlay("tools/inner/__init__.py", "x = 2\n")
    assert spec("drift").findings("problem") == []


def test_an_installation_has_no_records(flagtree, monkeypatch):
    monkeypatch.setattr("triton.cli._tree.checkout_of", lambda package: None)
    outcome = flagtree("spec", "drift", "--record")
    assert outcome.status == 2 and "--record needs a checkout" in outcome.err


def test_options_that_do_not_belong_together_are_refused(flagtree):
    outcome = flagtree("spec", "check", "--record")
    assert outcome.status == 2 and "--record belongs to 'flagtree spec drift'" in outcome.err


def test_p6_a_file_that_takes_the_rest_from_the_trunks_is_no_stale_copy(spec, forked):
    forked.overlay(
        "tools/compile.py",
        "from triton.flagtree_spec import replaced\n_trunk = replaced(__name__)\n"
        "def __getattr__(name): return getattr(_trunk, name)\n",
    )
    spec("drift", "--record")
    forked.trunk("tools/compile.py", "def compile_it(): return 'new'\n")
    outcome = spec("drift")
    (note,) = outcome.findings("note")
    assert outcome.status == 0 and "has changed since it was recorded" in note["text"]
    assert spec("drift", "--record", forked.root / FILE).status == 0
    assert spec("drift").findings("note") == []


def test_p6_no_specialization_of_this_checkout_is_a_copy_stale_or_unrecorded(flagtree):
    findings = flagtree("spec", "drift", "--json").json["findings"]
    assert [finding for finding in findings if finding["level"] == "problem"] == []
    assert [finding for finding in findings if "is not recorded" in finding["text"]] == []
    assert any("tools/compile.py" in finding["subject"] for finding in findings)
