"""Archives for the tests of artifacts, and the manifests that describe them."""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
from pathlib import Path

from setup_tools.manifest import Artifact


def member(name: str, content: bytes = b"", **attributes: object) -> tuple[tarfile.TarInfo, bytes]:
    """An entry of an archive; ``attributes`` are those of TarInfo (type, linkname, mode)."""
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for key, value in attributes.items():
        setattr(info, key, value)
    return info, content


def link(name: str, target: str) -> tuple[tarfile.TarInfo, bytes]:
    return member(name, type=tarfile.SYMTYPE, linkname=target)


def write_archive(file: Path, *members: tuple[tarfile.TarInfo, bytes], mode: str = "w:gz") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(file, mode) as tar:
        for info, content in members:
            tar.addfile(info, io.BytesIO(content))
    return file


# What can not be compressed, so that its archive has many blocks.
NOISE = os.urandom(3 << 20)


def toolchain(file: Path) -> Path:
    """A usual archive: one folder on top, a program, a library with a link to it."""
    return write_archive(
        file,
        member("tools-1/bin/tool", b"#!/bin/sh\n", mode=0o4755),
        member("tools-1/lib/liba.so.1", NOISE),
        link("tools-1/lib/liba.so", "liba.so.1"),
        link("tools-1/lib/up", "../bin/tool"),
        member("tools-1/lib/twin", type=tarfile.LNKTYPE, linkname="tools-1/bin/tool", mode=0o4755),
    )


def artifact_of(file: Path, name: str = "tools", host: str = "example.org", root: str = "tools-1") -> Artifact:
    """What a manifest would say of ``file``, at https://``host``/files/."""
    content = file.read_bytes()
    url = f"https://{host}/files/{file.name}"
    return Artifact(name, url, hashlib.sha256(content).hexdigest(), len(content), root=root)


def manifest_lines(artifact: Artifact) -> str:
    """The table of backend.toml for ``artifact``."""
    keys = ("name", "url", "sha256", "size", "root")
    return "[[artifacts]]\n" + "".join(f"{key} = {getattr(artifact, key)!r}\n" for key in keys)
