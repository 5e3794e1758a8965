"""Other distributions that own the package ``triton``: installing over them mixes two packages in one folder."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import Distribution, distributions

PACKAGE = "triton"


def other_owners(own_name: str, installed: Iterable[Distribution] | None = None) -> list[str]:
    """Names and versions of distributions besides ``own_name`` that bring a package ``triton``."""
    found = {
        f"{distribution.metadata['Name']} {distribution.version}"
        for distribution in (distributions() if installed is None else installed)
        if _normalized(distribution.metadata["Name"] or "") != _normalized(own_name) and _owns_package(distribution)
    }
    return sorted(found)


def warning(own_name: str, owners: Iterable[str]) -> str:
    """What to say about ``owners``."""
    names = " ".join(owner.split()[0] for owner in owners)
    return (
        f"the package {PACKAGE!r} in this environment also belongs to {', '.join(owners)}. Installing {own_name} over "
        f"it would mix the files of both: run `pip uninstall {names}` first."
    )


def _owns_package(distribution: Distribution) -> bool:
    """True if it brings the package itself; a distribution that only adds a backend to it is no conflict."""
    record = distribution.read_text("RECORD") or ""
    return any(line.startswith(f"{PACKAGE}/__init__.py,") for line in record.splitlines())


def _normalized(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")
