"""Entry point of the build. Everything constant is in pyproject.toml, the rest in python/setup_tools."""

import os
import sys
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "python"))

from setup_tools.commands import setup_arguments  # noqa: E402 - found through the line above
from setup_tools.errors import BuildError  # noqa: E402
from setup_tools.project import load_project  # noqa: E402

try:
    arguments = setup_arguments(load_project(ROOT, os.environ))
except BuildError as error:
    sys.exit(f"error: {error}")
setup(**arguments)
