"""How the C++ part is compiled: CMake's build type, and whether with a sanitizer. Each combination has its own tree."""

from __future__ import annotations

from dataclasses import dataclass

from .environment import Environment
from .errors import BuildError, did_you_mean

NAMES = ("Release", "RelWithDebInfo", "Debug", "MinSizeRel")
_SHORT = {"DEBUG": "Debug", "REL_WITH_DEB_INFO": "RelWithDebInfo"}


@dataclass(frozen=True)
class BuildType:
    name: str
    sanitized: bool = False

    @property
    def suffix(self) -> str:
        """What distinguishes its tree from that of a plain release build."""
        parts = [self.name.lower()] if self.name != "Release" else []
        return "".join(f"-{part}" for part in [*parts, *(["asan"] if self.sanitized else [])])

    @property
    def keeps_symbols(self) -> bool:
        """Whether somebody is going to debug it, so that nothing may be stripped."""
        return self.sanitized or self.name in ("Debug", "RelWithDebInfo")


def build_type(environment: Environment) -> BuildType:
    """What TRITON_BUILD_TYPE, DEBUG, REL_WITH_DEB_INFO and TRITON_BUILD_WITH_ASAN ask for. Raises BuildError."""
    wanted = {f"{name}=1": type_ for name, type_ in _SHORT.items() if environment.flag(name)}
    if environment.values.get("TRITON_BUILD_TYPE"):
        text = environment.text("TRITON_BUILD_TYPE")
        wanted[f"TRITON_BUILD_TYPE={text}"] = _known(text)
    if len(set(wanted.values())) > 1:
        raise BuildError(f"{' and '.join(wanted)} ask for different builds. Unset all but one of them.")
    name = next(iter(wanted.values()), "Release")
    return BuildType(name, environment.flag("TRITON_BUILD_WITH_ASAN"))


def _known(text: str) -> str:
    for name in NAMES:
        if text.lower() == name.lower():
            return name
    raise BuildError(f"TRITON_BUILD_TYPE={text} is none of {', '.join(NAMES)}.{did_you_mean(text, NAMES)}")
