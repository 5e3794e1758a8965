"""Runs the operators of flag-gems on CPU tensors and compares them with torch's.

    python python/test/clients/run_gems.py [NAME ...]

Prints a line for every operator that is not right, and their number. flag-gems has no entry for a plain CPU: the folder
of its Arm configuration is the one whose device is "cpu". What it expects of the module of a device, and `torch.cpu`
lacks, is added here; flag-gems itself stays as it is.
"""

from __future__ import annotations

import contextlib
import enum
import importlib.util
import os
import sys
import warnings
from pathlib import Path
from typing import Any

import torch
from gems_cases import RANDOM, Call, cases
from report import report


def _complete_torch_cpu() -> None:
    """Names that every module of an accelerator has, with what they mean on one device that is never busy."""
    torch.cpu.device = lambda _=None: contextlib.nullcontext()
    torch.cpu.current_device = lambda: 0
    torch.cpu.default_generators = (_Generator(),)
    torch.cpu.get_device_properties = lambda _=0: _Properties()
    torch.cpu.get_device_capability = lambda _=0: (0, 0)


class _Generator:
    """A random generator whose state is a seed and an offset, 64 bits each, as those of accelerators are."""

    def __init__(self) -> None:
        self._state = torch.tensor([1234, 0], dtype=torch.int64).view(torch.uint8)

    def get_state(self) -> torch.Tensor:
        return self._state.clone()

    def set_state(self, state: torch.Tensor) -> None:
        self._state = state.clone()


class _Properties:
    multi_processor_count = os.cpu_count() or 1
    name = "cpu"
    total_memory = 1 << 30
    max_threads_per_multi_processor = 1
    major = minor = 0


def _list_the_cpu() -> None:
    """Puts the missing "arm" into flag-gems' enumeration of vendors before anything reads it."""
    package = importlib.util.find_spec("flag_gems")
    if package is None or package.origin is None:
        raise ImportError("flag_gems is not installed: pip install --no-deps flag-gems==5.0.2 pyyaml sqlalchemy")
    name = "flag_gems.runtime.common"
    spec = importlib.util.spec_from_file_location(name, Path(package.origin).parent / "runtime/common.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not hasattr(module.vendors, "ARM"):
        members = {member.name: member.value for member in module.vendors}
        module.vendors = enum.Enum("vendors", {**members, "ARM": 1 + max(members.values())})
        module.vendors.get_all_vendors = classmethod(lambda cls: {member.name.lower(): member for member in cls})
    sys.modules[name] = module


def load() -> Any:
    """The module flag_gems, set up for the CPU."""
    os.environ.setdefault("GEMS_VENDOR", "arm")
    _complete_torch_cpu()
    if "flag_gems" not in sys.modules:
        _list_the_cpu()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import flag_gems
    return flag_gems


def functions(flag_gems: Any) -> dict[str, Any]:
    """What flag-gems registers, by the name of torch's operator."""
    return {entry[0]: entry[1] for entry in flag_gems._FULL_CONFIG}


def _copy(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.clone()
    return [_copy(item) for item in value] if isinstance(value, list) else value


def _tensors(value: Any) -> list[Any]:
    """Tensors and numbers in a result."""
    if isinstance(value, (tuple, list)):
        return [tensor for item in value for tensor in _tensors(item)]
    return [] if value is None else [value]


def _run(function: Any, call: Call) -> list[Any]:
    """Results, followed by the arguments, which the operator may have changed."""
    args, kwargs = [_copy(a) for a in call.args], {name: _copy(v) for name, v in call.kwargs.items()}
    results = _tensors(function(*args, **kwargs))
    return results + [a for a in _tensors(args) if isinstance(a, torch.Tensor)]


def _difference(actual: list[Any], expected: list[Any], random: str) -> str:
    if len(actual) != len(expected):
        return f"{len(actual)} results, expected {len(expected)}"
    for i, (a, e) in enumerate(zip(actual, expected)):
        if not isinstance(e, torch.Tensor):
            if a != e:
                return f"result {i} is {a}, expected {e}"
            continue
        if a.shape != e.shape:
            return f"result {i} has shape {list(a.shape)}, expected {list(e.shape)}"
        if a.dtype != e.dtype:
            return f"result {i} is {a.dtype}, expected {e.dtype}"
        a, e = (t.to(torch.complex128 if t.is_complex() else torch.float64) for t in (a, e))
        if random == "order":
            a, e, random = a.sort()[0], e.sort()[0], ""
        if random:
            if a.numel() > 1000 and (a.mean() - e.mean()).abs() > 0.2 * (e.std() + 0.01):
                return f"mean of result {i} is {a.mean().item():.3f}, expected about {e.mean().item():.3f}"
        elif not torch.allclose(a, e, rtol=1e-3, atol=1e-3, equal_nan=True):
            return f"result {i} differs in {(~torch.isclose(a, e, 1e-3, 1e-3, True)).sum()} of {e.numel()} elements"
    return ""


def check(flag_gems: Any, name: str) -> str:
    """What is wrong with the operator; empty if nothing is."""
    torch.manual_seed(0)
    call = cases()[name]()
    name = name.partition("@")[0]
    name, _, other = name.partition(":")
    registered = functions(flag_gems).get(name)
    if registered is None:
        return "flag-gems does not register it"
    packet, _, overload = (other or name).partition(".")
    packet = getattr(torch.ops.aten, packet)
    reference = getattr(packet, overload) if overload else packet
    return _difference(_run(registered, call), _run(reference, call), RANDOM.get(name, ""))


def main(names: list[str]) -> int:
    warnings.simplefilter("ignore")
    flag_gems = load()
    conclusion = "operators of flag-gems agree with torch"
    return report(names or list(cases()), lambda name: check(flag_gems, name), conclusion)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
