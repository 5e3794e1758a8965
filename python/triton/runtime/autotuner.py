"""`autotune` and `heuristics`: choosing constants and options of a kernel when it is launched."""

from __future__ import annotations

import builtins
import functools
import hashlib
import json
import time
import warnings
from collections.abc import Callable
from typing import Any

from .. import knobs
from ..flagtree_spec import spec_func
from .autotune_config import Config
from .errors import AutotunerError, OutOfResources, PTXASError
from .jit import JITFunction, KernelInterface, NativeSlot, activate

__all__ = ["Autotuner", "Config", "Heuristics", "OutOfResources", "PTXASError", "autotune", "heuristics"]

_QUANTILES = (0.5, 0.2, 0.8)


def _plain_copy(value: Any) -> Any:
    """A copy of a tensor or array, to restore it from."""
    return value.clone() if hasattr(value, "clone") else value.copy()


def _restore(value: Any, saved: Any) -> None:
    if hasattr(value, "copy_"):
        value.copy_(saved)
    else:
        value[...] = saved


def _zero(value: Any) -> None:
    if hasattr(value, "zero_"):
        value.zero_()
    else:
        value[...] = 0


@functools.cache
def _dtype_name(dtype: Any) -> str:
    return str(dtype)


class _ArgumentHooks:
    """The default hooks around a trial: sets arguments to zero before it, and restores others after it."""

    def __init__(self, reset: list[str], restore: list[str]):
        self.reset = reset
        self.restore = restore
        self._saved: dict[str, Any] = {}

    def before(self, args: dict[str, Any], reset_only: bool = False) -> None:
        for name in self.reset:
            _zero(args[name])
        if not reset_only:
            self._saved = {name: _plain_copy(args[name]) for name in self.restore}

    def after(self, args: dict[str, Any], exception: BaseException | None = None) -> None:
        for name in self.restore:
            _restore(args[name], self._saved[name])
        self._saved = {}


def _selected_by_backend(configs: list[Config]) -> list[Config]:
    """What the selected backend leaves of `configs`: those that the current device can run and tell apart."""
    select = spec_func("select_configs")
    if select is None:
        return configs
    from .driver import driver

    return select(configs, driver.active.get_current_target())


class Autotuner(KernelInterface, NativeSlot):
    """Launches the fastest of `configs`. The first launch for a new key tries them all.

    The key is made of the values of the arguments named in `key` and of the element types of all tensors.
    """

    def __init__(
        self,
        fn: Any,
        arg_names: list[str],
        configs: list[Config],
        key: list[str],
        reset_to_zero: list[str] | None,
        restore_value: list[str] | None,
        pre_hook: Callable | None = None,
        post_hook: Callable | None = None,
        prune_configs_by: dict[str, Any] | None = None,
        warmup: int | None = None,
        rep: int | None = None,
        use_cuda_graph: bool = False,
        do_bench: Callable | None = None,
        cache_results: bool = False,
    ):
        self.configs = list(configs) if configs else [Config({})]
        self.keys = list(key)
        self.arg_names = list(arg_names)
        self.fn = fn
        self.base_fn = fn
        while not isinstance(self.base_fn, JITFunction) and hasattr(self.base_fn, "fn"):
            self.base_fn = self.base_fn.fn
        self.reset_to_zero = list(reset_to_zero or ())
        self.restore_value = list(restore_value or ())
        self._check_names()
        self.__name__ = getattr(self.base_fn, "__name__", type(fn).__name__)
        self.cache: dict[tuple, Config] = {}
        self.best_config: Config | None = None
        self.bench_time: float | None = None
        self.configs_timings: dict[Config, list[float]] = {}
        self.nargs: dict[str, Any] | None = None
        self.cache_results = cache_results or (knobs.autotuning.cache and not knobs.runtime.interpret)
        self.user_defined_pre_hook = pre_hook is not None
        self.user_defined_post_hook = post_hook is not None
        hooks = _ArgumentHooks(self.reset_to_zero, self.restore_value)
        self.pre_hook = pre_hook or hooks.before
        self.post_hook = post_hook or hooks.after
        prune = prune_configs_by or {}
        self.perf_model = prune.get("perf_model")
        self.configs_top_k = prune.get("top_k", 1.0)
        self.early_config_prune = prune.get("early_config_prune")
        self.num_warmups, self.num_reps = warmup, rep
        self.use_cuda_graph = use_cuda_graph
        self._do_bench = do_bench

    def _check_names(self) -> None:
        """ValueError for arguments that cannot be reset or restored. A key that is no parameter only does nothing, and
        published kernels have such keys, so it is a warning.
        """
        for option, names in (
            ("key", self.keys),
            ("reset_to_zero", self.reset_to_zero),
            ("restore_value", self.restore_value),
        ):
            unknown = [name for name in names if name not in self.arg_names]
            if not unknown:
                continue
            message = (
                f"autotune({option}=...) of {getattr(self.base_fn, '__name__', self.base_fn)}: no parameters "
                f"{unknown}; it has {self.arg_names}"
            )
            if option != "key":
                raise ValueError(message)
            warnings.warn(message, stacklevel=4)

    @property
    def do_bench(self) -> Callable:
        """Times a function; the active driver's benchmarker unless one was given."""
        if self._do_bench is None:
            from ..testing import do_bench_cudagraph
            from .driver import driver

            options = {"warmup": self.num_warmups, "rep": self.num_reps}
            given = {name: value for name, value in options.items() if value is not None}
            if self.use_cuda_graph:
                given.pop("warmup", None)
            bench = do_bench_cudagraph if self.use_cuda_graph else driver.active.get_benchmarker()
            self._do_bench = lambda call, quantiles: bench(call, quantiles=quantiles, **given)
        return self._do_bench

    # -- the native half ------------------------------------------------------------------------------------------

    def __getitem__(self, grid: Any) -> Any:
        """What is called to launch over `grid`. The native launcher takes the place of this, at the first launch."""
        if not isinstance(self.base_fn, JITFunction):
            return super().__getitem__(grid)  # interpreted
        activate()
        from .native_bridge import activate_tuner

        activate_tuner(Autotuner)
        return Autotuner.__getitem__(self, grid)

    def _make_native(self) -> Any:
        """Called by the launcher when it meets this tuner for the first time; None: it is launched through Python."""
        from .native_bridge import native_module

        if not isinstance(self.fn, JITFunction):
            return None  # heuristics are computed in Python
        return native_module().Tuner(self, self.fn, self.arg_names, self.keys)

    def _choice_of(self, args: tuple, kwargs: dict[str, Any]) -> tuple | None:
        """What the launcher needs to repeat the launch that was just made with these arguments: the configuration, its
        key in `cache` (None if there is a single one), names and values of its options.
        """
        key = self._key(self._all_args(args, kwargs)) if len(self.configs) > 1 else None
        config = self.configs[0] if key is None else self.cache.get(key)
        if config is None or config.pre_hook is not None:
            return None
        options = config.all_kwargs()
        if options.keys() & kwargs.keys():
            return None
        return config, key, tuple(options), tuple(options.values())

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__

    # -- one trial ------------------------------------------------------------------------------------------------

    def _all_args(self, args: tuple, kwargs: dict[str, Any]) -> dict[str, Any]:
        return {**dict(zip(self.arg_names, args)), **{k: v for k, v in kwargs.items() if k in self.arg_names}}

    def _bench(self, *args: Any, config: Config, **meta: Any) -> list[float]:
        """Milliseconds of a launch with `config` by quantile; infinite if it does not compile."""
        from ..compiler.errors import CompileTimeAssertionFailure

        conflicts = meta.keys() & config.kwargs.keys()
        if conflicts:
            raise ValueError(
                f"Conflicting meta-parameters: {', '.join(sorted(conflicts))}. Make sure that you don't re-define "
                "auto-tuned symbols: a configuration sets them, so the launch must not"
            )
        current = {**meta, **config.all_kwargs()}
        named = {**self._all_args(args, meta), **config.kwargs}

        def trial() -> None:
            if config.pre_hook is not None:
                config.pre_hook(named)
            self.pre_hook(named)
            try:
                self.fn.run(*args, **current)
            except Exception as error:
                self.post_hook(named, exception=error)
                raise
            self.post_hook(named, exception=None)

        start = time.perf_counter()
        try:
            return self.do_bench(trial, quantiles=_QUANTILES)
        except (OutOfResources, CompileTimeAssertionFailure, PTXASError) as error:
            if knobs.autotuning.print:
                print(f"Autotuning failed with {error} after {time.perf_counter() - start:.2f}s for config: {config}")
            return [float("inf")] * 3

    # -- choosing -------------------------------------------------------------------------------------------------

    def _key(self, named: dict[str, Any]) -> tuple:
        values = [named[name] for name in self.keys if name in named]
        return (*values, *[_dtype_name(value.dtype) for value in named.values() if hasattr(value, "dtype")])

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Launches with the best configuration for these arguments, finding it first if necessary."""
        self.nargs = dict(zip(self.arg_names, args))
        cached = True
        if len(self.configs) > 1:
            named = self._all_args(args, kwargs)
            key = self._key(named)
            config = self.cache.get(key)
            if config is None:
                cached = False
                config = self._choose(key, named, args, kwargs)
        else:
            config = self.configs[0]
        self.best_config = config
        if not cached and knobs.autotuning.print:
            print(
                f"Triton autotuning for function {self.base_fn.__name__},\nwith key as {key},\n"
                f"finished after {self.bench_time or 0:.2f}s,\nbest config selected: {config};"
            )
        if config.pre_hook is not None:
            config.pre_hook({**self.nargs, **kwargs, **config.all_kwargs()})
        result = self.fn.run(*args, **kwargs, **config.all_kwargs())
        self.nargs = None
        return result

    def _choose(self, key: tuple, named: dict[str, Any], args: tuple, kwargs: dict[str, Any]) -> Config:
        candidates = self.prune_configs(kwargs)
        if len(candidates) == 1:
            self.cache[key] = candidates[0]
            return candidates[0]
        if self.cache_results and self._read_results(key, candidates):
            return self.cache[key]
        start = time.perf_counter()
        timings = {config: self._bench(*args, config=config, **kwargs) for config in candidates}
        self.bench_time = time.perf_counter() - start
        best = builtins.min(timings, key=lambda config: timings[config][0])
        if timings[best][0] == float("inf"):
            raise AutotunerError(
                f"none of the {len(timings)} configurations of {self.base_fn.__name__} can be compiled for this "
                "device; TRITON_PRINT_AUTOTUNING=1 shows why"
            )
        self.cache[key] = best
        self.configs_timings = timings
        if not self.user_defined_pre_hook:
            self.pre_hook(named, reset_only=True)
        if self.cache_results:
            self._write_results(key)
        if knobs.autotuning.listener:
            knobs.autotuning.listener(
                fn=self.base_fn,
                key=key,
                configs=candidates,
                timings=timings,
                best_config=best,
                bench_time=self.bench_time,
            )
        return best

    def prune_configs(self, kwargs: dict[str, Any]) -> list[Config]:
        """Configurations that are left after `early_config_prune` and after `perf_model` chose the `top_k`."""
        left = self.configs
        if self.early_config_prune:
            left = self.early_config_prune(self.configs, self.nargs, **kwargs)
            if not left:
                raise AutotunerError(
                    "No valid autotuner configs after pruning. `early_config_prune` should return at least one config."
                )
        if self.perf_model:
            top_k = self.configs_top_k
            if isinstance(top_k, float) and top_k <= 1.0:
                top_k = int(len(self.configs) * top_k)
            elif not isinstance(top_k, int):
                raise TypeError("prune_configs_by: top_k must be an int, or a float <= 1.0 for a share of the configs")
            if len(left) > top_k:
                estimates = {c: self.perf_model(**self.nargs, **kwargs, **c.all_kwargs()) for c in left}
                left = sorted(estimates, key=estimates.__getitem__)[:top_k]
        return _selected_by_backend(list(left))

    def warmup(self, *args: Any, **kwargs: Any) -> list[Any]:
        """Compiles every configuration that is left after pruning."""
        self.nargs = dict(zip(self.arg_names, args))
        kernels = [self.fn.warmup(*args, **kwargs, **config.all_kwargs()) for config in self.prune_configs(kwargs)]
        self.nargs = None
        return kernels

    # -- results on disk ------------------------------------------------------------------------------------------

    def _results_file(self, key: tuple, candidates: list[Config]) -> tuple[Any, str]:
        from ..compiler.compiler import make_backend
        from .cache import get_cache_manager, triton_key
        from .driver import driver

        target = driver.active.get_current_target()
        parts = [triton_key(), make_backend(target).hash(), self.base_fn.cache_key, str(key), *map(str, candidates)]
        digest = hashlib.sha256("-".join(parts).encode("utf-8")).hexdigest()
        return get_cache_manager(digest), f"{self.base_fn.__name__[:150]}.autotune.json"

    def _read_results(self, key: tuple, candidates: list[Config]) -> bool:
        if any(config.pre_hook is not None for config in candidates):
            return False  # a function cannot be stored
        self._store, self._store_name = self._results_file(key, candidates)
        path = self._store.get_file(self._store_name)
        if path is None:
            return False
        try:
            with open(path, encoding="utf-8") as file:
                stored = json.load(file)["configs_timings"]
            timings = {Config(**config): times for config, times in stored}
        except (OSError, ValueError, KeyError, TypeError):
            return False  # damaged: measured again
        if not timings:
            return False
        self.cache[key] = builtins.min(timings, key=lambda config: timings[config][0])
        self.configs_timings = timings
        return True

    def _write_results(self, key: tuple) -> None:
        from .cache import warn_unwritable

        if any(config.pre_hook is not None for config in self.configs_timings):
            return
        entries = [
            ({k: v for k, v in vars(config).items() if k != "pre_hook"}, times)
            for config, times in self.configs_timings.items()
        ]
        try:
            self._store.put(json.dumps({"key": list(map(str, key)), "configs_timings": entries}), self._store_name)
        except OSError as error:
            warn_unwritable(error.filename or self._store_name, error)


class Heuristics(KernelInterface):
    """Computes arguments of a kernel from its other arguments."""

    def __init__(self, fn: Any, arg_names: list[str], values: dict[str, Callable[[dict[str, Any]], Any]]):
        self.fn = fn
        self.values = values
        self.arg_names = arg_names
        self.__name__ = getattr(fn, "__name__", type(fn).__name__)

    def run(self, *args: Any, **kwargs: Any) -> Any:
        named = {**dict(zip(self.arg_names, args)), **kwargs}
        for name, heuristic in self.values.items():
            kwargs[name] = named[name] = heuristic(dict(named))  # what it does to its dictionary stays there
        return self.fn.run(*args, **kwargs)


def autotune(
    configs: list[Config],
    key: list[str],
    prune_configs_by: dict[str, Any] | None = None,
    reset_to_zero: list[str] | None = None,
    restore_value: list[str] | None = None,
    pre_hook: Callable | None = None,
    post_hook: Callable | None = None,
    warmup: int | None = None,
    rep: int | None = None,
    use_cuda_graph: bool = False,
    do_bench: Callable | None = None,
    cache_results: bool = False,
) -> Callable[[Any], Autotuner]:
    """Decorator: the kernel is launched with the fastest of `configs`, measured once per value of the `key` arguments.

    While measuring, the kernel runs many times: name outputs that it accumulates into in `reset_to_zero`, and
    arguments that it changes in place in `restore_value`. `prune_configs_by` may hold `early_config_prune(configs,
    named_args, **kwargs)`, `perf_model(**all_args)` and `top_k`. `pre_hook(args, reset_only)` and
    `post_hook(args, exception)` replace the hooks that reset and restore.
    """

    def decorator(fn: Any) -> Autotuner:
        return Autotuner(
            fn,
            fn.arg_names,
            configs,
            key,
            reset_to_zero,
            restore_value,
            pre_hook=pre_hook,
            post_hook=post_hook,
            prune_configs_by=prune_configs_by,
            warmup=warmup,
            rep=rep,
            use_cuda_graph=use_cuda_graph,
            do_bench=do_bench,
            cache_results=cache_results,
        )

    return decorator


def heuristics(values: dict[str, Callable[[dict[str, Any]], Any]]) -> Callable[[Any], Heuristics]:
    """Decorator: each named parameter is computed by its function from the arguments by name."""

    def decorator(fn: Any) -> Heuristics:
        return Heuristics(fn, fn.arg_names, values)

    return decorator
