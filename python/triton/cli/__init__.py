"""The ``flagtree`` command: ``flagtree COMMAND ...`` or ``python -m triton.cli COMMAND ...``.

A command is a module of this package with `HELP` (one line), `add_arguments(parser)` and `run(arguments) -> int`, its
exit status: 0 for fine, 1 for problems found. 2 says that the command could not be carried out. A command's module is
imported only when that command, or the help, is asked for.
"""

from __future__ import annotations

import argparse
import importlib
import io
import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import NoReturn

from ._output import CliError, did_you_mean

__all__ = ["COMMANDS", "CliError", "build_parser", "main"]

COMMANDS: dict[str, str] = {
    "doctor": "doctor",
    "backends": "backends",
    "spec": "spec",
    "wheel-check": "wheel_check",
    "cache": "cache",
    "fetch": "fetch",
    "new-backend": "new_backend",
}


_STDOUT = 1  # its file descriptor


class Parser(argparse.ArgumentParser):
    """Errors name the nearest valid word."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {message}{self._nearest(message)}\nSee '{self.prog} --help'.\n")

    def _nearest(self, message: str) -> str:
        wrong = re.search(r"invalid choice: '([^']*)'|unrecognized arguments: (\S+?)\.?(?:\s|$)", message)
        if wrong is None:
            return ""
        if wrong[1] is not None:
            return did_you_mean(wrong[1], self._choices())
        return did_you_mean(wrong[2], self._option_string_actions)

    def _choices(self) -> Iterable[str]:
        for action in self._actions:
            yield from map(str, action.choices or ())


def build_parser(commands: Iterable[str] = tuple(COMMANDS)) -> argparse.ArgumentParser:
    """The parser of ``flagtree`` with `commands`; only their modules are imported."""
    parser = Parser(
        prog="flagtree",
        description="Looks after an installation or a checkout of FlagTree.",
        epilog="Exit status: 0 fine, 1 problems were found, 2 the command could not be carried out.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_PrintVersion, nargs=0, help="print the version and the selected backend")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)
    for name in commands:
        module = importlib.import_module(f"{__name__}.{COMMANDS[name]}")
        command = subparsers.add_parser(name, help=module.HELP, description=module.__doc__, allow_abbrev=False)
        command.formatter_class = argparse.RawDescriptionHelpFormatter
        module.add_arguments(command)
        command.set_defaults(run=module.run, parser=command)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command in `argv` (default: the process's arguments) and returns the exit status."""
    _print_anything()
    try:
        try:
            return _run(sys.argv[1:] if argv is None else list(argv))
        finally:
            if sys.stdout is not None:  # closed before the start
                sys.stdout.flush()
    except BrokenPipeError:
        # The reader (head, less) went away; Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), _STDOUT)
        return 0
    except CliError as error:
        return _failed(str(error))
    except ImportError as error:  # of triton itself, or of its specialization
        return _failed(f"{error}\n'flagtree doctor' examines the installation.")
    except OSError as error:  # a full disk, a folder that cannot be read or written
        what = error.strerror or str(error)
        return _failed(f"{error.filename}: {what}" if error.filename else what)
    except KeyboardInterrupt:
        return 130


def _print_anything() -> None:
    """Paths may have characters that the terminal's encoding lacks; escaped ones are better than no output."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _run(words: list[str]) -> int:
    # With a known first word one module is enough; anything else needs all of them, for help or for an error.
    parser = build_parser(words[:1] if words[:1] and words[0] in COMMANDS else COMMANDS)
    arguments, unknown = parser.parse_known_args(words)
    if unknown:
        arguments.parser.error(f"unrecognized arguments: {' '.join(unknown)}.")
    return arguments.run(arguments)


def _failed(message: str) -> int:
    print(f"flagtree: error: {message}", file=sys.stderr)
    return 2


class _PrintVersion(argparse.Action):
    """Asks for the version only when it is wanted: with a damaged installation that fails, and help must not."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(_version())
        parser.exit()


def _version() -> str:
    import triton
    from triton.flagtree_spec import selected_backend

    try:
        backend = selected_backend()
    except ImportError:  # a damaged marker, or several specializations; other commands must work and say more
        return f"flagtree {triton.__version__} (selected backend: see 'flagtree doctor')"
    return f"flagtree {triton.__version__}" + (f" (backend {backend})" if backend else "")
