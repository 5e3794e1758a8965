"""Add-ons: backends that distributions of their own put beside this package's, into ``triton/backends``.

Each brings a generated module ``_flagtree_addon.py`` with ``BACKEND`` (its name), ``DISTRIBUTION``, ``TRITON`` (the
release line it was checked against), ``OVERLAY`` (whether it specializes the trunk) and ``ALIASES``.

One specialization can be active in a process. It is the one that ``FLAGTREE_SPECIALIZATION`` names (``none``: none is),
otherwise the only one there is: that of the backend this package was built for, or of an add-on. More than one without
a choice is an error, because either of them would change kernels that were written for the other.

This file is loaded only where there is an add-on or the variable is set.
"""

import os
import sys
from importlib.util import module_from_spec, spec_from_file_location

VARIABLE = "FLAGTREE_SPECIALIZATION"
NO_ONES = "none"
_NAMES = ("BACKEND", "DISTRIBUTION", "TRITON", "OVERLAY", "ALIASES")


class UndecidedError(ImportError):
    """Which specialization is active is open, or the variable names none; ``names`` has those there are."""

    def __init__(self, message: str, names: list[str]):
        super().__init__(message)
        self.names = names


def load(file: str):
    """The generated module of one add-on. It is no part of ``sys.modules``."""
    spec = spec_from_file_location("_flagtree_addon", file)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (NameError, SyntaxError, ValueError) as error:
        raise _damaged(file) from error
    if not all(hasattr(module, name) for name in _NAMES):
        raise _damaged(file)
    return module


def _damaged(file: str) -> ImportError:
    return ImportError(f"{file}, which describes an add-on, is damaged. Install the distribution it belongs to again.")


def check_version(addon, package: str) -> None:
    """Raise ImportError where ``addon`` was made for another release line than that of the running ``package``."""
    version = getattr(sys.modules.get(package), "__version__", None)
    if version is not None and not f"{version}.".startswith(f"{addon.TRITON}."):
        raise ImportError(
            f"backend {addon.BACKEND!r} of distribution {addon.DISTRIBUTION!r} is for Triton {addon.TRITON}, but this "
            f"is Triton {version}. Install a version of {addon.DISTRIBUTION!r} for this one, or uninstall it."
        )


def choose(built, addons: list, package: str):
    """The generated module of the specialization to use, or None. ``built`` is that of this package, or None.

    Raises UndecidedError where the choice is open or names nothing, ImportError where it is for another version.
    """
    offers: dict = {}
    for marker in [built, *addons]:
        if marker is not None and marker.OVERLAY:
            offers.setdefault(marker.BACKEND, marker)
    wanted = os.environ.get(VARIABLE)
    if wanted == NO_ONES:
        return None
    if wanted:
        if wanted not in offers:
            raise UndecidedError(
                f"{VARIABLE}={wanted}: no backend of that name specializes this installation. "
                f"It has: {', '.join(offers) or 'none at all'}. Set it to one of these or to {NO_ONES!r}, or unset it.",
                list(offers),
            )
        chosen = offers[wanted]
    elif len(offers) > 1:
        origins = ", ".join(f"{name} ({_origin(marker)})" for name, marker in offers.items())
        raise UndecidedError(
            f"{len(offers)} backends specialize this installation of triton, and only one can do so at a time: "
            f"{origins}. Set {VARIABLE} to one of them or to {NO_ONES!r}, or uninstall the others.",
            list(offers),
        )
    else:
        chosen = next(iter(offers.values()), None)
    if chosen is not None and chosen is not built:
        check_version(chosen, package)
    return chosen


def _origin(marker) -> str:
    distribution = getattr(marker, "DISTRIBUTION", None)
    return f"add-on {distribution}" if distribution else "built in"
