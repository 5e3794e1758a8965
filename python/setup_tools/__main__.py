"""Questions about the build of this checkout: ``python -m setup_tools tree``.

tree         the CMake tree of the selected backend
environment  the environment variables that the build and the backends read; with --write, renews docs/environment.md
presets      writes CMakeUserPresets.json, with presets for the backends of this checkout
schema       the JSON schema of backend.toml; with --write, renews it and the reference of the keys in docs/
preview DIR  links a package for the selected backend below DIR, where nothing needs compiling, and prints its path
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from .environment_page import environment_page, write_page
from .errors import BuildError
from .presets import write_presets
from .preview import make_preview
from .project import load_project
from .schema import schema_text, write_files
from .shared_core import build_tree

ROOT = Path(__file__).resolve().parents[2]
_WRITTEN = ("environment", "schema")  # what --write renews


def answer(question: str, folder: str | None, write: bool) -> int:
    """Prints the answer to ``question`` and returns the exit status. Raises BuildError."""
    if question == "schema":
        if write:
            print("\n".join(write_files(ROOT)) or "up to date")
        else:
            print(schema_text(), end="")
        return 0
    if question == "environment":
        print(f"{write_page(ROOT)} is up to date" if write else environment_page(ROOT), end="\n" if write else "")
        return 0
    project = load_project(ROOT, os.environ)
    if question == "presets":
        print(f"{write_presets(project)} has a preset for each backend: cmake --list-presets")
        return 0
    if question == "preview":
        if not folder:
            raise BuildError("preview needs the folder to link the package in.")
        print(make_preview(project, Path(folder).resolve(), lambda text: None))
        return 0
    print(build_tree(project))
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="setup_tools", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("question", choices=("tree", "environment", "presets", "schema", "preview"))
    parser.add_argument("folder", nargs="?", metavar="DIR", help="for preview")
    parser.add_argument("--write", action="store_true", help="for environment and schema")
    arguments = parser.parse_args(argv)
    if arguments.folder is not None and arguments.question != "preview":
        parser.error(f"{arguments.question} takes no folder, {arguments.folder!r} was given")
    if arguments.write and arguments.question not in _WRITTEN:
        parser.error(f"--write belongs to {' and '.join(_WRITTEN)}, not to {arguments.question}")
    try:
        status = answer(arguments.question, arguments.folder, arguments.write)
        sys.stdout.flush()
        return status
    except BuildError as error:
        sys.exit(f"error: {error}")
    except BrokenPipeError:
        # The reader (head, less) went away; Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:  # a full disk, a folder that cannot be read or written
        what = error.strerror or str(error)
        sys.exit(f"error: {error.filename}: {what}" if error.filename else f"error: {what}")


if __name__ == "__main__":
    sys.exit(main())
