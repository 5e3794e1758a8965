"""The driver that launches go to.

Chosen at first use: `driver.set_active` or ``TRITON_DEFAULT_BACKEND`` wins, else the one accelerator that is active,
else the CPU.
"""

from __future__ import annotations

import difflib
import os
import warnings
from typing import Any

from ..backends import backends
from ..backends.driver import DriverBase
from ..flagtree_spec import backend_aliases

_FALLBACK = "cpu"
_BROKEN = "cannot be used"


def _state(name: str) -> tuple[bool, str]:
    """Whether the driver of backend `name` is active, and if not, why. A broken backend is an inactive one here."""
    try:
        driver = backends[name].driver
        if driver.is_active():
            return True, "active"
        return False, driver.inactive_reason()
    except Exception as error:  # noqa: BLE001  listed in the message; another backend may work
        return False, f"{_BROKEN}: {type(error).__name__}: {error}"


def _report(states: dict[str, tuple[bool, str]]) -> str:
    return "\n".join(f"  {name}: {text}" for name, (_, text) in states.items()) or "  (none is installed)"


def _warn_of_broken(states: dict[str, tuple[bool, str]]) -> None:
    """The CPU stands in for a device that is absent; for a backend whose code fails, not without a word."""
    for name, (_, text) in states.items():
        if text.startswith(_BROKEN):
            warnings.warn(f"triton: backend {name!r} is skipped, it {text}", RuntimeWarning, stacklevel=4)


def _by_name(chosen: str) -> DriverBase:
    aliases = {alias: name for alias, name in backend_aliases().items() if name in backends}
    name = aliases.get(chosen, chosen)
    if name not in backends:
        near = difflib.get_close_matches(name, [*backends, *aliases], n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise RuntimeError(
            f"TRITON_DEFAULT_BACKEND={name!r} is no backend of this installation, which has: "
            f"{', '.join(backends) or 'none'}.{hint}"
        )
    active, reason = _state(name)
    if not active:
        raise RuntimeError(f"TRITON_DEFAULT_BACKEND={name!r} is not active: {reason}")
    return backends[name].driver()


def _is_candidate(name: str) -> bool:
    return getattr(backends[name].driver, "chosen_by_default", True)


def _create_driver() -> DriverBase:
    chosen = os.environ.get("TRITON_DEFAULT_BACKEND")
    if chosen:
        return _by_name(chosen)
    states = {name: _state(name) for name in backends}
    active = [name for name, (is_active, _) in states.items() if is_active]
    accelerators = [name for name in active if name != _FALLBACK and _is_candidate(name)]
    if len(accelerators) > 1:
        raise RuntimeError(
            f"{len(accelerators)} accelerators are active ({', '.join(accelerators)}) and none is chosen. Set "
            f"TRITON_DEFAULT_BACKEND or call triton.runtime.driver.set_active(). Backends:\n{_report(states)}"
        )
    if accelerators:
        return backends[accelerators[0]].driver()
    if _FALLBACK in active:
        _warn_of_broken(states)
        return backends[_FALLBACK].driver()
    raise RuntimeError(f"no backend can launch kernels here (0 active drivers). Backends:\n{_report(states)}")


class DriverConfig:
    """`triton.runtime.driver`: the active driver, and the means to replace it."""

    def __init__(self) -> None:
        self._default: DriverBase | None = None
        self._active: DriverBase | None = None

    @property
    def default(self) -> DriverBase:
        """The driver that the rules above choose."""
        if self._default is None:
            self._default = _create_driver()
        return self._default

    @property
    def active(self) -> DriverBase:
        """The driver that launches go to."""
        if self._active is None:
            self._active = self.default
        return self._active

    @property
    def decided(self) -> DriverBase | None:
        """The active driver, None while nobody has asked for it. Does not choose one."""
        return self._active

    def set_active(self, driver: Any) -> None:
        """Launches go to `driver` from now on. Kernels compiled for another target stay cached for it."""
        self._active = driver
        _notify(driver)

    def reset_active(self) -> None:
        """Back to the default driver."""
        self._active = self._default
        _notify(self._active)


# Called with the driver, or None while it is undecided, whenever another one becomes active.
listeners: list[Any] = []


def _notify(active: Any) -> None:
    for listener in listeners:
        listener(active)


driver = DriverConfig()
