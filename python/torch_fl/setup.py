"""Builds the extension ``torch_fl._C`` against the installed torch."""

import os
from pathlib import Path

# An installed torch_fl that does not fit this torch must not keep its successor from being built.
os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"

import torch
from setuptools import setup
from setuptools.command.build_py import build_py
from torch.utils.cpp_extension import BuildExtension, CppExtension

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


setup(
    ext_modules=[
        CppExtension(
            "torch_fl._C",
            sorted(str(path.relative_to(HERE)) for path in (HERE / "csrc").glob("*.cpp")),
            extra_compile_args=["-O1", "-g0", "-Wall", "-Wextra", "-Wno-unused-parameter", "-fvisibility=hidden"],
            extra_link_args=["-Wl,-s"],
        )
    ],
    cmdclass={"build_py": StampedPython, "build_ext": StampedExtension},
)
