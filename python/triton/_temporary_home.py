"""Where compiled kernels are kept for a user without a home folder."""

from __future__ import annotations

import functools
import os
import stat
import tempfile
import warnings


@functools.cache
def temporary_home() -> str:
    """A private folder for temporary files, the same for all processes of the user; warns at the first call."""
    folder = os.path.join(tempfile.gettempdir(), f"triton-{os.getuid()}")
    if not _is_private(folder):
        folder = tempfile.mkdtemp(prefix="triton-")
    warnings.warn(
        f"HOME is not set and the user {os.getuid()} has no entry in the passwd database: compiled kernels are kept "
        f"below {folder}. Set TRITON_HOME or TRITON_CACHE_DIR to keep them elsewhere",
        stacklevel=2,
    )
    return folder


def _is_private(folder: str) -> bool:
    """Makes `folder` if need be. False if others may put files there, which would then be run."""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        status = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o022
