"""The setuptools plugin ``flagtree-build``: builds a repository that holds one backend and a short pyproject.toml.

    [build-system]
    requires = ["setuptools", "flagtree-build"]
    build-backend = "setuptools.build_meta"

    [project]
    name = "flagtree-acme"
    version = "0.1"
    dynamic = ["entry-points", "scripts", "dependencies"]

    [tool.flagtree]

Without a checkout of FlagTree it makes an add-on wheel (``addon``), with one a whole wheel (``commands``). setuptools
calls ``finalize`` for every project that is built where flagtree-build is installed; it acts on those with the table
only. A setup.py may say ``setup(flagtree_backend="acme")`` instead of having the table.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from setuptools.errors import SetupError

from .errors import BuildError
from .settings import Settings, make_settings, read_settings

if TYPE_CHECKING:
    from setuptools import Distribution


def finalize(distribution: Distribution) -> None:
    """Entry point of ``setuptools.finalize_distribution_options``."""
    root = Path(getattr(distribution, "src_root", None) or os.curdir).resolve()
    try:
        settings = read_settings(root, os.environ)
        if settings is not None:
            _apply(distribution, settings)
    except BuildError as error:
        raise SetupError(str(error)) from error


def backend_keyword(distribution: Distribution, keyword: str, value: Any) -> None:
    """Entry point of ``distutils.setup_keywords``: ``flagtree_backend`` is the folder of the backend."""
    if value is None:
        return
    root = Path(getattr(distribution, "src_root", None) or os.curdir).resolve()
    if not isinstance(value, str):
        raise SetupError(f"{keyword} = {value!r} must be a string, the folder of a backend")
    metadata = distribution.metadata
    project = {"name": metadata.name or "", "dynamic": ["entry-points", "scripts", "dependencies"]}
    if metadata.version:
        project["version"] = metadata.version
    else:
        project["dynamic"].append("version")
    try:
        if read_settings(root, os.environ) is not None:
            raise BuildError(f"{keyword} and [tool.flagtree] in pyproject.toml say the same. Keep one of them.")
        _apply(distribution, make_settings(root, {"backend": value}, project, os.environ, f"setup({keyword}=...)"))
    except BuildError as error:
        raise SetupError(str(error)) from error


def _apply(distribution: Distribution, settings: Settings) -> None:
    from .trunk import load_trunk

    trunk = load_trunk()
    if settings.source is None:
        from .plugin_addon import apply_addon

        apply_addon(distribution, settings, trunk)
    else:
        from .plugin_vendor import apply_vendor

        apply_vendor(distribution, settings, trunk)
