"""What a compile starts from: a specialized jit function (`ASTSource`) or a file of IR (`IRSource`)."""

from __future__ import annotations

import hashlib
import os
import re
from typing import Any

from ..backends.compiler import Language
from ..runtime.dependencies import is_constant


class SpecializationProxy:
    """What the `repr` function of `jit` sees: constants by name and the types of the arguments."""

    __slots__ = ("constants", "signature")

    def __init__(self, constants: dict[str, Any], signature: dict[str, str]):
        self.constants = constants
        self.signature = signature


def constant_text(value: Any) -> str:
    """A text that tells any two constants apart: ``1``, ``True``, ``1.0`` and ``'1'`` are four constants."""
    if hasattr(type(value), "cache_key"):
        return f"{type(value).__name__}:{value.cache_key}"
    if isinstance(value, (tuple, list)):
        items = ",".join(constant_text(item) for item in value)
        return f"{type(value).__name__}({items})"
    if is_constant(value):
        return f"{type(value).__name__}:{value!r}"
    if callable(value) and hasattr(value, "__qualname__"):
        return f"{value.__module__}.{value.__qualname__}"
    return f"{type(value).__module__}.{type(value).__qualname__}:{value!r}"


class ASTSource:
    """A jit function with the types of its arguments.

    `signature` maps parameter names to canonical types (``"*fp32"``, ``"i32"``, ``"constexpr"``; tuples nest).
    `constexprs` maps names, or index paths such as ``(2,)``, to values; `attrs` maps index paths to attributes,
    ``{(0,): [["tt.divisibility", 16]]}``. Paths count all parameters.
    """

    ext = "ttir"
    language = Language.TRITON

    def __init__(
        self,
        fn: Any,
        signature: dict[str, Any],
        constexprs: dict[Any, Any] | None = None,
        attrs: dict[tuple[int, ...], Any] | None = None,
    ):
        self.fn = fn
        if not isinstance(signature, dict):
            raise TypeError(
                f"ASTSource({fn}): signature must be a dict of parameter names to types, got {type(signature).__name__}"
            )
        names = list(fn.arg_names)
        unknown = [name for name in signature if name not in names]
        if unknown:
            raise ValueError(f"ASTSource({fn}): signature names {unknown}, but the parameters are {names}")
        self.constants: dict[tuple[int, ...], Any] = {}
        for key, value in (constexprs or {}).items():
            if isinstance(key, str) and key not in names:
                raise ValueError(f"ASTSource({fn}): constexprs names {key!r}, but the parameters are {names}")
            self.constants[(names.index(key),) if isinstance(key, str) else tuple(key)] = value
        self.signature = {
            name: signature.get(name, "constexpr")
            for i, name in enumerate(names)
            if name in signature or (i,) in self.constants
        }
        missing = [name for name in names if name not in self.signature]
        if missing:
            raise ValueError(f"ASTSource({fn}): no type for parameters {missing}")
        self.attrs = dict(attrs or {})

    @property
    def name(self) -> str:
        """The symbol of the kernel: what the `repr` function returns, without characters that symbols cannot have."""
        names = self.fn.arg_names
        constants = {names[path[0]]: value for path, value in self.constants.items() if len(path) == 1}
        text = str(self.fn.repr(SpecializationProxy(constants, self.signature)))
        return text if text.isidentifier() else re.sub(r"[^\w$.]", "_", text)

    def hash(self) -> str:
        constants = [(path, constant_text(value)) for path, value in sorted(self.constants.items())]
        text = (
            f"{self.fn.cache_key}-{sorted(self.attrs.items())}-{list(self.signature.items())}-{constants}-{self.name}"
        )
        return hashlib.sha256(text.encode("utf-8")).hexdigest()

    def make_ir(self, target: Any, options: Any, codegen_fns: Any, module_map: Any, context: Any) -> Any:
        """TTIR of the function, before any pass. Raises CompilationError."""
        from .code_generator import ast_to_ttir

        return ast_to_ttir(
            self.fn, self, context=context, options=options, codegen_fns=codegen_fns, module_map=module_map
        )

    def parse_options(self) -> dict[str, Any]:
        return {}


# Patterns are text: a kernel that comes from the cache needs none, and `re` keeps those that were used.
_KERNEL = {
    "ttir": r"(?m)^\s*tt\.func\s+public\s+@(\w+)\((.*?)\)\s*(?:attributes.*)?\{\s*(?:loc.*)?$",
    "llir": r"(?m)^define\s+.*?@(\w+)\((.*?)\)",
}
_ARGUMENT = r"%\w+\s*:\s*(!tt\.ptr<[^>]*>|!tt\.tensordesc<[^%]*>|[\w.]+)"
_MLIR_TYPES = {"f16": "fp16", "bf16": "bf16", "f32": "fp32", "f64": "fp64", "i1": "u1"}


def canonical_type(mlir_type: str) -> str:
    """``*fp32`` for ``!tt.ptr<f32>``."""
    if mlir_type.startswith("!tt.ptr<"):
        return "*" + canonical_type(mlir_type[len("!tt.ptr<") : -1].split(",")[0].strip())
    return _MLIR_TYPES.get(mlir_type, mlir_type)


# The options of an access as 3.9 prints them, in a dictionary of attributes.
_CACHE_POLICY = r"\{([^{}]*?)(?:, )?cachePolicy = #tt\.cache_policy<([^<>]*)>(?:, )?([^{}]*)\}"
_POLICY_WORDS = {"cache_modifier": "cacheModifier", "eviction_policy": "evictionPolicy"}


def with_cache_keywords(text: str) -> str:
    """TTIR with the cache options of loads and stores as the keywords of 3.6, which the parser reads."""

    def keywords(found: re.Match) -> str:
        before, policy, after = found.groups()
        words = [part.partition("=") for part in policy.split(",")]
        options = [f"{_POLICY_WORDS[name.strip()]} = {value.strip()}" for name, _, value in words]
        rest = ", ".join(part for part in (before, after) if part)
        return " ".join([*options, f"{{{rest}}}" if rest else ""]).rstrip()

    return re.sub(_CACHE_POLICY, keywords, text)


class IRSource:
    """A file of IR that some stage of the backend produces, named by its suffix (``.ttir``, ...)."""

    language = Language.TRITON

    def __init__(self, path: str | os.PathLike[str], context: Any, backend: Any):
        self.path = os.fspath(path)
        self.ext = os.path.splitext(self.path)[1][1:]
        with open(self.path, encoding="utf-8") as file:
            self.src = file.read()
        self.fn = None
        self.constants: dict = {}
        self.attrs: dict = {}
        self.name, types = self._kernel(backend)
        self.signature = {f"arg{i}": canonical_type(text) for i, text in enumerate(types)}

    def _kernel(self, backend: Any) -> tuple[str, list[str]]:
        """Symbol and types of the arguments, from the backend where only that can tell. ValueError for no kernel."""
        describe = getattr(backend, "describe_ir", None)
        try:
            described = describe(self.ext, self.src) if describe else None
        except ValueError as error:
            raise ValueError(f"{self.path}: {error}") from error
        if described is not None:
            return described
        found = re.search(_KERNEL.get(self.ext, _KERNEL["ttir"]), self.src)
        if not found:
            raise ValueError(f"{self.path}: no public kernel function found in this .{self.ext} file")
        return found.group(1), re.findall(_ARGUMENT, found.group(2))

    def hash(self) -> str:
        return hashlib.sha256(self.src.encode("utf-8")).hexdigest()

    def make_ir(self, target: Any, options: Any, codegen_fns: Any, module_map: Any, context: Any) -> Any:
        if self.ext in ("llir", "ptx", "amdgcn"):
            return self.src
        from triton._C.libtriton import ir

        if "cachePolicy" in self.src:
            import tempfile

            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, os.path.basename(self.path))
                with open(path, "w", encoding="utf-8") as file:
                    file.write(with_cache_keywords(self.src))
                module = ir.parse_mlir_module(path, context)
        else:
            module = ir.parse_mlir_module(self.path, context)
        module.context = context
        return module

    def parse_options(self) -> dict[str, Any]:
        found = re.search(r'"ttg.num-warps"\s*=\s*(\d+)', self.src)
        return {"num_warps": int(found.group(1))} if found else {}
