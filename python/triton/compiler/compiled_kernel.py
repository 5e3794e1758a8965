"""`CompiledKernel`: the files of a compile, and how they are launched."""

from __future__ import annotations

import functools
import json
import operator
import sys
from collections.abc import Callable, Iterable
from typing import Any

from .. import knobs
from ..backends.compiler import GPUTarget


class LazyDict:
    """What launch hooks get: `data`, and parts that are computed only if a hook calls `get()`."""

    def __init__(self, data: dict[str, Any]):
        self.data = data
        self.extras: list[tuple[Callable, tuple]] = []

    def add(self, function: Callable, args: tuple) -> None:
        """`function(*args)` returns a dict that `get()` merges into the data."""
        self.extras.append((function, args))

    def get(self) -> dict[str, Any]:
        for function, args in self.extras:
            self.data |= function(*args)
        self.extras.clear()
        return self.data


class AsmDict(dict):
    """Outputs of the stages by extension: text, or bytes for the binary. Files are read when they are asked for."""

    def __init__(self, contents: dict[str, Any], files: dict[str, str] | None = None, binary_ext: str = ""):
        super().__init__(contents)
        self._files = files or {}
        self._binary_ext = binary_ext
        for ext in self._files:
            if ext not in self:
                super().__setitem__(ext, None)

    def __getitem__(self, ext: str) -> Any:
        value = super().__getitem__(ext) if ext in self else self._derived(ext)
        if value is None and ext in self._files:
            value = self._read(ext)
            super().__setitem__(ext, value)
        return value

    def get(self, ext: str, default: Any = None) -> Any:
        # dict.get would not read the file
        return self[ext] if ext in self else default  # noqa: SIM401

    def values(self) -> Any:
        return [self[ext] for ext in self]

    def items(self) -> Any:
        return [(ext, self[ext]) for ext in self]

    def _read(self, ext: str) -> Any:
        with open(self._files[ext], "rb") as file:
            data = file.read()
        return data if ext == self._binary_ext else data.decode("utf-8")

    def _derived(self, ext: str) -> str:
        if ext == "sass" and "cubin" in self:
            from ..tools.disasm import get_sass

            self["sass"] = get_sass(self["cubin"])
            return self["sass"]
        raise KeyError(f"no output {ext!r} of this compile; it has {list(self)}")

    def __reduce__(self) -> tuple:
        return AsmDict, (dict(self.items()), {}, self._binary_ext)


class KernelMetadata(tuple):
    """Base of the named tuples of metadata. Their fields depend on backend and options.

    `collections.namedtuple` compiles a function for each class, which takes longer than to load the kernel.
    """

    __slots__ = ()
    _fields: tuple[str, ...] = ()

    @classmethod
    def _make(cls, values: Iterable[Any]) -> Any:
        return tuple.__new__(cls, values)

    def _asdict(self) -> dict[str, Any]:
        return dict(zip(self._fields, self))

    def _replace(self, **changes: Any) -> Any:
        unknown = changes.keys() - set(self._fields)
        if unknown:
            raise ValueError(f"kernel metadata has no field {', '.join(sorted(unknown))}")
        return self._make([changes.get(name, value) for name, value in zip(self._fields, self)])

    def __repr__(self) -> str:
        return f"KernelMetadata({', '.join(f'{name}={value!r}' for name, value in zip(self._fields, self))})"


@functools.cache
def _metadata_class(names: tuple[str, ...]) -> Any:
    fields = {name: property(operator.itemgetter(index)) for index, name in enumerate(names)}
    return type("KernelMetadata", (KernelMetadata,), {"__slots__": (), "_fields": names, **fields})


def metadata_tuple(metadata: dict[str, Any]) -> Any:
    """A named tuple of the metadata; the target is a `GPUTarget` again after a trip through json."""
    target = metadata["target"]
    if isinstance(target, dict):
        metadata = {**metadata, "target": GPUTarget(target["backend"], target["arch"], target["warp_size"])}
    names = tuple(sorted(metadata))
    return _metadata_class(names)._make([metadata[name] for name in names])


def _out_of_resources(required: int, limit: int, name: str) -> Exception:
    from ..runtime.errors import OutOfResources

    return OutOfResources(required, limit, name)


class _Handle:
    """An attribute that exists once the binary is loaded; reading it loads. The instance's own value wins."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, kernel: Any, owner: type) -> Any:
        if kernel is None:
            return self
        kernel._init_handles()
        return kernel.__dict__[self.name]


class _LoadedBinary:
    """Unloads a binary when the kernel that it belongs to, and all copies of that, are collected.

    A launch holds its kernel, so none is running then.
    """

    def __init__(self, unload: Callable[[Any], None], module: Any, function: Any, group: tuple):
        self.unload = unload
        self.module = module
        self.described = (module, function, *group)

    def __del__(self, is_finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        if is_finalizing():  # the module is partly gone by then
            return
        if knobs.runtime.kernel_unload_hook:
            knobs.runtime.kernel_unload_hook(*self.described)
        self.unload(self.module)


class CompiledKernel:
    """A kernel compiled for one target and specialization.

    `asm` holds the output of every stage by extension, `kernel` the binary, `metadata` a named tuple (name, shared,
    num_warps, ...), `hash` the hex key of the compile. `function`, `module`, `run`, `n_regs`, `n_spills` and
    `n_max_threads` are made when they are first read, by loading the binary on the current device.
    """

    run = _Handle()
    module = _Handle()
    function = _Handle()
    n_regs = _Handle()
    n_spills = _Handle()
    n_max_threads = _Handle()

    def __init__(
        self, src: Any, metadata_group: dict[str, str], hash: str, metadata: dict, asm: AsmDict, binary_ext: str
    ):
        from .compiler import make_backend

        self.src = src
        self.hash = hash
        self.metadata = metadata_tuple(metadata)
        self.metadata_group = metadata_group
        self.name = self.metadata.name
        self.packed_metadata = make_backend(self.metadata.target).pack_metadata(self.metadata)
        self.asm = asm
        self.kernel = asm[binary_ext]

    def _init_handles(self) -> None:
        """Loads the binary on the current device, once. OutOfResources if the device cannot run it."""
        if self.__dict__.get("module") is not None:
            return
        from ..runtime.driver import driver

        active = driver.active
        device = active.get_current_device()
        run = active.launcher_cls(self.src, self.metadata)
        limit = active.utils.get_device_properties(device)["max_shared_mem"]
        if self.metadata.shared > limit:
            raise _out_of_resources(self.metadata.shared, limit, "shared memory")
        group = (self.name, self.metadata_group, self.hash)
        if knobs.runtime.kernel_load_start_hook:
            knobs.runtime.kernel_load_start_hook(None, None, *group)
        loaded = active.utils.load_binary(self.name, self.kernel, self.metadata.shared, device)
        module, function, n_regs, n_spills, n_max_threads = loaded
        warp_size = self.metadata.target.warp_size
        if n_max_threads is not None and self.metadata.num_warps * warp_size > n_max_threads:
            raise _out_of_resources(self.metadata.num_warps * warp_size, n_max_threads, "threads")
        self.__dict__.update(
            function=function, n_regs=n_regs, n_spills=n_spills, n_max_threads=n_max_threads, run=run, module=module
        )
        self._binary = _LoadedBinary(active.utils.unload_module, module, function, group)
        if knobs.runtime.kernel_load_end_hook:
            knobs.runtime.kernel_load_end_hook(module, function, *group)

    def launch_metadata(self, grid: Any, stream: Any, *args: Any) -> LazyDict | None:
        """What the launch hooks get; None while there is no enter hook."""
        if not knobs.runtime.launch_enter_hook and not knobs.runtime.launch_exit_hook:
            return None
        self._init_handles()
        result = LazyDict({"name": self.name, "function": self.function, "stream": stream})
        custom = getattr(getattr(self.src, "fn", None), "launch_metadata", None)
        if custom is not None:
            names = self.src.fn.arg_names
            result.add(custom, (grid, self.metadata, dict(zip(names, args))))
        return result

    def __getitem__(self, grid: tuple) -> Callable[..., None]:
        """``kernel[grid](*args, stream=None)`` launches with all parameters in order, constexprs included."""
        self._init_handles()
        sizes = (*grid, 1, 1)[:3] if not isinstance(grid, int) else (grid, 1, 1)

        def runner(*args: Any, stream: Any = None) -> None:
            from ..runtime.driver import driver

            if stream is None:
                stream = driver.active.get_current_stream(driver.active.get_current_device())
            enter, leave = knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook
            described = self.launch_metadata(sizes, stream, *args)
            self.run(*sizes, stream, self.function, self.packed_metadata, described, enter, leave, *args)

        return runner

    def __repr__(self) -> str:
        return (
            f"<CompiledKernel {self.__dict__.get('name')} for {getattr(self.__dict__.get('metadata'), 'target', None)}>"
        )


def read_metadata(path: str) -> dict[str, Any]:
    """Metadata of a cached compile. ValueError when the file is damaged."""
    with open(path, encoding="utf-8") as file:
        metadata = json.load(file)
    if not isinstance(metadata, dict) or not {"hash", "name", "target", "shared"} <= metadata.keys():
        raise ValueError(f"{path} is no kernel metadata")
    return metadata
