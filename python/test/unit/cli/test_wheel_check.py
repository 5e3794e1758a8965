"""flagtree wheel-check: a good wheel passes, and each thing that can be wrong with one is found."""

from __future__ import annotations

import base64
import hashlib
import random
import sys
import zipfile
from pathlib import Path

import pytest
from triton.cli import _wheel_run
from triton.cli._binaries import claimed_glibc, required_glibc
from triton.cli._elf import read_elf
from triton.cli._wheel import Wheel

from .elf_writer import shared_library
from .wheel_writer import INFO, LIBRARY, WheelWriter, library


@pytest.fixture
def check(flagtree, tmp_path):
    """``check(writer)`` is the result for the one wheel that `writer` makes."""

    def run(writer: WheelWriter, *options: str):
        outcome = flagtree("wheel-check", writer.write(tmp_path), "--json", *options)
        assert outcome.err == ""
        (result,) = outcome.json["wheels"]
        assert outcome.status == (0 if result["ok"] else 1)
        return result

    return run


def problems(result) -> list[str]:
    return [f"{f['subject']}: {f['text']}" for f in result["findings"] if f["level"] == "problem"]


def test_a_good_wheel_passes(check):
    result = check(WheelWriter())
    assert problems(result) == []
    assert result["backends"] == ["acme", "cpu"]
    assert result["tags"]["version"] == "3.6.0+acme3.6"
    assert {"libtriton", "FileCheck", "Python", "backend acme", "backend cpu", "other"} == set(result["parts"])
    assert result["parts"]["libtriton"]["unpacked"] == len(library())


SHORT = {
    "library": LIBRARY,
    "metadata": f"{INFO}/METADATA",
    "wheel": f"{INFO}/WHEEL",
    "entry_points": f"{INFO}/entry_points.txt",
}


def spoil(files: dict[str, bytes | str | None]) -> WheelWriter:
    """A wheel in which `files` have other content; None leaves one out. Names may be those of `SHORT`."""
    writer = WheelWriter()
    writer.files.update({SHORT.get(name, name): content for name, content in files.items() if content is not None})
    for name, content in files.items():
        if content is None:
            del writer.files[SHORT.get(name, name)]
    return writer


MARKER = "triton/_flagtree_backend.py"


def marker(backend="acme", overlay=True, backends=("acme", "cpu")):
    return {MARKER: f"BACKEND = {backend!r}\nOVERLAY = {overlay}\nBACKENDS = {backends!r}\n"}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({MARKER: None}, "marker: triton/_flagtree_backend.py is missing"),
        ({MARKER: "import os\n"}, "marker: triton/_flagtree_backend.py assigns no str to BACKEND"),
        ({MARKER: "BACKEND = f()\n"}, "marker: triton/_flagtree_backend.py is damaged"),
        (marker(backends=("acme",)), "backends: triton/backends/cpu is inside, but the marker does not name it"),
        (marker(backends=("acme", "cpu", "b")), "backends: the marker names 'b', but triton/backends/b is missing"),
        (marker(backend="b"), "backends: the marker selects 'b', which is none of its backends"),
        (marker(overlay=False), "backends: 'acme' has a specialization, the marker says OVERLAY = False"),
        (
            {"triton/backends/acme/spec/triton/__init__.py": None},
            "backends: 'acme' lacks a specialization, the marker says OVERLAY = True",
        ),
        ({"triton/backends/cpu/driver.py": None}, "backends: triton/backends/cpu has no driver.py"),
        (
            {"entry_points": "[triton.backends]\nacme = triton.backends.acme\n"},
            "backends: no entry point of group triton.backends names 'cpu'",
        ),
        ({"triton/FileCheck": None}, "FileCheck: triton/FileCheck is missing"),
        ({"library": None}, "libtriton: one library is expected in triton/_C, found: none"),
        ({"other/x.py": ""}, "files: other/x.py is installed outside of triton/"),
        ({"triton/x.pyc": b""}, "files: triton/x.pyc does not belong into a wheel"),
        ({"metadata": "Name: flagtree\nVersion: 3.6.0\n"}, "name: the file's name says flagtree 3.6.0+acme3.6"),
        ({"wheel": "Root-Is-Purelib: false\nTag: cp311-cp311-linux_x86_64\n"}, "tags: the file's name says cp311"),
        ({"wheel": "Tag: cp311-cp311-manylinux_2_28_x86_64\n"}, "tags: WHEEL says Root-Is-Purelib"),
        ({"library": b"not a library"}, "it is no ELF file"),
        ({"library": library()[:200]}, "it is a damaged ELF file"),
        (
            {"library": library(exported=("PyInit_libtriton", "LLVMInit"))},
            "symbols: libtriton exports 1 symbols besides",
        ),
        ({"library": library(exported=())}, "symbols: libtriton does not export PyInit_libtriton"),
        ({"library": library(needed=("libLLVM.so.22",))}, "needs libLLVM.so.22, which not every system has"),
        ({"library": library(runpath="/home/x/lib")}, "looks for libraries in /home/x/lib"),
        ({"library": library(machine=183)}, "does not fit the machine code inside, which is for aarch64, x86_64"),
        (
            {"library": library(versions={"libc.so.6": ("GLIBC_2.34",)})},
            "platform: manylinux_2_28_x86_64 claims glibc 2.28, but 2.34 is needed: "
            "libtriton.cpython-311-x86_64-linux-gnu.so uses GLIBC_2.34 of libc.so.6",
        ),
        (
            {"library": library(versions={"libstdc++.so.6": ("GLIBCXX_3.4.30",)})},
            "platform: manylinux_2_28_x86_64 claims glibc 2.28, but 2.35 is needed",
        ),
    ],
)
def test_what_is_wrong_is_found(check, files, expected):
    found = problems(check(spoil(files)))
    assert any(expected in problem for problem in found), found


def test_a_library_for_another_python(check):
    writer = WheelWriter()
    writer.files["triton/_C/libtriton.cpython-310-x86_64-linux-gnu.so"] = writer.files.pop(LIBRARY)
    assert any("is for another Python than cp311" in problem for problem in problems(check(writer)))


def test_a_filecheck_that_lost_its_mode(check):
    assert problems(check(WheelWriter(executable=set()))) == ["FileCheck: triton/FileCheck is not executable"]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("", "RECORD: does not list triton/__init__.py"),
        ("triton/__init__.py,sha256=AAAA,21", "RECORD: triton/__init__.py differs from its digest"),
        ("triton/__init__.py,,", "RECORD: gives no sha256 of triton/__init__.py"),
        ("triton/__init__.py,md5=AAAA,21", "RECORD: gives no sha256 of triton/__init__.py"),
    ],
)
def test_record_must_agree(check, row, expected):
    assert problems(check(WheelWriter(record={"triton/__init__.py": row}))) == [expected]


def test_record_must_not_list_more(check):
    found = problems(check(WheelWriter(record={"triton/gone.py": "triton/gone.py,sha256=AA,1"})))
    assert found == ["RECORD: lists triton/gone.py, which is not in the wheel"]


def test_a_platform_tag_without_a_promise_is_a_note(check):
    result = check(WheelWriter(platform="linux_x86_64"))
    (note,) = (f for f in result["findings"] if f["level"] == "note")
    assert result["ok"] and "manylinux_2_28_x86_64 is true" in note["text"]


def test_bundled_and_allowed_libraries(check):
    writer = spoil({"library": library(needed=("libextra.so.1",))})
    assert problems(check(writer, "--allow", "libextra.so.1")) == []
    assert problems(check(writer, "--allow", "libextra*.so*")) == []
    writer.files["flagtree.libs/libextra.so.1"] = shared_library()
    assert problems(check(writer)) == []


def test_what_debuggers_look_for_may_be_exported(check):
    exported = ("PyInit_libtriton", "__jit_debug_register_code", "__jit_debug_descriptor")
    result = check(spoil({"library": library(exported=exported)}))
    assert problems(result) == []
    assert any("PyInit_libtriton and what debuggers look for only" in f["text"] for f in result["findings"])


def test_size_limit(check):
    assert problems(check(WheelWriter(), "--max-size", "1G")) == []
    assert "more than the 0.0 MiB allowed" in problems(check(WheelWriter(), "--max-size", "1K"))[0]


def test_several_wheels_for_people(flagtree, tmp_path):
    good, other = WheelWriter().write(tmp_path), WheelWriter(platform="linux_x86_64").write(tmp_path)
    outcome = flagtree("wheel-check", good, other)
    assert outcome.status == 0
    assert outcome.out.count("part ") == 2 and good.name in outcome.out and "\033" not in outcome.out


def test_what_is_no_wheel_is_named(flagtree, tmp_path):
    for name, content, expected in (
        ("a.whl", b"", "a.whl is no wheel's name"),
        ("flagtree-3.6.0-cp311-cp311-linux_x86_64.whl", b"PK", "cannot be opened"),
    ):
        (tmp_path / name).write_bytes(content)
        outcome = flagtree("wheel-check", tmp_path / name)
        assert outcome.status == 2 and expected in outcome.err
    outcome = flagtree("wheel-check", tmp_path / "nothing.whl")
    assert outcome.status == 2 and "nothing.whl does not exist" in outcome.err
    outcome = flagtree("wheel-check", tmp_path / "nothing.whl", "--python", "python3")
    assert outcome.status == 2 and "--python is the interpreter for --run" in outcome.err


def test_damaged_wheels_are_errors_and_never_tracebacks(flagtree, tmp_path):
    path = WheelWriter().write(tmp_path)
    good = path.read_bytes()
    random.seed(3)
    statuses = set()
    for _ in range(60):
        data = bytearray(good)
        for _ in range(random.randint(1, 20)):
            data[random.randrange(len(data))] = random.randrange(256)
        path.write_bytes(bytes(data[: random.choice((len(data), len(data) // 2))]))
        outcome = flagtree("wheel-check", path)
        statuses.add(outcome.status)
        assert path.name in (outcome.err if outcome.status == 2 else outcome.out)
    assert statuses <= {0, 1, 2} and {1, 2} <= statuses


def test_unreadable_entry_points(check):
    assert any(
        "entry_points.txt cannot be read" in problem for problem in problems(check(spoil({"entry_points": "x"})))
    )


@pytest.mark.parametrize(
    ("tag", "minor"),
    [("manylinux_2_34_x86_64", 34), ("manylinux2014_aarch64", 17), ("manylinux1_x86_64", 5), ("linux_x86_64", None)],
)
def test_claims_of_tags(tag, minor):
    assert claimed_glibc(tag) == minor


@pytest.mark.parametrize(
    ("version", "minor"),
    [("GLIBC_2.2.5", 2), ("GLIBCXX_3.4", 17), ("GLIBCXX_3.4.99", 40), ("CXXABI_1.3.13", 34), ("GLIBC_PRIVATE", 0)],
)
def test_what_symbol_versions_need(version, minor):
    elf = read_elf(shared_library(versions={"lib.so": (version,)}))
    assert required_glibc({"x": elf})[0] == minor


def stub(imports: str) -> WheelWriter:
    """A wheel for this Python whose library is a Python file, so that it can be installed and imported here."""
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    writer = WheelWriter(platform="any")
    writer.files[f"{INFO}/WHEEL"] = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    del writer.files[LIBRARY], writer.files[MARKER]
    for name in [name for name in writer.files if name.startswith("triton/backends/cpu/")]:
        del writer.files[name]
    writer.files["triton/_C/__init__.py"] = f"# {tag}\n"
    writer.files["triton/_C/libtriton.py"] = imports
    writer.files["triton/language/__init__.py"] = ""
    writer.files["triton/backends/__init__.py"] = "backends = {}\n"
    return writer


@pytest.mark.parametrize(("imports", "good"), [("", True), ("import no_such_module\n", False)])
def test_run_installs_and_imports(tmp_path, imports, good):
    path = stub(imports).write(tmp_path)
    path = path.rename(tmp_path / "flagtree-3.6.0+acme3.6-py3-none-any.whl")
    found = {finding.subject: finding for finding in _wheel_run.check_running(Wheel.open(path), None)}
    assert found["install"].level == "ok", found
    assert found["import"].level == ("ok" if good else "problem")
    if not good:
        assert "No module named 'no_such_module'" in found["import"].text


def test_run_with_a_python_that_is_not_there(tmp_path):
    wheel = Wheel.open(WheelWriter().write(tmp_path))
    (finding,) = _wheel_run.check_running(wheel, "/no/python")
    assert finding.level == "problem" and "/no/python: No such file or directory" in finding.text


def addon(folder) -> Path:
    """The wheel of a backend ``acme`` that is installed beside FlagTree; it adds itself to the stub's backends."""
    info = "flagtree_acme-0.1.dist-info"
    marker = "BACKEND = 'acme'\nBACKENDS = ('acme',)\nOVERLAY = False\n"
    files = {
        f"triton/backends/acme/{part}": f"PART = {part!r}\n" for part in ("__init__.py", "compiler.py", "driver.py")
    }
    files["triton/backends/acme/_flagtree_addon.py"] = marker
    files[f"{info}/METADATA"] = (
        "Metadata-Version: 2.4\nName: flagtree-acme\nVersion: 0.1\nRequires-Dist: flagtree==3.6.*\n"
    )
    files[f"{info}/WHEEL"] = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{info}/entry_points.txt"] = "[triton.backends]\nacme = triton.backends.acme\n"
    path = folder / "flagtree_acme-0.1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        rows = [f"{info}/RECORD,,"]
        for name, text in files.items():
            archive.writestr(name, text)
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
            rows.append(f"{name},sha256={digest},{len(text)}")
        archive.writestr(f"{info}/RECORD", "\n".join(rows) + "\n")
    return path


def test_an_addon_is_run_beside_the_flagtree_that_it_is_for(flagtree, tmp_path):
    wheel = addon(tmp_path)
    outcome = flagtree("wheel-check", wheel, "--run")
    assert outcome.status == 0 and "an add-on alone cannot run" in outcome.out and "--with flagtree" in outcome.out
    package = stub("")
    package.files["triton/backends/__init__.py"] = (
        "import importlib, types\nparts = {p: importlib.import_module(f'triton.backends.acme.{p}').PART for p in "
        "('compiler', 'driver')}\nbackends = {'acme': types.SimpleNamespace(**parts)}\n"
    )
    whole = package.write(tmp_path).rename(tmp_path / "flagtree-3.6.0+acme3.6-py3-none-any.whl")
    outcome = flagtree("wheel-check", wheel, "--run", "--with", whole, "--json")
    found = {f["subject"]: f for f in outcome.json["wheels"][0]["findings"]}
    assert found["install"]["text"] == f"into a clean environment, after {whole.name}"
    assert found["backends"]["level"] == "ok" and found["backends"]["text"].endswith("acme")
    assert found["kernel"]["level"] == "note", "neither has a backend for this processor"


def test_options_of_run_need_it(flagtree, tmp_path):
    outcome = flagtree("wheel-check", addon(tmp_path), "--with", tmp_path / "x.whl")
    assert outcome.status == 2 and "--with is a wheel for --run: give both" in outcome.err
