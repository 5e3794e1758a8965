"""Builds the extension ``torch_fl._C`` against the installed torch."""

from pathlib import Path

import torch
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension

HERE = Path(__file__).parent
STAMP = HERE / "torch_fl" / "_built_for.py"


class StampedBuild(BuildExtension):
    """Also writes down which torch the extension belongs to, for the error message where it meets another one."""

    def run(self):
        STAMP.write_text(f'"""Written by the build."""\n\nTORCH_VERSION = "{torch.__version__}"\n', encoding="utf-8")
        super().run()


setup(
    ext_modules=[
        CppExtension(
            "torch_fl._C",
            sorted(str(path.relative_to(HERE)) for path in (HERE / "csrc").glob("*.cpp")),
            extra_compile_args=["-O1", "-Wall", "-Wextra", "-Wno-unused-parameter", "-fvisibility=hidden"],
        )
    ],
    cmdclass={"build_ext": StampedBuild},
)
