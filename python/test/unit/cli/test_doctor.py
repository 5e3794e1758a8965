"""flagtree doctor and backends: each thing that can be missing is found, with what repairs it."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
from spec.linked import link_installation
from triton.cli import _child, _installed, _toolchain, doctor
from triton.cli import backends as backends_command
from triton.cli._child import Answer, ask
from triton.cli._tree import checkout_of, find_tree, running_package

TREE = find_tree(environ={})

pytestmark = pytest.mark.skipif(TREE.root is None, reason="needs a source checkout")


def by_subject(findings):
    found = {}
    for finding in findings:
        found.setdefault(finding.subject, []).append(finding)
    return found


def problem(findings, subject):
    (found,) = (f for f in by_subject(findings)[subject] if f.level == "problem")
    assert found.fix, found
    return found


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "kernels"))
    names = ("CXX", "LLVM_SYSPATH", "FLAGTREE_BACKEND", "TRITON_PLUGIN_DIRS", "MAX_JOBS", "TRITON_DEFAULT_BACKEND")
    for name in (*names, "CMAKE_BUILD_PARALLEL_LEVEL"):
        monkeypatch.delenv(name, raising=False)


# -- the command ------------------------------------------------------------------------------------------------------


def test_status_follows_the_problems(flagtree, monkeypatch):
    fine = [doctor.Finding("ok", "a", "b"), doctor.Finding("note", "c", "d", "e")]
    monkeypatch.setattr(doctor, "toolchain_findings", lambda tree: iter(fine))
    outcome = flagtree("doctor", "--build", "--json")
    assert outcome.status == 0 and outcome.json["ok"] is True
    assert outcome.json["sections"]["build"][1] == {"level": "note", "subject": "c", "text": "d", "fix": "e"}
    bad = doctor.Finding("problem", "compiler", "gone", "apt-get install g++")
    monkeypatch.setattr(doctor, "toolchain_findings", lambda tree: iter([*fine, bad]))
    outcome = flagtree("doctor", "--build")
    assert outcome.status == 1
    assert "PROBLEM compiler  gone" in outcome.out and "-> apt-get install g++" in outcome.out
    assert outcome.out.endswith("1 problem\n")
    assert flagtree("doctor", "--build", "--json").json["ok"] is False


def test_this_installation_is_examined(flagtree):
    sections = flagtree("doctor", "--no-build", "--json").json["sections"]
    assert set(sections) == {"installation", "backends", "caches"}
    subjects = {finding["subject"] for finding in sections["installation"]}
    assert {"triton", "libtriton", "FileCheck", "selected"} <= subjects
    assert all(f["fix"] for section in sections.values() for f in section if f["level"] == "problem")


# -- the installation -------------------------------------------------------------------------------------------------


def distribution(folder: Path, name: str, *files: str, **texts: str) -> None:
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "RECORD").write_text("".join(f"{file},,\n" for file in files))
    for file, text in texts.items():
        (info / f"{file}.txt").write_text(text)


@pytest.fixture
def only_path(monkeypatch, tmp_path):
    """The only folder in which distributions are looked for."""
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    return tmp_path


@pytest.mark.parametrize("editable", [False, True])
def test_two_installed_distributions_that_own_triton_are_found(only_path, editable):
    distribution(only_path, "triton", "triton/__init__.py", "triton/compiler/__init__.py")
    distribution(only_path, "numpy", "numpy/__init__.py", top_level="numpy")
    if editable:
        distribution(only_path, "flagtree", "__editable__.flagtree.pth", top_level="triton\n")
    else:
        distribution(only_path, "flagtree", "triton/__init__.py")
    found = problem(doctor._owners(), "distribution")
    assert "flagtree 1.0 and triton 1.0 both own" in found.text
    assert found.fix == "pip uninstall -y triton && pip install --force-reinstall --no-deps flagtree"


def test_a_distribution_that_adds_a_backend_is_no_second_owner(only_path):
    distribution(only_path, "flagtree", "triton/__init__.py", top_level="triton\n")
    distribution(only_path, "flagtree-acme", "triton/backends/acme/driver.py", top_level="triton\n")
    found = [(f.level, f.text) for f in doctor._owners()]
    assert found == [("ok", "flagtree-acme 1.0 adds backends to it"), ("ok", "flagtree 1.0")]


def test_a_package_that_no_distribution_owns_is_a_note(only_path):
    (found,) = doctor._owners()
    assert found.level == "note"


def test_another_triton_on_the_path_is_named(only_path):
    (only_path / "triton").mkdir()
    (only_path / "triton" / "__init__.py").touch()
    assert str(only_path / "triton") in problem(doctor._shadowed(TREE.package), "path").text


def test_a_link_to_the_same_package_is_no_other(only_path):
    (only_path / "triton").symlink_to(TREE.package)
    assert list(doctor._shadowed(TREE.package)) == []


def test_a_library_that_cannot_be_imported(monkeypatch):
    monkeypatch.setattr(doctor, "library", lambda: (None, "libtriton was built for another Python"))
    found = problem(doctor.installation_findings(TREE), "libtriton")
    assert found.text == "libtriton was built for another Python" and "pip install" in found.fix


def elf_of(size: int) -> bytes:
    """An ELF header whose one program segment ends at `size`."""
    header = struct.pack("<4sBBB9xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 3, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    return header + struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, size, size, 4096)


def library_in(folder: Path, content: bytes) -> str:
    """A package whose libtriton has this content."""
    (folder / "_C").mkdir(parents=True)
    (folder / "_C" / f"libtriton{EXTENSION_SUFFIXES[0]}").write_bytes(content)
    return str(folder)


@pytest.mark.parametrize("size", [0, 20, 120, 5000])
def test_a_truncated_library_is_seen_without_loading_it(monkeypatch, tmp_path, size):
    monkeypatch.delitem(sys.modules, _installed._LIBRARY, raising=False)
    monkeypatch.setattr(_installed, "ask", lambda code: Answer(1, "", ""))
    crash = _installed._library_crash(library_in(tmp_path, elf_of(10_000).ljust(10_000, b"x")[:size]))
    if size < 64:
        assert crash == "", "importing it raises an ordinary error"
    else:
        assert f"is truncated: it has {size} bytes, its headers speak of 10000" in crash


def test_a_library_that_ends_the_process_is_a_finding(tmp_path):
    """Nothing of the truncated file may be loaded here, so a child says what the doctor finds."""
    code = f"""
import os, sys
from triton.cli import _installed, main
_installed._library_crash = lambda package: "a process that imports it was killed by SIGBUS"
status = main(["doctor", "--no-build"])
assert _installed.library()[0] is None and sys.modules["{_installed._LIBRARY}"] is None
sys.exit(status)
"""
    environment = {**os.environ, "PYTHONPATH": str(TREE.package.parent), "TRITON_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 1 and done.stderr == ""
    assert "was killed by SIGBUS" in done.stdout and "caches" in done.stdout, "the other checks still run"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGBUS)", "was killed by SIGBUS"),
        ("raise ImportError('no')", ""),
        ("", ""),
    ],
)
def test_a_child_says_how_it_ended(code, expected):
    assert ask(code).crash == expected


def test_a_child_that_hangs_is_stopped(monkeypatch):
    monkeypatch.setattr(_child, "_SECONDS", 0.2)
    assert ask("import time; time.sleep(60)").crash == "gave no answer within 0.2 seconds"


def test_a_check_that_fails_does_not_stop_the_others(monkeypatch):
    def broken(rebuild):
        raise ImportError("triton.backends is damaged")
        yield

    monkeypatch.setattr(doctor, "_filecheck", broken)
    found = list(doctor.installation_findings(TREE))
    assert problem(found, "FileCheck").text == "ImportError: triton.backends is damaged"
    assert "selected" in by_subject(found)


def test_p9_a_selected_backend_without_its_specialization(monkeypatch):
    from triton import flagtree_spec

    def fail():
        raise ImportError("backend 'acme' is selected by x, but its specialization y does not exist")

    monkeypatch.setattr(flagtree_spec, "overlay_dir", fail)
    assert "'acme' is selected" in problem(doctor.installation_findings(TREE), "selected").text


@pytest.fixture
def broken_installation(tmp_path):
    """An installation for mthreads, of links, whose specialization has one file that raises."""
    (tmp_path / "third_party").mkdir()
    shutil.copytree(TREE.root / "third_party/mthreads", tmp_path / "third_party/mthreads")
    (tmp_path / "third_party/cpu").symlink_to(TREE.root / "third_party/cpu")
    installation = link_installation(tmp_path, "mthreads")

    def with_broken(file):
        broken = tmp_path / "third_party/mthreads/backend/spec/triton" / file
        broken.write_text(broken.read_text() + "\nimport no_such_module\n")
        return installation

    return with_broken


@pytest.mark.parametrize("file", ["__init__.py", "tools/link.py"])
def test_p2_a_specialization_that_cannot_be_imported(broken_installation, tmp_path, file):
    installation = broken_installation(file)
    code = "import sys\nfrom triton.cli import main\nsys.exit(main(sys.argv[1:]))"
    done = installation.run(code, "doctor", "--no-build", "--json", TRITON_CACHE_DIR=str(tmp_path / "cache"))
    assert done.returncode == 1 and done.stderr == ""
    found = [f for f in json.loads(done.stdout)["sections"]["installation"] if f["subject"] == "specialization"]
    assert any(f"spec/triton/{file}: it cannot be imported: ModuleNotFoundError" in f["text"] for f in found)
    done = installation.run(code, "cache", "path")
    if file == "__init__.py":
        assert done.returncode == 2 and "flagtree doctor" in done.stderr
        assert "backend 'mthreads': its specialization" in done.stderr and "Traceback" not in done.stderr
    else:
        assert done.returncode == 0, done.stderr


def test_a_backend_that_is_gone(monkeypatch, tmp_path):
    (tmp_path / "_flagtree_backend.py").write_text('BACKEND = "acme"\nOVERLAY = False\nBACKENDS = ("acme", "cpu")\n')
    tree = doctor.Tree(tmp_path, None, {})
    assert "triton/backends/acme is missing" in problem(doctor._incomplete(tree, "pip install ."), "selected").text


def test_cache_folders(monkeypatch, tmp_path):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "new" / "cache"))
    (found,) = doctor.cache_findings()
    assert found.level == "ok" and "not made yet" in found.text
    (tmp_path / "new").touch()
    found = problem(doctor.cache_findings(), "kernels")
    assert f"{tmp_path / 'new'} is a file" in found.text
    (tmp_path / "new").unlink()
    (tmp_path / "new" / "cache").mkdir(parents=True)
    (found,) = doctor.cache_findings()
    assert "writable, 0 kernels" in found.text
    monkeypatch.setattr("os.access", lambda path, mode: False)
    assert "not writable" in problem(doctor.cache_findings(), "kernels").text


# -- backends ---------------------------------------------------------------------------------------------------------


def test_backends_are_listed(flagtree):
    outcome = flagtree("backends", "--json")
    states = {state["name"]: state for state in outcome.json["backends"]}
    assert states["cpu"]["summary"] and states["cpu"]["target"] == "cpu"
    assert all(state["active"] or state["reason"] for state in states.values())
    assert flagtree("backends", "cpu").out.splitlines()[1].startswith("cpu ")


def test_a_library_that_cannot_be_imported_is_said_by_backends_too(flagtree, monkeypatch):
    for module in (_installed, backends_command):
        monkeypatch.setattr(module, "library", lambda: (None, "file too short"))
    outcome = flagtree("backends")
    assert outcome.status == 1 and "no backend can compile: file too short" in outcome.out
    assert flagtree("backends", "--json").json["libtriton_error"] == "file too short"


def test_an_alias_is_a_name_and_a_wrong_name_gets_the_nearest(flagtree):
    states = flagtree("backends", "--json").json["backends"]
    name, alias = next((state["name"], state["aliases"][0]) for state in states if state["aliases"])
    assert [state["name"] for state in flagtree("backends", alias, "--json").json["backends"]] == [name]
    outcome = flagtree("backends", "cpuu")
    assert outcome.status == 2 and "there is no backend 'cpuu'. Did you mean 'cpu'?" in outcome.err


def test_an_installation_knows_aliases_without_manifests(tmp_path):
    installation = link_installation(tmp_path, "mthreads")
    code = "import sys\nfrom triton.cli import main\nsys.exit(main(sys.argv[1:]))"
    done = installation.run(code, "backends", "musa", "--json", TRITON_CACHE_DIR=str(tmp_path))
    (state,) = json.loads(done.stdout)["backends"]
    assert (state["name"], state["aliases"], state["selected"]) == ("mthreads", ["musa"], True)


def test_a_broken_backend_is_named_and_the_others_are_shown(flagtree, monkeypatch):
    from triton.backends import backends

    class Broken:
        package = "triton_broken"

        @property
        def driver(self):
            raise SyntaxError("invalid syntax (driver.py, line 3)")

    monkeypatch.setitem(backends._all(), "broken", Broken())
    outcome = flagtree("backends", "--json")
    states = {state["name"]: state for state in outcome.json["backends"]}
    assert outcome.status == 1 and "cpu" in states
    assert "SyntaxError: invalid syntax (driver.py, line 3)" in states["broken"]["reason"]
    assert "triton_broken" in problem(_installed.backend_findings(TREE), "broken").fix


@pytest.mark.parametrize(("file", "missing"), [("driver.py", "compiler.py"), ("compiler.py", "driver.py")])
def test_a_backend_folder_without_compiler_or_driver_is_named(tmp_path, file, missing):
    (tmp_path / "backends" / "acme").mkdir(parents=True)
    (tmp_path / "backends" / "acme" / file).touch()
    (tmp_path / "backends" / "left_over" / "__pycache__").mkdir(parents=True)
    (found,) = _installed._incomplete_folders(doctor.Tree(tmp_path, None, {}))
    assert found.subject == "acme" and f"it has no {missing}" in found.text and found.fix


def test_what_a_backend_lacks_is_shown_with_what_to_do(monkeypatch):
    from triton.backends import backends

    lacks = [("no toolkit in /opt/acme", "install it, or set ACME_HOME")]
    monkeypatch.setattr(backends["cpu"].compiler, "missing", lambda: lacks)
    (found,) = _installed._lacking("cpu", needed=True)
    assert (found.level, found.text, found.fix) == ("problem", *lacks[0])
    assert lacks[0][0] in {found.text for found in _installed.backend_findings(TREE)}
    (found,) = _installed._lacking("cpu", needed=False)
    assert found.level == "note"


def test_places_that_a_backend_would_look_for_are_named_before_it_is_built(monkeypatch, tmp_path):
    pytest.importorskip("packaging")
    folder = tmp_path / "zeta"
    (folder / "backend").mkdir(parents=True)
    for part in ("__init__", "compiler", "driver"):
        (folder / "backend" / f"{part}.py").touch()
    (folder / "backend.toml").write_text(
        '[backend]\nname = "zeta"\nsummary = "Z"\ntarget = "zeta"\ntriton = "3.6"\n'
        f'[[environment]]\nname = "ZETA_HOME"\ntype = "path"\ndefault = "{tmp_path}/sdk"\nmeaning = "Root of the SDK"\n'
    )
    monkeypatch.setenv("TRITON_PLUGIN_DIRS", str(folder))

    def texts():
        return [f.text for f in by_subject(_installed.backend_findings(find_tree()))["zeta"]]

    assert f"{tmp_path}/sdk does not exist (ZETA_HOME: Root of the SDK)" in texts()
    monkeypatch.setenv("ZETA_HOME", str(tmp_path))
    assert texts() == ["not built into this installation"]


def test_the_default_backend_may_be_an_alias(monkeypatch):
    from triton import flagtree_spec

    monkeypatch.setattr(flagtree_spec, "backend_aliases", lambda: {"processor": "cpu"})
    monkeypatch.setenv("TRITON_DEFAULT_BACKEND", "processor")
    assert "TRITON_DEFAULT_BACKEND" not in by_subject(_installed.backend_findings(TREE))
    monkeypatch.setenv("TRITON_DEFAULT_BACKEND", "procesor")
    found = problem(_installed.backend_findings(TREE), "TRITON_DEFAULT_BACKEND")
    assert "procesor is no backend. Did you mean 'processor'?" in found.text


def test_a_default_backend_that_does_not_exist(monkeypatch):
    monkeypatch.setenv("TRITON_DEFAULT_BACKEND", "cpuu")
    found = problem(_installed.backend_findings(TREE), "TRITON_DEFAULT_BACKEND")
    assert "Did you mean 'cpu'?" in found.text


def test_an_unreadable_manifest_is_named(flagtree, monkeypatch, tmp_path):
    folder = tmp_path / "zeta"
    folder.mkdir()
    (folder / "backend.toml").write_text("[backend]\nnmae = 1\n")
    monkeypatch.setenv("TRITON_PLUGIN_DIRS", str(folder))
    found = problem(doctor._backends(find_tree()), "manifests")
    assert str(folder) in found.text and "'name'" in found.text


# -- the build --------------------------------------------------------------------------------------------------------


def test_no_compiler(monkeypatch, tmp_path):
    monkeypatch.setenv("CXX", "no-such-compiler -m64")
    assert "no-such-compiler" in problem(_toolchain._compiler(), "compiler").text
    monkeypatch.delenv("CXX")
    monkeypatch.setenv("PATH", str(tmp_path))
    found = problem(_toolchain._compiler(), "compiler")
    assert "on PATH" in found.text and found.fix.startswith("apt-get install g++")


@pytest.mark.parametrize(
    ("script", "subject", "expected"),
    [
        ("case $* in *c++17*) echo 'x.cpp:1: error: unknown option'; exit 1;; esac", "compiler", "unknown option"),
        ("grep -q zlib && exit 1; exit 0", "zlib.h", "missing"),
    ],
)
def test_a_compiler_that_cannot_do_it(monkeypatch, tmp_path, script, subject, expected):
    program = tmp_path / "c++"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("CXX", str(program))
    assert expected in problem(_toolchain._compiler(), subject).text


def test_compiler_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert _toolchain._compiler_cache().level == "note"
    (tmp_path / "sccache").touch(mode=0o755)
    assert _toolchain._compiler_cache().text == str(tmp_path / "sccache")


def fake_llvm(folder: Path, version: str = "22.1.0", without: str = "") -> Path:
    for file, _ in _toolchain._LLVM_FILES:
        if file != without:
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).touch()
    (folder / "lib/cmake/llvm/LLVMConfig.cmake").write_text(f"set(LLVM_PACKAGE_VERSION {version})\n")
    return folder


def test_a_complete_llvm(monkeypatch, tmp_path):
    monkeypatch.setenv("LLVM_SYSPATH", str(fake_llvm(tmp_path)))
    (found,) = _toolchain._llvm(TREE.root)
    assert found.level == "ok" and found.text.startswith("22.1.0 with MLIR")


def test_an_llvm_of_another_version(monkeypatch, tmp_path):
    monkeypatch.setenv("LLVM_SYSPATH", str(fake_llvm(tmp_path, "19.1.7")))
    found = problem(_toolchain._llvm(TREE.root), "LLVM")
    assert "is version 19.1.7, 22 is needed" in found.text and "libmlir-22-dev" in found.fix


@pytest.mark.parametrize("file", ["lib/cmake/mlir/MLIRConfig.cmake", "lib/libLLVMFileCheck.a", "bin/mlir-tblgen"])
def test_an_llvm_with_something_missing(monkeypatch, tmp_path, file):
    monkeypatch.setenv("LLVM_SYSPATH", str(fake_llvm(tmp_path, without=file)))
    assert f"{file} is missing" in problem(_toolchain._llvm(TREE.root), "LLVM").text


def test_no_llvm(monkeypatch, tmp_path):
    monkeypatch.setenv("LLVM_SYSPATH", str(tmp_path / "nowhere"))
    found = problem(_toolchain._llvm(TREE.root), "LLVM")
    assert (
        "LLVM_SYSPATH" in found.text and "does not exist" in found.text and "apt-get install llvm-22-dev" in found.fix
    )


def test_requirements(tmp_path):
    lines = "# comment\npytest>=1\npytest>=9999\nno-such-package-here>=2\nold; python_version < '3'\n"
    (tmp_path / "requirements-build.txt").write_text(lines)
    found = list(_toolchain._requirements(tmp_path))
    assert [(f.level, f.subject) for f in found] == [
        ("problem", "pytest"),
        ("problem", "no-such-package-here"),
        ("ok", "packages"),
    ]
    assert "missing; >=2 is needed" in found[1].text and found[1].fix == _toolchain.REQUIREMENTS


def test_a_misspelt_backend_gets_the_nearest(monkeypatch):
    pytest.importorskip("packaging")
    monkeypatch.setenv("FLAGTREE_BACKEND", "cpuu")
    found = problem(_toolchain._selection(TREE), "selection")
    assert "FLAGTREE_BACKEND=cpuu" in found.text and "Did you mean 'cpu'?" in found.text


def test_a_variable_that_nothing_reads_is_a_note(monkeypatch):
    pytest.importorskip("packaging")
    monkeypatch.setenv("FLAGTREE_BACKENDS", "cpu")
    (note,) = by_subject(_toolchain._selection(TREE))["environment"]
    assert note.level == "note" and "Did you mean 'FLAGTREE_BACKEND'?" in note.text


def test_jobs(monkeypatch):
    pytest.importorskip("scikit_build_core")
    monkeypatch.setenv("MAX_JOBS", "3")
    (found,) = by_subject(_toolchain._resources(TREE))["jobs"]
    assert found.text.startswith("3 at once")
    monkeypatch.setenv("MAX_JOBS", "many")
    assert "MAX_JOBS=many is not a positive number" in problem(_toolchain._resources(TREE), "jobs").text
    monkeypatch.setenv("MAX_JOBS", "64")
    monkeypatch.setattr(_toolchain, "_available_memory", lambda: 4 << 30)
    (found,) = by_subject(_toolchain._resources(TREE))["jobs"]
    assert found.level == "note" and "memory is tight" in found.text


def test_a_full_disk_is_a_note(monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda path: type("Usage", (), {"free": 1 << 30}))
    (found,) = by_subject(_toolchain._resources(TREE))["disk"]
    assert found.level == "note" and "1.0 GiB are free" in found.text


def test_without_the_build_requirements_it_still_works():
    """No packaging, no setuptools: the doctor says so instead of failing."""
    code = (
        "import sys\n"
        "for name in ('packaging', 'scikit_build_core', 'setuptools'): sys.modules[name] = None\n"
        "from triton.cli import main; sys.exit(main(['doctor', '--build']))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(TREE.package.parent)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 1 and done.stderr == ""
    assert "packaging is missing" in done.stdout and _toolchain.REQUIREMENTS in done.stdout


def test_an_installed_package_has_no_build(tmp_path, flagtree, monkeypatch):
    assert checkout_of(running_package()) == TREE.root
    assert checkout_of(tmp_path / "site-packages" / "triton") is None
    monkeypatch.setattr("triton.cli._tree.checkout_of", lambda package: None)
    outcome = flagtree("doctor", "--build")
    assert outcome.status == 2 and "is an installed package" in outcome.err
    assert "build" not in flagtree("doctor", "--json").json["sections"]
    outcome = flagtree("spec", "list")
    assert "C++ is not looked at" in outcome.out
