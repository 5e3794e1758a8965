"""Builds the extension ``torch_fl._C`` against the installed torch."""

import os
from pathlib import Path

# An installed torch_fl that does not fit this torch must not keep its successor from being built.
os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"

import torch
from setuptools import setup
from setuptools.command.build_py import build_py
from torch.utils.cpp_extension import BuildExtension, CppExtension, include_paths

HERE = Path(__file__).parent
STAMP = HERE / "torch_fl" / "_built_for.py"


def write_stamp():
    """Writes down which torch the extension belongs to, for the error message where it meets another one."""
    STAMP.write_text(f'"""Written by the build."""\n\nTORCH_VERSION = "{torch.__version__}"\n', encoding="utf-8")


class StampedPython(build_py):
    def run(self):
        write_stamp()
        super().run()


class StampedExtension(BuildExtension):
    def run(self):
        write_stamp()
        super().run()


def compile_arguments():
    """Warnings are errors in our files; torch's headers are not ours, and warn. Nobody debugs an installed wheel."""
    headers = (argument for path in include_paths() for argument in ("-isystem", path))
    return ["-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-fvisibility=hidden", "-g0", *headers]


def link_arguments():
    """The C++ library that torch has loaded, by name. A compiler that has only a static one would put a copy of it into
    the extension, and exceptions do not survive the way from one copy to the other.
    """
    loaded = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "libstdc++.so" in line}
    return ["-Wl,-s", *sorted(loaded)]


# The device lives in host memory or in that of an accelerator that torch knows. Both are compiled in: an accelerator is
# used through torch's own interfaces, so its toolkit is not needed, and the process chooses when it imports torch_fl.
setup(
    ext_modules=[
        CppExtension(
            "torch_fl._C",
            sorted(str(path.relative_to(HERE)) for path in (HERE / "csrc").rglob("*.cpp")),
            extra_compile_args=compile_arguments(),
            extra_link_args=link_arguments(),
        )
    ],
    cmdclass={"build_py": StampedPython, "build_ext": StampedExtension},
)
