"""Writes wheels as the build makes them, but small; a test then spoils one thing."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from .elf_writer import shared_library

LIBRARY = "triton/_C/libtriton.cpython-311-x86_64-linux-gnu.so"
INFO = "flagtree-3.6.0+acme3.6.dist-info"
NAME = "flagtree-3.6.0+acme3.6-cp311-cp311-{platform}.whl"


def library(**changes) -> bytes:
    """A libtriton that needs glibc 2.28; `changes` are arguments of `shared_library`."""
    arguments = {
        "exported": ("PyInit_libtriton",),
        "needed": ("libc.so.6", "libstdc++.so.6"),
        "versions": {"libc.so.6": ("GLIBC_2.17", "GLIBC_2.28"), "libstdc++.so.6": ("GLIBCXX_3.4.22",)},
    }
    return shared_library(**{**arguments, **changes})


@dataclass
class WheelWriter:
    """`files` are the content; None in `executable` would be a file without mode. RECORD is made last."""

    platform: str = "manylinux_2_28_x86_64"
    files: dict[str, bytes | str] = field(default_factory=dict)
    executable: set[str] = field(default_factory=lambda: {"triton/FileCheck", LIBRARY})
    record: dict[str, str] = field(default_factory=dict)  # rows that replace the true ones; "" leaves one out

    def __post_init__(self) -> None:
        tag = f"cp311-cp311-{self.platform}"
        self.files = {
            "triton/__init__.py": '__version__ = "3.6.0"\n',
            "triton/_flagtree_backend.py": 'BACKEND = "acme"\nOVERLAY = True\nBACKENDS = ("acme", "cpu")\n',
            "triton/FileCheck": library(exported=()),
            LIBRARY: library(),
            "triton/backends/__init__.py": "",
            "triton/backends/acme/spec/triton/__init__.py": "",
            "triton/language/extra/acme/__init__.py": "",
            "triton/language/extra/_own/kernels/__init__.py": "",  # the trunk's
            f"{INFO}/METADATA": "Metadata-Version: 2.4\nName: flagtree\nVersion: 3.6.0+acme3.6\n",
            f"{INFO}/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {tag}\n",
            f"{INFO}/entry_points.txt": "[triton.backends]\nacme = triton.backends.acme\ncpu = triton.backends.cpu\n",
        }
        for backend in ("acme", "cpu"):
            for part in ("__init__", "compiler", "driver"):
                self.files[f"triton/backends/{backend}/{part}.py"] = "x = 1\n"

    def write(self, folder: Path) -> Path:
        path = folder / NAME.format(platform=self.platform)
        rows = []
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in self.files.items():
                data = content.encode() if isinstance(content, str) else content
                info = zipfile.ZipInfo(name)
                info.external_attr = (0o100755 if name in self.executable else 0o100644) << 16
                archive.writestr(info, data)
                digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                rows.append(self.record.get(name, f"{name},sha256={digest},{len(data)}"))
            rows += [row for name, row in self.record.items() if name not in self.files]
            rows.append(f"{INFO}/RECORD,,")
            archive.writestr(f"{INFO}/RECORD", "\n".join(filter(None, rows)) + "\n")
        return path
