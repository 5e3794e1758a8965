"""Transfer of one file from an address, verified before anybody sees it."""

from __future__ import annotations

import errno
import hashlib
import http.client
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .errors import BuildError

Progress = Callable[[int, int], None]  # bytes that are there, bytes in all
ATTEMPTS = 3
_BLOCK = 1 << 20
_TIMEOUT_SECONDS = 60
_WORTH_ANOTHER_TRY = (408, 425, 429)  # of the 4xx answers: timeout, too early, too many requests


class TooLongError(Exception):
    """The other side sends more than the file has."""


def download(url: str, target: Path, sha256: str, size: int, progress: Progress) -> None:
    """Put the file at ``url`` (https, http or file) into ``target``: all of it or nothing.

    It is written to ``target``.part, which stays when the transfer breaks off and is continued by the next one, and is
    renamed when size and digest are right. The caller holds a lock. Raises BuildError.
    """
    part = target.with_name(f"{target.name}.part")
    for attempt in range(1, ATTEMPTS + 1):
        continued = part.exists()
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            _transfer(url, part, size, progress)
        except TooLongError:
            problem = f"it is longer than {size} bytes"
        except (OSError, http.client.HTTPException) as error:
            if attempt == ATTEMPTS or _is_final(error):
                raise BuildError(
                    f"{url} could not be fetched: {_reason(error)}. Try again: what has arrived is kept. Where this "
                    "machine cannot reach it, FLAGTREE_ARTIFACT_MIRROR names another source."
                ) from error
            time.sleep(attempt - 1)
            continue
        else:
            problem = difference(part, sha256, size)
        if problem is None:
            os.replace(part, target)
            return
        part.unlink(missing_ok=True)
        if not continued:
            raise BuildError(
                f"{url} is not the file that the manifest describes: {problem}. Nothing of it is kept. The file on the "
                "server has changed, or something between here and there replaces it."
            )
    raise BuildError(f"{url} changed while it was fetched. Try again.")


def difference(file: Path, sha256: str, size: int) -> str | None:
    """How ``file`` differs from what is expected, None where it does not."""
    found = file.stat().st_size
    if found != size:
        return f"it has {found} bytes instead of {size}"
    digest = digest_of(file)
    return None if digest == sha256 else f"its sha256 is {digest} instead of {sha256}"


def digest_of(file: Path) -> str:
    """The sha256 of a file's content as hex digits."""
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _transfer(url: str, part: Path, size: int, progress: Progress) -> None:
    """Bring ``part`` to ``size`` bytes, continuing what it has if the server can."""
    have = part.stat().st_size if part.exists() else 0
    if have >= size:
        return
    request = urllib.request.Request(url, headers={"User-Agent": "flagtree"})
    if have:
        request.add_header("Range", f"bytes={have}-")
    with urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS) as response:
        if not _continues(response, have):
            have = 0
        with part.open("ab" if have else "wb") as stream:
            while block := response.read(_BLOCK):
                have += len(block)
                if have > size:
                    raise TooLongError
                stream.write(block)
                progress(have, size)
            stream.flush()
            os.fsync(stream.fileno())
    if have < size:
        raise http.client.IncompleteRead(b"", size - have)


def _continues(response: Any, have: int) -> bool:
    content_range = response.headers.get("Content-Range") or ""
    return getattr(response, "status", None) == 206 and content_range.startswith(f"bytes {have}-")


def _is_final(error: BaseException) -> bool:
    """Whether trying again at once is pointless."""
    if isinstance(error, urllib.error.HTTPError):
        return 400 <= error.code < 500 and error.code not in _WORTH_ANOTHER_TRY
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    return isinstance(cause, FileNotFoundError | PermissionError) or getattr(cause, "errno", 0) == errno.ENOSPC


def _reason(error: BaseException) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return f"the server answers {error.code} {error.reason}"
    if isinstance(error, http.client.IncompleteRead):
        return "the transfer broke off"
    return str(getattr(error, "reason", None) or getattr(error, "strerror", None) or error)
