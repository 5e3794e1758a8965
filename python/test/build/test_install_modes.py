"""Install modes, each for real, on a checkout in miniature: what reaches CMake, what wheels hold, what stays behind."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from setup_tools.unpack import unpack

from .archives import artifact_of, manifest_lines, toolchain
from .checkout import INSTALL, Checkout, make_checkout
from .conftest import make_environment, run

pytestmark = pytest.mark.slow

LIBRARY = f"libtriton{sysconfig.get_config_var('EXT_SUFFIX')}"
# Installs a data file of the backend, as a vendor's CMake code does.
INSTALL_DATA = """\
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/device.bc "bitcode")
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/device.bc DESTINATION backends/acme/lib COMPONENT python)
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    checkout = make_checkout(tmp_path / "checkout")
    checkout.backend("acme", 'label = "acme3.6"\ndata = ["lib/*.bc"]\nlanguage = "acme"\n[cmake]\nEXTRA = "of acme"')
    checkout.write("third_party/acme/language/acme/__init__.py")
    checkout.write("third_party/acme/CMakeLists.txt", INSTALL_DATA)
    return checkout


def libtriton(folder: Path) -> dict[str, str]:
    """The constants of the built module in ``folder``/triton/_C."""
    code = "import libtriton as l; print(l.build_type, l.backends, l.extra, l.sanitize, sep='\\n')"
    done = run(sys.executable, "-c", code, cwd=folder / "triton" / "_C")
    assert done.returncode == 0, done.stdout
    return dict(zip(("build_type", "backends", "extra", "sanitize"), done.stdout.split("\n")))


def build(checkout: Checkout, **env: str) -> tuple[dict[str, str], str]:
    """Runs ``setup.py build``; what libtriton says, and the output."""
    done = checkout.setup("build", env=env)
    assert done.returncode == 0, done.stdout[-4000:]
    (library,) = checkout.root.glob(f"build/*/lib*/triton/_C/{LIBRARY}")
    constants = libtriton(library.parents[2])
    shutil.rmtree(library.parents[2])
    return constants, done.stdout


def trees(checkout: Checkout) -> set[str]:
    """Suffixes of the CMake trees."""
    plain = f"cmake-{sysconfig.get_platform()}-{sys.implementation.cache_tag}"
    return {path.name.removeprefix(plain) for path in checkout.root.glob("build/*/cmake-*")}


def error_of(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode != 0, done.stdout
    return " ".join(done.stdout.split())


def test_each_build_type_reaches_cmake_and_has_its_own_tree(checkout):
    assert build(checkout)[0]["build_type"] == "Release"
    assert build(checkout, DEBUG="1")[0]["build_type"] == "Debug"
    assert build(checkout, REL_WITH_DEB_INFO="ON")[0]["build_type"] == "RelWithDebInfo"
    assert build(checkout, TRITON_BUILD_TYPE="minsizerel")[0]["build_type"] == "MinSizeRel"
    constants = build(checkout, TRITON_BUILD_WITH_ASAN="1")[0]
    assert (constants["build_type"], constants["sanitize"]) == ("Release", "address")
    assert trees(checkout) == {"", "-debug", "-relwithdebinfo", "-minsizerel", "-asan"}
    constants, output = build(checkout)
    assert (constants["build_type"], constants["sanitize"]) == ("Release", "")
    assert "no work to do" in output


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("MAX_JOBS", "many", "MAX_JOBS=many is not a positive number"),
        ("TRITON_APPEND_CMAKE_ARGS", "-DEXTRA='x", "is not quoted as in a shell: No closing quotation"),
    ],
)
def test_a_wrong_variable_stops_the_build_before_it_begins(checkout, variable, value, said):
    assert said in error_of(checkout.setup("build", env={variable: value}))
    assert trees(checkout) == set()


def test_an_error_of_the_configuration_is_repeated_last(checkout):
    file = checkout.root / "CMakeLists.txt"
    lines = file.read_text()
    file.write_text(lines + 'message(SEND_ERROR "acme is absent")\n' + 'message(STATUS "and so on")\n' * 300)
    done = checkout.setup("build")
    assert done.returncode != 0
    tail = done.stdout.partition("CMake configuration failed in ")[2]
    assert "The first error was:\n  CMake Error at CMakeLists.txt" in tail and "acme is absent" in tail
    assert "and so on" not in tail and done.stdout.count("acme is absent") == 2


def test_wrong_build_types_are_named(checkout):
    assert "TRITON_BUILD_TYPE=Relese is none of Release, RelWithDebInfo, Debug, MinSizeRel. Did you mean" in error_of(
        checkout.setup("build", env={"TRITON_BUILD_TYPE": "Relese"})
    )
    assert "DEBUG=1 and REL_WITH_DEB_INFO=1 ask for different builds" in error_of(
        checkout.setup("build", env={"DEBUG": "1", "REL_WITH_DEB_INFO": "1"})
    )


def test_the_number_of_jobs_reaches_the_build(checkout):
    assert "--parallel 2 " in build(checkout, CMAKE_BUILD_PARALLEL_LEVEL="2")[1]
    assert "--parallel 3 " in build(checkout, CMAKE_BUILD_PARALLEL_LEVEL="2", MAX_JOBS="3")[1]


def test_appended_arguments_reach_cmake_and_are_forgotten_with_the_variable(checkout):
    assert build(checkout)[0]["extra"] == ""
    assert build(checkout, TRITON_APPEND_CMAKE_ARGS="-DEXTRA='two words' -Wno-dev")[0]["extra"] == "two words"
    assert build(checkout)[0]["extra"] == ""


def test_a_compiler_cache_is_called_for_every_file(checkout, tmp_path):
    log, tool = tmp_path / "log", tmp_path / "bin" / "sccache"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\necho "$*" >> {log}\nexec "$@"\n')
    tool.chmod(0o755)
    build(checkout, CMAKE_CXX_COMPILER_LAUNCHER=str(tool))
    assert {name for name in "abcd" if f"/{name}.cpp" in log.read_text()} == set("abcd")
    log.unlink()
    build(checkout, CMAKE_CXX_COMPILER_LAUNCHER=str(tool), TRITON_BUILD_WITH_CCACHE="0", DEBUG="1")
    assert not log.exists()


def test_a_backend_that_sets_what_the_build_sets_is_an_error(checkout):
    checkout.backend("acme", '[cmake]\nTRITON_DEVELOP = "OFF"\n')
    message = error_of(checkout.setup("build", env={"FLAGTREE_BACKEND": "acme"}))
    assert "acme/backend.toml: [cmake] TRITON_DEVELOP = 'OFF', but the build itself sets it to False" in message


def names_and_contents(wheel: Path) -> dict[str, str]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: hashlib.sha256(archive.read(name)).hexdigest() for name in archive.namelist()}


def make_wheel(checkout: Checkout, folder: Path, **env: str) -> Path:
    done = checkout.wheel(folder, env=env)
    assert done.returncode == 0, done.stdout[-4000:]
    (wheel,) = folder.glob("*.whl")
    return wheel


def test_name_and_version_of_a_wheel_called_triton(checkout, tmp_path):
    wheel = make_wheel(checkout, tmp_path / "w", FLAGTREE_BACKEND="acme", FLAGTREE_WHEEL_NAME="triton")
    assert wheel.name.startswith("triton-3.6.0+acme3.6-cp3")
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read("triton-3.6.0+acme3.6.dist-info/METADATA").decode()
    assert "\nName: triton\nVersion: 3.6.0+acme3.6\n" in metadata
    # What needs triton of this version is content with it.
    user = tmp_path / "user"
    user.mkdir()
    (user / "pyproject.toml").write_text('[project]\nname = "user"\nversion = "1"\ndependencies = ["triton==3.6.0"]\n')
    environment = make_environment(tmp_path / "venv")
    environment.pip("install", "--no-index", "--no-build-isolation", wheel, user, cwd=tmp_path)
    code = "from importlib.metadata import version; print(version('triton'), version('user'))"
    assert environment.run(code, tmp_path) == "3.6.0+acme3.6 1"


def test_a_wheel_of_another_backend_has_nothing_of_the_first(checkout, tmp_path):
    before = names_and_contents(make_wheel(checkout, tmp_path / "1"))
    acme = names_and_contents(make_wheel(checkout, tmp_path / "2", FLAGTREE_BACKEND="acme"))
    assert "triton/backends/acme/lib/device.bc" in acme and "triton/language/extra/acme/__init__.py" in acme
    after = names_and_contents(make_wheel(checkout, tmp_path / "3"))
    assert after == before
    assert not any("acme" in name for name in after)


def test_an_sdist_makes_the_same_wheel(checkout, tmp_path):
    # Links of an editable install and its generated files must not get into it.
    environment = make_environment(tmp_path / "venv")
    environment.pip(*INSTALL, "-e", ".", cwd=checkout.root, env={"FLAGTREE_BACKEND": "acme"})
    direct = make_wheel(checkout, tmp_path / "direct", FLAGTREE_BACKEND="acme")
    checkout.write("MANIFEST.in", (checkout.root / "MANIFEST.in").read_text() + "include *.cpp\n")
    done = checkout.setup("sdist", "-d", str(tmp_path))
    assert done.returncode == 0, done.stdout[-3000:]
    unpack(tmp_path / "flagtree-3.6.0.tar.gz", tmp_path / "sources")
    unpacked = Checkout(tmp_path / "sources" / "flagtree-3.6.0", checkout.python)
    assert not (unpacked.root / "python/triton/backends/acme").exists()
    assert not (unpacked.root / "third_party/acme/backend/lib").exists()
    there = make_wheel(unpacked, tmp_path / "there", FLAGTREE_BACKEND="acme")
    assert names_and_contents(there) == names_and_contents(direct)


def snapshot(root: Path) -> dict[str, str]:
    """Every file and link of the checkout outside of build/."""
    found = {}
    for path in root.rglob("*"):
        name = path.relative_to(root).as_posix()
        if name.startswith("build/") or "__pycache__" in name:
            continue
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        elif path.is_file():
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def test_editable_installs_switch_back_and_forth_without_leftovers(checkout, tmp_path):
    environment = make_environment(tmp_path / "venv")

    def install(backend: str) -> tuple[dict[str, str], str]:
        output = environment.pip(*INSTALL, "-e", ".", cwd=checkout.root, env={"FLAGTREE_BACKEND": backend})
        version = environment.run("from importlib.metadata import version as v; print(v('flagtree'))", tmp_path)
        assert version == ("3.6.0+acme3.6" if backend else "3.6.0")
        return snapshot(checkout.root), output

    acme, _ = install("acme")
    assert "third_party/acme/backend/lib/device.bc" in acme and "python/triton/backends/acme" in acme
    default, output = install("")
    assert "removed third_party/acme/backend/lib/device.bc: not part of this build" in output
    assert "removed the link python/triton/backends/acme: not part of this build" in output
    own = ("third_party/acme/backend.toml", "third_party/acme/CMakeLists.txt")
    assert not {name for name in default if "acme" in name and name not in own and not name.endswith(".py")}
    again, output = install("acme")
    assert again == acme
    assert "Building CXX" not in output, "each backend's tree is kept"
    assert install("")[0] == default


def test_artifacts_reach_cmake_and_the_wheel(checkout, tmp_path):
    artifact = artifact_of(toolchain(tmp_path / "mirror" / "example.org" / "files" / "tools.tar.gz"))
    checkout.backend("acme", manifest_lines(artifact))
    checkout.write(
        "third_party/acme/CMakeLists.txt",
        "install(FILES ${TRITON_ARTIFACT_DIR_acme_tools}/lib/liba.so.1\n"
        "  DESTINATION backends/acme/lib COMPONENT python)\n",
    )
    env = {"FLAGTREE_CACHE_DIR": str(tmp_path / "cache"), "FLAGTREE_ARTIFACT_MIRROR": str(tmp_path / "mirror")}
    wheel = make_wheel(checkout, tmp_path / "w", FLAGTREE_BACKEND="acme", **env)
    assert "triton/backends/acme/lib/liba.so.1" in names_and_contents(wheel)
    # A build of another backend needs none of it.
    del env["FLAGTREE_ARTIFACT_MIRROR"]
    make_wheel(checkout, tmp_path / "w2", FLAGTREE_CACHE_DIR=str(tmp_path / "empty"))
    # Once fetched, no network is needed.
    make_wheel(checkout, tmp_path / "w3", FLAGTREE_BACKEND="acme", TRITON_OFFLINE_BUILD="1", **env)


def test_an_offline_build_names_everything_it_lacks_before_it_starts(checkout, tmp_path):
    files = tmp_path / "mirror" / "example.org" / "files"
    archives = [artifact_of(toolchain(files / f"{name}.tar.gz"), name=name) for name in ("tools", "headers")]
    checkout.backend("acme", "".join(map(manifest_lines, archives)))
    before = snapshot(checkout.root)
    env = {
        "FLAGTREE_BACKEND": "acme",
        "TRITON_OFFLINE_BUILD": "1",
        "FLAGTREE_CACHE_DIR": str(tmp_path / "cache"),
        "LLVM_SYSPATH": str(tmp_path / "nowhere"),
        "CXX": "no-such-compiler",
    }
    commands: list[Callable[[], subprocess.CompletedProcess[str]]] = [
        lambda: checkout.wheel(tmp_path / "w", env=env),
        lambda: checkout.pip("install", "--no-build-isolation", "--no-deps", "--no-index", "-e", ".", env=env),
    ]
    for command in commands:
        message = error_of(command())
        for part in (
            "TRITON_OFFLINE_BUILD is set, and the build lacks",
            "artifact acme/tools: ",
            "artifact acme/headers: ",
            f"{archives[0].sha256} does not exist",
            "-m triton.cli fetch --export bundle.tar acme here: PYTHONPATH=python python",
            "-m triton.cli fetch --import bundle.tar",
            "a C++ compiler (no-such-compiler)",
            f"LLVM 22 with MLIR (LLVM_SYSPATH={tmp_path}/nowhere)",
            "apt-get install llvm-22-dev",
        ):
            assert part in message, part
        assert message.count("TRITON_OFFLINE_BUILD is set") == 1, "one error"
    assert snapshot(checkout.root) == before, "nothing was written, no link was made"
    assert not (tmp_path / "cache").exists()
    # A mirror that is a folder needs no network.
    mirror = {**env, "FLAGTREE_ARTIFACT_MIRROR": str(tmp_path / "mirror")}
    del mirror["LLVM_SYSPATH"], mirror["CXX"]
    assert checkout.wheel(tmp_path / "w", env=mirror).returncode == 0


def test_another_owner_of_the_package_is_named_by_the_build(checkout, tmp_path):
    info = tmp_path / "site" / "triton-3.8.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: triton\nVersion: 3.8.0\n")
    (info / "RECORD").write_text("triton/__init__.py,,\n")
    done = checkout.setup("build", env={"PYTHONPATH": str(info.parent)})
    assert done.returncode == 0
    assert "also belongs to triton 3.8.0" in done.stdout and "pip uninstall triton" in done.stdout


def test_a_backend_without_compiler_stops_pip_with_its_name(checkout, tmp_path):
    (checkout.root / "third_party/acme/backend/compiler.py").unlink()
    message = error_of(checkout.wheel(tmp_path / "w", env={"FLAGTREE_BACKEND": "acme"}))
    assert "acme/backend.toml: the backend has no" in message and "backend/compiler.py" in message
    assert "Traceback" not in message.partition("error: ")[2].partition("note:")[0]


def test_an_error_of_cmake_is_repeated_last(checkout, tmp_path):
    checkout.write("c.cpp", "int c() { return missing; }\n")
    done = checkout.setup("build")
    assert done.returncode != 0
    tail = " ".join(done.stdout.strip().splitlines()[-8:])
    assert "The first error was:" in tail and "c.cpp:1" in tail and "missing" in tail
    checkout.write("c.cpp", "int c() { return 0; }\n")
    output = build(checkout)[1]
    assert "Building CXX" in output and "a.cpp" not in output.partition("--build")[2], "what was built is kept"


def test_a_backend_elsewhere_is_built_like_one_of_the_checkout(checkout, tmp_path):
    """setuptools refuses absolute package folders in some places, and files outside of the project in others."""
    elsewhere = tmp_path / "vendor" / "acme"
    elsewhere.parent.mkdir()
    inside = names_and_contents(make_wheel(checkout, tmp_path / "1", FLAGTREE_BACKEND="acme"))
    (checkout.root / "third_party" / "acme").rename(elsewhere)
    env = {"FLAGTREE_BACKEND": "acme", "TRITON_PLUGIN_DIRS": str(elsewhere)}
    assert names_and_contents(make_wheel(checkout, tmp_path / "2", **env)) == inside
    environment = make_environment(tmp_path / "venv")
    environment.pip(*INSTALL, "-e", ".", cwd=checkout.root, env=env)
    code = "import triton.backends.acme.driver as d, triton.language.extra.acme; print(d.__file__)"
    file = Path(environment.run(code, tmp_path))
    assert file.resolve() == elsewhere / "backend" / "driver.py"
    assert (elsewhere / "backend" / "lib" / "device.bc").is_file()
    environment.pip(*INSTALL, "-e", ".", cwd=checkout.root)
    assert not (elsewhere / "backend" / "lib" / "device.bc").exists(), "it was put there by the install"
