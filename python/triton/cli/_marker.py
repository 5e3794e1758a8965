"""The generated module ``triton/_flagtree_backend.py``, read without running it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from ._output import CliError

MARKER_NAME = "_flagtree_backend.py"
_TYPES = {"BACKEND": str, "OVERLAY": bool, "BACKENDS": tuple}


def marker_values(text: str | bytes, name: str) -> Mapping[str, Any]:
    """``BACKEND`` (str), ``OVERLAY`` (bool) and ``BACKENDS`` (tuple of str). CliError where `text` is damaged."""
    values: dict[str, Any] = {}
    try:
        for node in ast.parse(text).body:
            match node:
                case ast.Assign(targets=[ast.Name(id=key)], value=value) if key in _TYPES:
                    values[key] = ast.literal_eval(value)
    except (SyntaxError, ValueError) as error:
        raise CliError(f"{name} is damaged: {error}. Build and install again") from None
    for key, wanted in _TYPES.items():
        if not isinstance(values.get(key), wanted):
            raise CliError(f"{name} assigns no {wanted.__name__} to {key}. Build and install again")
    return values
