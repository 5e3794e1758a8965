"""`compile`: from a source to a `CompiledKernel`, through the stages of the target's backend and the file cache."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from typing import Any

import triton

from .. import knobs
from .._lazy import lazy_export
from .._record import Record
from ..backends import backends
from ..backends.compiler import BaseBackend, GPUTarget, Language
from ..runtime.cache import (
    digest,
    get_cache_key,
    get_cache_manager,
    get_dump_manager,
    get_override_manager,
    triton_key,
    warn_unwritable,
)
from .compiled_kernel import AsmDict, CompiledKernel, LazyDict, read_metadata
from .source import ASTSource, IRSource

__all__ = [
    "ASTSource",
    "AsmDict",
    "CompilationError",  # noqa: F822  (__getattr__ has it)
    "CompileTimes",
    "CompiledKernel",
    "GPUTarget",
    "IRSource",
    "LazyDict",
    "Language",
    "compile",
    "get_cache_key",
    "make_backend",
    "max_shared_mem",
    "triton_key",
]

_FILE_NAME_LIMIT = 150
# A context keeps every type and attribute that was ever made in it, so it is replaced now and then.
_COMPILES_PER_CONTEXT = 256
# Variables that libtriton itself reads and that change its output.
_CODE_ENVIRONMENT = (
    "DISABLE_LLVM_OPT",
    "LLVM_EXTRACT_DI_LOCAL_VARIABLES",
    "LLVM_PASS_PLUGIN_PATH",
    "TRITON_CPU_FEATURES",
)
# Variables that make libtriton report on a compile: a kernel in the cache is compiled again, or nothing would come.
_REPORTS = (
    "LLVM_ENABLE_TIMING",
    "LLVM_IR_ENABLE_DUMP",
    "MLIR_ENABLE_DIAGNOSTICS",
    "MLIR_ENABLE_DUMP",
    "MLIR_ENABLE_TIMING",
    "TRITON_REPRODUCER_PATH",
)


# A kernel from the cache has none.
_EXPORTS = {"CompilationError": "triton.compiler.errors"}


def __getattr__(name: str) -> Any:
    return lazy_export(globals(), _EXPORTS, name)


class CompileTimes(Record):
    """Microseconds that the parts of a compile took, for `knobs.compilation.listener`."""

    ir_initialization: int
    lowering_stages: list[tuple[str, int]]
    store_results: int

    @property
    def total_lowering(self) -> int:
        return sum(duration for _, duration in self.lowering_stages)

    @property
    def total(self) -> int:
        return self.ir_initialization + self.total_lowering + self.store_results


class _Clock:
    """Microseconds since it was last asked."""

    def __init__(self) -> None:
        self._last = time.perf_counter_ns()

    def lap(self) -> int:
        now = time.perf_counter_ns()
        elapsed, self._last = now - self._last, now
        return elapsed // 1000


_backends: dict[GPUTarget, BaseBackend] = {}


def make_backend(target: GPUTarget) -> BaseBackend:
    """The backend that compiles for `target`. RuntimeError unless exactly one does."""
    found = _backends.get(target)
    if found is None:
        fitting, broken = backends.for_target(target)
        if len(fitting) != 1:
            raise RuntimeError(
                f"{len(fitting)} compatible backends for target ({target.backend}), need exactly one. "
                f"Fitting: {[b.name for b in fitting]}; installed: {list(backends)}"
                + "".join(f"; {name} cannot be used: {why}" for name, why in broken.items())
            )
        found = _backends[target] = fitting[0].compiler(target)
    return found


class _Contexts(threading.local):
    """One MLIR context per thread: making one costs more than a small kernel's front end."""

    def __init__(self) -> None:
        self.context: Any = None
        self.compiles = 0
        self.loaded: set[int] = set()

    def get(self, backend: BaseBackend) -> Any:
        from triton._C.libtriton import ir

        if self.context is None or self.compiles >= _COMPILES_PER_CONTEXT:
            self.context, self.compiles, self.loaded = ir.context(), 0, set()
            ir.load_dialects(self.context)
        if id(backend) not in self.loaded:
            backend.load_dialects(self.context)
            self.loaded.add(id(backend))
        self.compiles += 1
        return self.context


_contexts = _Contexts()


def _environment() -> dict[str, str]:
    return {name: os.environ[name] for name in _CODE_ENVIRONMENT if name in os.environ}


def cache_invalidating_variables() -> dict[str, str]:
    """The environment variables that change code and are set, with their texts."""
    names = sorted((*_CODE_ENVIRONMENT, *knobs.code_variables()))
    return {name: os.environ[name] for name in names if name in os.environ}


def max_shared_mem(device: int) -> int:
    """Bytes of shared memory that one program can use on `device` of the active driver."""
    from ..runtime.driver import driver

    return driver.active.utils.get_device_properties(device)["max_shared_mem"]


class _Compile:
    """One call of `compile`: its names, and the files of its cache entry."""

    def __init__(self, src: Any, target: GPUTarget, options: Any, env_vars: dict[str, str] | None):
        self.target = target
        self.backend = make_backend(target)
        self.from_file = not isinstance(src, ASTSource) and isinstance(src, (str, os.PathLike))
        self.src = IRSource(src, _contexts.get(self.backend), self.backend) if self.from_file else src
        self.options = self.backend.parse_options({**(options or {}), **self.src.parse_options()})
        env_vars = _environment() if env_vars is None else env_vars
        state = {**env_vars, "knobs": repr(knobs.code_state())}
        self.hash = digest(get_cache_key(self.src, self.backend, self.options, state))
        self.cache = get_cache_manager(self.hash)
        self.file_name = self.src.name[:_FILE_NAME_LIMIT]
        self.binary_ext = self.backend.binary_ext
        self.metadata_name = f"{self.file_name}.json"

    def kernel(self, group: dict[str, str], metadata: dict[str, Any], contents: dict[str, Any]) -> CompiledKernel:
        files = {name.rsplit(".", 1)[-1]: path for name, path in group.items() if not name.endswith(".json")}
        asm = AsmDict(contents, files, self.binary_ext)
        return CompiledKernel(self.src, group, self.hash, metadata, asm, self.binary_ext)

    def cached(self) -> CompiledKernel | None:
        """The kernel in the file cache. A damaged entry counts as none and is written again."""
        if knobs.compilation.always_compile or any(os.environ.get(name, "0") not in ("", "0") for name in _REPORTS):
            return None
        group = self.cache.get_group(self.metadata_name)
        binary_name = f"{self.file_name}.{self.binary_ext}"
        if not group or self.metadata_name not in group or binary_name not in group:
            return None
        try:
            metadata = read_metadata(group[self.metadata_name])
            with open(group[binary_name], "rb") as file:
                binary = file.read()
        except (OSError, ValueError):
            return None
        if metadata["hash"] != self.hash or metadata.pop("binary_digest", None) != _short_digest(binary):
            return None
        # Options that change no code are not in the key, so the entry may have been made with others.
        metadata.update(_plain(self.options.__dict__))
        _notify(self, metadata, group, CompileTimes(0, [], 0), True)
        return self.kernel(group, metadata, {self.binary_ext: binary})

    def lower(self, clock: _Clock) -> tuple[dict[str, Any], dict[str, Any], CompileTimes]:
        """Runs the stages: metadata, outputs by extension, durations."""
        metadata = {
            "hash": self.hash,
            "target": self.target,
            **self.options.__dict__,
            **_environment(),
            "triton_version": triton.__version__,
        }
        stages: dict[str, Any] = {}
        self.backend.add_stages(stages, self.options, self.src.language)
        hook = knobs.runtime.add_stages_inspection_hook
        if hook:
            hook(self.backend, stages, self.options, self.src.language, None)
        if self.src.ext not in stages:
            raise ValueError(f"cannot compile from .{self.src.ext}; the stages of {self.target} are {list(stages)}")
        context = _contexts.get(self.backend)
        module = self.src.make_ir(
            self.target,
            self.options,
            self.backend.get_codegen_implementation(self.options),
            self.backend.get_module_map(),
            context,
        )
        outputs: dict[str, Any] = {}
        durations = []
        start = clock.lap()
        names = list(stages)
        if knobs.compilation.use_ir_loc and knobs.compilation.use_ir_loc not in names:
            raise ValueError(f"USE_IR_LOC={knobs.compilation.use_ir_loc}: no such stage; there are {', '.join(names)}")
        replacements = _StageFiles(self)
        # The first stage only tidies what another producer of its IR may have left; a file of a later one is done.
        first = names.index(self.src.ext)
        for ext in names[first + (self.from_file and first > 0) :]:
            module = stages[ext](module, metadata)
            if ext == "ttir":
                metadata["written_arguments"] = _written_arguments(module)
            module = replacements.exchange(ext, module, context)
            if ext == knobs.compilation.use_ir_loc:
                outputs[ext] = self._locate_in_own_text(module, ext)
            else:
                outputs[ext] = module if isinstance(module, bytes) else str(module)
            durations.append((ext, clock.lap()))
        if self.from_file:
            outputs.setdefault(self.src.ext, self.src.src)
        return metadata, outputs, CompileTimes(start, durations, 0)

    def _locate_in_own_text(self, module: Any, ext: str) -> str:
        """`USE_IR_LOC`: from here on, lines are those of the module's text in the cache. Returns the text."""
        if not hasattr(module, "create_location_snapshot"):
            raise ValueError(f"USE_IR_LOC={ext}: that stage is no MLIR module; use an earlier one, such as ttir")
        name = f"{self.file_name}.{ext}"
        return module.create_location_snapshot(self.cache.put(module.str_nodebug(), name))

    def store(self, metadata: dict[str, Any], outputs: dict[str, Any]) -> dict[str, str]:
        """Writes the outputs. The group file, which makes them an entry, comes last. Failures only warn."""
        group: dict[str, str] = {}
        try:
            for ext, content in outputs.items():
                if ext == self.binary_ext or not knobs.compilation.store_binary_only:
                    name = f"{self.file_name}.{ext}"
                    group[name] = self.cache.put(content, name)
            sealed = {**metadata, "binary_digest": _short_digest(outputs[self.binary_ext])}
            group[self.metadata_name] = self.cache.put(
                json.dumps(sealed, default=vars), self.metadata_name, binary=False
            )
            self.cache.put_group(self.metadata_name, group)
        except OSError as error:
            warn_unwritable(error.filename or knobs.cache.dir, error)
            return {}
        return group


class _StageFiles:
    """`TRITON_KERNEL_DUMP` writes stages to, and `TRITON_KERNEL_OVERRIDE` takes them from, a folder of the source."""

    def __init__(self, job: _Compile):
        self.job = job
        self.dump = get_dump_manager(job.src.hash()) if knobs.compilation.dump_ir else None
        self.override = get_override_manager(job.src.hash()) if knobs.compilation.override else None

    def exchange(self, ext: str, module: Any, context: Any) -> Any:
        name = f"{self.job.file_name}.{ext}"
        if self.dump is not None:
            self.dump.put(module if isinstance(module, bytes) else str(module), name)
        replacement = getattr(self.job.options, "ir_override", None)
        if replacement and str(replacement).endswith(f".{ext}"):
            return self._load(str(replacement), ext, context)
        path = self.override.get_file(name) if self.override is not None else None
        if path is not None:
            print(f"\nOverriding kernel with file {name}")
            return self._load(path, ext, context)
        return module

    def _load(self, path: str, ext: str, context: Any) -> Any:
        if ext == self.job.binary_ext:
            with open(path, "rb") as file:
                return file.read()
        parse = getattr(self.job.backend, "parse_stage", None)
        return (
            parse(ext, path, context)
            if parse
            else IRSource(path, context, self.job.backend).make_ir(self.job.target, self.job.options, {}, {}, context)
        )


def _short_digest(binary: bytes) -> str:
    """Tells a whole file from a damaged one."""
    return hashlib.sha256(binary).hexdigest()[:16]


def _plain(metadata: dict[str, Any]) -> dict[str, Any]:
    """Once through json, so that a kernel looks the same whether it was compiled or found in the cache."""
    return json.loads(json.dumps(metadata, default=vars))


def _written_arguments(module: Any) -> list[int]:
    """Positions, among the arguments that are no constants, of those that the kernel may write through."""
    from triton._C.libtriton import native

    return native.written_arguments(module)


def _notify(job: _Compile, metadata: dict, group: dict, times: CompileTimes, cache_hit: bool) -> None:
    listener = knobs.compilation.listener
    if listener:
        listener(src=job.src, metadata=metadata, metadata_group=group, times=times, cache_hit=cache_hit)


def compile(
    src: ASTSource | str | os.PathLike,
    target: GPUTarget | None = None,
    options: dict[str, Any] | None = None,
    _env_vars: dict[str, str] | None = None,
) -> CompiledKernel:
    """Compiles `src`, or takes the result of an earlier compile of it from the file cache.

    `src` is an `ASTSource` or the path of a file of IR. Without `target` it is compiled for the current device of
    the active driver; with one, no driver is needed. `options` are launch keywords (``num_warps``, ...).
    Raises CompilationError for what the kernel's author can repair.
    """
    if target is None:
        from ..runtime.driver import driver

        target = driver.active.get_current_target()
    if not isinstance(target, GPUTarget):
        raise TypeError(f"compile(target=...): expected a GPUTarget, got {type(target).__name__}")
    clock = _Clock()
    job = _Compile(src, target, options, _env_vars)
    kernel = job.cached()
    if kernel is not None:
        return kernel
    try:
        metadata, outputs, times = job.lower(clock)
    except Exception as error:
        from .errors import CompilationError
        from .traceback_filter import hide_compiler_frames

        if isinstance(error, CompilationError):
            raise hide_compiler_frames(error) from error.__cause__
        raise
    metadata = _plain(metadata)
    group = job.store(metadata, outputs)
    stored = CompileTimes(times.ir_initialization, times.lowering_stages, clock.lap())
    _notify(job, metadata, group, stored, False)
    return job.kernel(group, metadata, outputs)
