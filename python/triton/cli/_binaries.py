"""The machine code in a wheel: what it exports and needs, and on which systems it can therefore run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from ._elf import Elf, ElfError, read_elf
from ._output import NOTE, OK, PROBLEM, Finding
from ._wheel import Wheel

Version = tuple[int, ...]

EXPORTS = ("PyInit_libtriton",)
# Where debuggers look for code that was compiled in the process; every program with a just-in-time compiler has them.
DEBUGGER_EXPORTS = ("__jit_debug_register_code", "__jit_debug_descriptor")
# Libraries that the manylinux specification (PEP 600 and its predecessors) allows a wheel to expect.
SYSTEM_LIBRARIES = frozenset(
    f"lib{name}"
    for name in (
        *(
            "c.so.6",
            "m.so.6",
            "mvec.so.1",
            "dl.so.2",
            "rt.so.1",
            "pthread.so.0",
            "util.so.1",
            "resolv.so.2",
            "nsl.so.1",
        ),
        *("anl.so.1", "gcc_s.so.1", "stdc++.so.6", "atomic.so.1", "z.so.1", "expat.so.1"),
    )
)
_LOADER = re.compile(r"ld-linux[-\w]*\.so\.\d+|ld64\.so\.\d+")
# Newest symbol version in libstdc++ of a manylinux platform, and the minor version of glibc that names the platform.
_CXX_LEVELS: dict[str, tuple[tuple[Version, int], ...]] = {
    "GLIBCXX": (
        *(((3, 4, 19), 17), ((3, 4, 22), 24), ((3, 4, 24), 27), ((3, 4, 28), 31)),
        *(((3, 4, 29), 34), ((3, 4, 30), 35), ((3, 4, 32), 38), ((3, 4, 33), 39)),
    ),
    "CXXABI": (
        *(((1, 3, 7), 17), ((1, 3, 10), 24), ((1, 3, 11), 27), ((1, 3, 12), 31)),
        *(((1, 3, 13), 34), ((1, 3, 14), 38), ((1, 3, 15), 39)),
    ),
}
_OLDEST = 17  # manylinux2014; nothing older is built any more
_LEGACY = {"manylinux1": 5, "manylinux2010": 12, "manylinux2014": 17}


def read_binaries(wheel: Wheel) -> tuple[dict[str, Elf], list[Finding]]:
    """Every ELF file of the wheel by name, and what is wrong with those that cannot be read."""
    found, problems = {}, []
    for name in wheel.names:
        is_library = re.search(r"\.so(\.\d+)*$", name) is not None
        data = wheel.read(name)
        if is_library or data.startswith(b"\x7fELF"):
            try:
                found[name] = read_elf(data)
            except ElfError as error:
                problems.append(Finding(PROBLEM, PurePosixPath(name).name, f"{name}: {error}", "build it again"))
    return found, problems


def check_binaries(wheel: Wheel, allowed: Iterable[str] = ()) -> Iterator[Finding]:
    """Checks all of them; `allowed` are patterns of further libraries that the user's machine may have."""
    binaries, problems = read_binaries(wheel)
    yield from problems
    if not binaries:
        return
    for name in wheel.libraries:
        if name in binaries:
            yield from _exports(binaries[name])
    yield from _needed(wheel, binaries, set(allowed))
    yield from _search_paths(binaries)
    yield from _platform(wheel, binaries)


def _exports(library: Elf) -> Iterator[Finding]:
    extra = [name for name in library.exported if name not in (*EXPORTS, *DEBUGGER_EXPORTS)]
    missing = [name for name in EXPORTS if name not in library.exported]
    if missing:
        yield Finding(
            PROBLEM, "symbols", f"libtriton does not export {missing[0]}: it cannot be imported", "build it again"
        )
    if extra:
        shown = ", ".join(extra[:3]) + (", ..." if len(extra) > 3 else "")
        text = f"libtriton exports {len(extra)} symbols besides {EXPORTS[0]}, so they may clash: {shown}"
        yield Finding(PROBLEM, "symbols", text, "link with -Wl,--exclude-libs,ALL and hidden visibility")
    if not missing and not extra:
        debugger = " and what debuggers look for" if set(DEBUGGER_EXPORTS) & set(library.exported) else ""
        yield Finding(OK, "symbols", f"libtriton exports {EXPORTS[0]}{debugger} only")


def _needed(wheel: Wheel, binaries: dict[str, Elf], allowed: set[str]) -> Iterator[Finding]:
    inside = {PurePosixPath(name).name for name in wheel.names}
    everything: set[str] = set()
    bad = False
    for name, binary in binaries.items():
        everything.update(binary.needed)
        for library in binary.needed:
            expected = library in SYSTEM_LIBRARIES | inside or _LOADER.fullmatch(library)
            if not expected and not any(fnmatchcase(library, pattern) for pattern in allowed):
                bad = True
                yield Finding(
                    *(PROBLEM, "needed", f"{name} needs {library}, which not every system has"),
                    f"link it statically, bundle it with auditwheel, or allow it: --allow {library}",
                )
    if not bad:
        yield Finding(OK, "needed", ", ".join(sorted(everything)))


def _search_paths(binaries: dict[str, Elf]) -> Iterator[Finding]:
    for name, binary in binaries.items():
        for folder in binary.search_path:
            if not folder.startswith("$ORIGIN"):
                text = f"{name} looks for libraries in {folder or 'the current folder'}, which only its builder has"
                yield Finding(PROBLEM, "search path", text, "use $ORIGIN: patchelf --set-rpath, or CMAKE_INSTALL_RPATH")


def _platform(wheel: Wheel, binaries: dict[str, Elf]) -> Iterator[Finding]:
    machines = sorted({binary.machine for binary in binaries.values()})
    needs, why = required_glibc(binaries)
    for platform in wheel.platforms:
        machine = next((m for m in machines if platform.endswith(f"_{m}")), None)
        if machine is None or len(machines) > 1:
            text = f"the tag {platform} does not fit the machine code inside, which is for {', '.join(machines)}"
            yield Finding(PROBLEM, "platform", text, "retag it, or build it on the right machine")
            continue
        true_tag = f"manylinux_2_{max(needs, _OLDEST)}_{machine}"
        claimed = claimed_glibc(platform)
        if claimed is None:
            text = f"{platform} claims nothing; glibc 2.{needs} is needed ({why}), so {true_tag} is true"
            yield Finding(
                NOTE, "platform", text, "publishing needs that tag: auditwheel repair, or wheel tags --platform-tag"
            )
        elif claimed < needs:
            text = f"{platform} claims glibc 2.{claimed}, but 2.{needs} is needed: {why}"
            yield Finding(PROBLEM, "platform", text, f"tag it {true_tag}, or build it on an older system")
        else:
            yield Finding(OK, "platform", f"{platform}: glibc 2.{needs} is needed ({why})")


def claimed_glibc(platform: str) -> int | None:
    """Minor version of glibc that a platform tag promises to run on; None for a tag without a promise."""
    match = re.match(r"manylinux_2_(\d+)_", platform)
    if match:
        return int(match[1])
    return next((minor for tag, minor in _LEGACY.items() if platform.startswith(f"{tag}_")), None)


def required_glibc(binaries: dict[str, Elf]) -> tuple[int, str]:
    """The oldest glibc (minor version) with whose platforms the binaries run, and the symbol version that says so."""
    best, why = 0, "no versioned symbols"
    for name, binary in binaries.items():
        for library, versions in binary.versions.items():
            for version in versions:
                minor = _minor(version)
                if minor > best:
                    best, why = minor, f"{PurePosixPath(name).name} uses {version} of {library}"
    return best, why


def _minor(version: str) -> int:
    prefix, _, number = version.partition("_")
    if not re.fullmatch(r"\d+(\.\d+)*", number):
        return 0
    parts = tuple(map(int, number.split(".")))
    if prefix == "GLIBC":
        return parts[1] if len(parts) > 1 else 0
    levels = _CXX_LEVELS.get(prefix, ())
    for limit, minor in levels:
        if parts <= limit:
            return minor
    return levels[-1][1] + 1 if levels else 0
