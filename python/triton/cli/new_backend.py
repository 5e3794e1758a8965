"""Write a new backend: a folder that builds and passes its own test, to be changed from there.

It inherits the CPU's compiler and driver, so it runs on any machine until its own parts take their place.
"""

from __future__ import annotations

import argparse
import errno
import keyword
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ._output import CliError, add_json_option, paint, print_json

HELP = "write the skeleton of a backend, which builds and passes its test"
_NAME = re.compile(r"[a-z][a-z0-9_]*")
# Words of C++20 that are no words of Python, and namespaces that the C++ of a backend uses.
_CPP_WORDS = frozenset(
    "alignas alignof asm auto bool case catch char concept const consteval constexpr constinit decltype default delete "
    "do double dynamic_cast enum explicit export extern float friend goto inline int long mutable namespace new "
    "noexcept nullptr operator private protected public register requires short signed sizeof static static_assert "
    "struct switch template this thread_local throw typedef typeid typename union unsigned using virtual void volatile "
    "llvm mlir py std triton".split()
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="of the backend: lower-case letters, digits and '_'")
    parser.add_argument("--dir", default=".", metavar="DIR", help="where the folder is made (default: here)")
    parser.add_argument("--cpp", action="store_true", help="with C++: a pass and a module of libtriton")
    parser.add_argument(
        "--repository", action="store_true", help="in a folder flagtree-NAME that builds wheels with flagtree-build"
    )
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    name = _checked(arguments.name)
    line = release_line()
    from ._skeleton import backend_files, dashed, repository_files

    if arguments.repository:
        folder, files = f"flagtree-{dashed(name)}", repository_files(name, line, arguments.cpp)
    else:
        folder, files = name, backend_files(name, line, arguments.cpp)
    target = write_tree(Path(os.path.expanduser(arguments.dir)), folder, files)
    if arguments.json:
        print_json("new-backend", True, name=name, folder=target, files=sorted(files))
    else:
        print(f"wrote {target}:")
        print("\n".join(f"  {path}" for path in sorted(files)))
        print(paint(f"-> next: {target / 'README.md'}", "fix"))
    return 0


def release_line() -> str:
    """The release line of this Triton, such as ``3.6``."""
    import triton

    return ".".join(triton.__version__.split(".")[:2])


def write_tree(parent: Path, name: str, files: Mapping[str, str]) -> Path:
    """Makes the folder `name` in `parent` with `files`, all of it or nothing. CliError where that cannot be."""
    target = parent / name
    if not parent.is_dir():
        raise CliError(f"--dir {parent}: that is no folder. Make it first")
    if os.path.lexists(target):
        raise CliError(f"{target} exists already. Remove it, or name another place with --dir")
    try:
        workshop = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=parent))
    except OSError as error:
        raise CliError(f"{target} cannot be made: {error.strerror}") from None
    try:
        for path, text in files.items():
            file = workshop / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        (workshop / name).rename(target)
    except OSError as error:
        taken = error.errno in (errno.EEXIST, errno.ENOTEMPTY)
        raise CliError(f"{target} cannot be made: {'it exists already' if taken else error.strerror}") from None
    finally:
        shutil.rmtree(workshop, ignore_errors=True)
    return target


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name) or _is_word(name):
        raise CliError(
            f"{name!r} is no name of a backend: it becomes a Python package and a C++ namespace, so it has lower-case "
            f"letters, digits and '_', begins with a letter and is no word of these languages.{_suggestion(name)}"
        )
    taken = taken_names()
    if name in taken:
        raise CliError(f"{name!r} is taken by {taken[name]}. Choose another name, such as {name + '_device'!r}")
    return name


def _is_word(name: str) -> bool:
    return keyword.iskeyword(name) or name in _CPP_WORDS


def _suggestion(name: str) -> str:
    """A valid name that looks like `name`, if there is one."""
    valid = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    if valid[:1].isdigit():
        valid = "device_" + valid
    if _is_word(valid) or valid in taken_names():
        valid += "_device"
    return f" Did you mean {valid!r}?" if _NAME.fullmatch(valid) else ""


def taken_names() -> dict[str, str]:
    """Names that a backend cannot have here, with what has them."""
    from ._installed import installed_backends, library, manifests
    from ._tree import find_tree

    tree, backends = find_tree(), installed_backends()
    known, _ = manifests(tree)
    libtriton, _ = library()
    modules = [name for name in dir(libtriton) if not name.startswith("_")] if libtriton else []
    names = {"none": "FLAGTREE_SPECIALIZATION, where it means that no backend specializes the trunk"}
    names |= {name: f"the module triton._C.libtriton.{name}" for name in modules}
    names |= {file.stem: f"the module triton.backends.{file.stem}" for file in tree.package.glob("backends/*.py")}
    for name, manifest in known.items():
        names |= dict.fromkeys(manifest.backend.aliases, f"backend {name!r}, whose alias it is")
    names |= dict.fromkeys((*backends, *tree.backends, *known), "a backend of that name")
    return names
