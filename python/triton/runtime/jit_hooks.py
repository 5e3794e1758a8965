"""What hooks around a compile are told, and `preload`, which compiles from it."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from ..compiler.source import ASTSource


class JitFunctionInfo(NamedTuple):
    module: str
    name: str
    jit_function: Any


def serialize(name: str, src: ASTSource, options: Any, key: str, target: Any) -> str:
    """The arguments of a compile as json. Constants that json cannot hold are described by their text."""

    def constant(value: Any) -> Any:
        if type(value).__name__ == "dtype" and hasattr(value, "name"):
            return {"dtype": value.name}
        if hasattr(type(value), "cache_key"):
            return {"jit_function": f"{value.module}:{value.fn.__qualname__}"}
        if isinstance(value, tuple):
            return {"tuple": [constant(item) for item in value]}
        return value if value is None or isinstance(value, (bool, int, float, str)) else {"repr": repr(value)}

    return json.dumps(
        {
            "name": name,
            "signature": src.signature,
            "constant_keys": [list(path) for path in src.constants],
            "constant_vals": [constant(value) for value in src.constants.values()],
            "attrs_keys": [list(path) for path in src.attrs],
            "attrs_vals": list(src.attrs.values()),
            "options": {
                k: v for k, v in options.__dict__.items() if v is None or isinstance(v, (bool, int, float, str))
            },
            "key": key,
            "target": vars(target),
        }
    )


def _constant(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if "dtype" in value:
        from triton.language.core import dtype

        return dtype(value["dtype"])
    if "tuple" in value:
        return tuple(_constant(item) for item in value["tuple"])
    raise RuntimeError(f"specialization data holds a constant that cannot be rebuilt: {value}")


def _types(value: Any) -> Any:
    return tuple(_types(item) for item in value) if isinstance(value, list) else value


def deserialize(fn: Any, data: dict[str, Any], target: Any) -> ASTSource:
    """The source that `serialize` described. RuntimeError if it was for another function or target."""
    name = f"{fn.module}.{fn.fn.__qualname__}"
    if data["name"] != name:
        raise RuntimeError(f"Specialization data is for {data['name']} but trying to preload for {name}")
    if data["target"] != vars(target):
        raise RuntimeError(f"Specialization data is for {data['target']} but trying to preload for {vars(target)}")
    constants = {tuple(path): _constant(v) for path, v in zip(data["constant_keys"], data["constant_vals"])}
    attrs = {tuple(path): value for path, value in zip(data["attrs_keys"], data["attrs_vals"])}
    return ASTSource(fn, {k: _types(v) for k, v in data["signature"].items()}, constants, attrs)


def call_hook(
    hook: Any, fn: Any, key: str, src: ASTSource, options: Any, target: Any, device: int, warmup: bool, done: bool
) -> bool:
    """Calls `hook`; true if it asks to skip the compile."""
    name = f"{fn.module}.{fn.fn.__qualname__}"
    arguments = ", ".join(f"{param}: {type_name}" for param, type_name in src.signature.items())
    described = vars(options)
    details = {
        "key": key,
        "signature": src.signature,
        "device": device,
        "constants": src.constants,
        **{k: described[k] for k in ("num_warps", "num_ctas", "num_stages", "enable_fp_fusion") if k in described},
        "launch_cooperative_grid": described.get("launch_cooperative_grid", False),
        "extern_libs": described.get("extern_libs"),
        "configs": [src.attrs],
        "specialization_data": serialize(name, src, options, key, target),
        "is_warmup": warmup,
    }
    return bool(
        hook(
            key=key,
            repr=f"{fn.fn.__qualname__}[num_warps={described.get('num_warps')}, "
            f"num_ctas={described.get('num_ctas')}, num_stages={described.get('num_stages')}]({arguments})",
            fn=JitFunctionInfo(fn.module, name, fn),
            compile=details,
            is_manual_warmup=warmup,
            already_compiled=done,
        )
    )
