"""The cache of compiled kernels: where it is, what it holds, and making it smaller.

prune removes the kernels that were not used for the longest time. It is safe while programs run: a kernel's folder
disappears in one step, and a program that looks for it then compiles it again. Kernels younger than ten minutes stay,
somebody may be writing them; so does everything that is no kernel.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass

from ._output import CliError, add_json_option, print_json, size_text

HELP = "where compiled kernels are kept, how much there is, and removing old ones"

_KEY = re.compile(r"[A-Z2-7]{52}")  # base32 of a sha256, without padding: the names that the cache gives
_DOOMED = ".pruned-"
_TEMPORARY = ".tmp-"
_GRACE_SECONDS = 600
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_PERIODS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}


@dataclass(frozen=True)
class Entry:
    """One kernel's folder. `used` is the time (seconds since the epoch) of the last write or, where known, read."""

    path: str
    size: int
    files: int
    used: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("path", "size", "prune"), help="what to do")
    parser.add_argument("--dir", help="another cache folder than that of TRITON_CACHE_DIR and TRITON_HOME")
    parser.add_argument(
        "--older-than", metavar="AGE", type=parse_age, help="prune: kernels not used for 12h, 30d, 4w ..."
    )
    parser.add_argument(
        "--max-size", metavar="SIZE", type=parse_size, help="prune: the oldest, until 500M, 2G ... are left"
    )
    parser.add_argument("--dry-run", action="store_true", help="prune: say what would be removed, remove nothing")
    add_json_option(parser)


def parse_size(text: str) -> int:
    """Bytes: ``1500``, ``500M``, ``2GiB``."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no size; write for example 500M or 2G")
    return int(float(match[1]) * _UNITS[match[2].upper()])


def parse_age(text: str) -> float:
    """Seconds: ``90m``, ``12h``, ``30d``, ``4w``."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smhdw])", text.strip(), re.IGNORECASE)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no age; write for example 12h, 30d or 4w")
    return float(match[1]) * _PERIODS[match[2].lower()]


def cache_dir() -> str:
    """The folder that the runtime uses."""
    from triton import knobs

    return knobs.cache.dir


def run(arguments: argparse.Namespace) -> int:
    folder = os.path.abspath(os.path.expanduser(arguments.dir or cache_dir()))
    if arguments.action != "prune" and (arguments.older_than, arguments.max_size, arguments.dry_run) != (
        None,
        None,
        False,
    ):
        raise CliError(
            f"--older-than, --max-size and --dry-run belong to 'flagtree cache prune', not to {arguments.action}"
        )
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise CliError(f"the cache folder {folder} is a file. Remove it, or set TRITON_CACHE_DIR to a folder")
    if arguments.action == "path":
        if arguments.json:
            print_json("cache path", True, path=folder, exists=os.path.isdir(folder))
        else:
            print(folder)
        return 0
    return _size(folder, arguments) if arguments.action == "size" else _prune(folder, arguments)


def _size(folder: str, arguments: argparse.Namespace) -> int:
    entries = list(scan(folder))
    total, others = sum(entry.size for entry in entries), _others(folder)
    if arguments.json:
        print_json("cache size", True, path=folder, kernels=len(entries), bytes=total, other_entries=others)
        return 0
    print(f"{folder}: {len(entries)} kernels, {size_text(total)}")
    if others:
        print(f"and {others} entries that are no kernels, left alone by prune")
    return 0


def _prune(folder: str, arguments: argparse.Namespace) -> int:
    if arguments.older_than is None and arguments.max_size is None:
        raise CliError("prune needs a limit: --older-than AGE, --max-size SIZE or both (--max-size 0 removes all)")
    entries = list(scan(folder))
    doomed = choose(entries, arguments.older_than, arguments.max_size, time.time())
    if arguments.dry_run:
        removed = doomed
    else:
        _remove_leftovers(folder)
        removed = [entry for entry in doomed if _remove(folder, entry)]
    size = sum(entry.size for entry in removed)
    left = sum(entry.size for entry in entries) - size
    if arguments.json:
        print_json(
            *("cache prune", True),
            path=folder,
            dry_run=arguments.dry_run,
            removed=[os.path.basename(entry.path) for entry in removed],
            removed_bytes=size,
            left_bytes=left,
        )
        return 0
    verb = "would remove" if arguments.dry_run else "removed"
    print(f"{folder}: {verb} {len(removed)} of {len(entries)} kernels, {size_text(size)}; {size_text(left)} are left")
    return 0


def scan(folder: str) -> Iterator[Entry]:
    """The kernels in `folder`. What other processes remove meanwhile is passed over."""
    for item in _items(folder):
        if _KEY.fullmatch(item.name) and item.is_dir(follow_symlinks=False):
            entry = _entry(item.path)
            if entry is not None:
                yield entry


def choose(entries: list[Entry], older_than: float | None, max_size: int | None, now: float) -> list[Entry]:
    """The entries to remove, oldest first: those older than a limit, then more until `max_size` bytes are left."""
    total = sum(entry.size for entry in entries)
    doomed = []
    for entry in sorted(entries, key=lambda e: (e.used, e.path)):
        age = now - entry.used
        too_old = older_than is not None and age > older_than
        too_much = max_size is not None and total > max_size
        if (too_old or too_much) and age > _GRACE_SECONDS:
            doomed.append(entry)
            total -= entry.size
    return doomed


def _items(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as items:
            return list(items)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise CliError(
            f"the cache folder {folder} cannot be read: {error.strerror}. Check its owner and mode"
        ) from None


def _entry(path: str) -> Entry | None:
    size = files = 0
    used = 0.0
    try:
        used = os.stat(path).st_mtime
        for parent, _, names in os.walk(path):
            for name in names:
                status = os.lstat(os.path.join(parent, name))
                # A folder's and a file's own times: the system updates the time of access rarely or never.
                used = max(used, status.st_mtime, status.st_atime)
                size += status.st_size
                files += 1
    except FileNotFoundError:
        return None
    return Entry(path, size, files, used)


def _others(folder: str) -> int:
    return sum(not _KEY.fullmatch(item.name) for item in _items(folder))


def _remove(folder: str, entry: Entry) -> bool:
    """Removes an entry unless another process did. It is moved away first: no reader ever sees half of it."""
    current = _entry(entry.path)
    if current is None or current.used > entry.used:
        return False  # removed, or in use again since it was chosen
    doomed = os.path.join(folder, f"{_DOOMED}{secrets.token_hex(8)}")
    try:
        os.rename(entry.path, doomed)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise CliError(
            f"{entry.path} cannot be removed: {error.strerror}. Check the owner and mode of {folder}"
        ) from None
    shutil.rmtree(doomed, ignore_errors=True)  # what stays is removed by the next prune
    return True


def _remove_leftovers(folder: str) -> None:
    """What a prune or a writer that was killed left behind."""
    now = time.time()
    for item in _items(folder):
        if item.name.startswith(_DOOMED) and item.is_dir(follow_symlinks=False):
            shutil.rmtree(item.path, ignore_errors=True)
        elif item.name.startswith(_TEMPORARY) and item.is_file(follow_symlinks=False):
            with contextlib.suppress(FileNotFoundError):
                if now - item.stat(follow_symlinks=False).st_mtime > _GRACE_SECONDS:
                    os.unlink(item.path)
