"""The version of the distribution: the trunk's, with the label of the selected backend."""

from __future__ import annotations

import ast
from pathlib import Path

from packaging.utils import InvalidName, canonicalize_name
from packaging.version import Version

from .environment import Environment
from .errors import BuildError
from .registry import Selection


def trunk_version(root: Path) -> Version:
    """``__version__`` of python/triton, read without importing it."""
    file = root / "python" / "triton" / "__init__.py"
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and any(
            isinstance(t, ast.Name) and t.id == "__version__" for t in node.targets
        ):
            return Version(ast.literal_eval(node.value))
    raise BuildError(f"{file} assigns no __version__.")


def distribution_name(environment: Environment) -> str:
    """FLAGTREE_WHEEL_NAME. Raises BuildError where a distribution cannot be called that."""
    name = environment.text("FLAGTREE_WHEEL_NAME")
    try:
        canonicalize_name(name, validate=True)
    except InvalidName:
        raise BuildError(
            f"FLAGTREE_WHEEL_NAME={name} cannot be the name of a distribution: it consists of letters, digits and, "
            "between those, of '.', '-' and '_'."
        ) from None
    return name


def distribution_version(root: Path, selection: Selection) -> str:
    """For example ``3.6.0+acme3.6``. Raises BuildError when a backend was written for another Triton line."""
    trunk = trunk_version(root)
    line = f"{trunk.major}.{trunk.minor}"
    for manifest in selection.backends:
        if manifest.backend.triton != line:
            raise BuildError(
                f"Backend {manifest.name!r} is for Triton {manifest.backend.triton}, this is Triton {line}. "
                f"Port it and change triton in {manifest.folder / 'backend.toml'}."
            )
    label = selection.primary.backend.label
    return f"{trunk.public}+{label}" if label else trunk.public
