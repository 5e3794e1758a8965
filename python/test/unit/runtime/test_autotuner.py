"""autotune, heuristics, Config."""

import copy
import pickle

import numpy as np
import pytest
import triton
import triton.language as tl
from triton import knobs
from triton.runtime.errors import AutotunerError, OutOfResources

N = 100
CONFIGS = [triton.Config({"BLOCK": block}) for block in (16, 32, 64)]


def bench_by(times):
    """A benchmarker that runs the kernel and reports the time that `times` has for its BLOCK."""
    runs = []

    def do_bench(call, quantiles):
        call()
        runs.append(1)
        return [times[len(runs) - 1]] * 3

    do_bench.runs = runs
    return do_bench


def make(configs=CONFIGS, key=("n",), times=(3.0, 1.0, 2.0), **options):
    options.setdefault("do_bench", bench_by(times))

    @triton.autotune(configs=list(configs), key=list(key), **options)
    @triton.jit
    def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n) + tl.load(out_ptr + at, mask=at < n), mask=at < n)

    return kernel, options["do_bench"]


def launch(kernel, n=N, dtype=np.float32, **kwargs):
    x, out = np.arange(n).astype(dtype), np.zeros(n, dtype)
    kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n, **kwargs)
    return x, out


def test_fastest_configuration_is_used_and_remembered():
    kernel, bench = make(reset_to_zero=["out_ptr"])
    x, out = launch(kernel)
    assert (out == x).all()
    assert kernel.best_config.kwargs == {"BLOCK": 32} and len(bench.runs) == 3
    launch(kernel)
    assert len(bench.runs) == 3
    assert kernel.configs_timings[CONFIGS[0]] == [3.0] * 3


def test_key_is_values_and_element_types():
    kernel, bench = make(times=[1.0] * 12)
    launch(kernel)
    launch(kernel, n=N + 1)
    assert len(bench.runs) == 6
    launch(kernel, dtype=np.float64)
    assert len(bench.runs) == 9
    assert len(kernel.cache) == 3


def test_restore_value():
    kernel, _ = make(restore_value=["out_ptr"])
    x, out = launch(kernel)
    assert (out == x).all()


def test_one_configuration_is_not_measured():
    kernel, bench = make(configs=CONFIGS[:1])
    launch(kernel)
    assert not bench.runs and kernel.best_config is CONFIGS[0]


def test_no_configuration_means_the_default():
    @triton.autotune(configs=[], key=[])
    @triton.jit
    def kernel(out_ptr):
        tl.store(out_ptr, 1)

    out = np.zeros(1, np.int32)
    kernel[(1,)](out)
    assert out[0] == 1 and kernel.best_config.num_warps == 4


def test_configuration_that_does_not_fit_is_skipped():
    def do_bench(call, quantiles):
        do_bench.count += 1
        if do_bench.count < 3:
            raise OutOfResources(10, 5, "scratch")
        call()
        return [1.0] * 3

    do_bench.count = 0
    kernel, _ = make(do_bench=do_bench, reset_to_zero=["out_ptr"])
    launch(kernel)
    assert kernel.best_config.kwargs == {"BLOCK": 64}


def test_no_configuration_that_fits_is_an_error():
    def do_bench(call, quantiles):
        raise OutOfResources(10, 5, "scratch")

    kernel, _ = make(do_bench=do_bench)
    with pytest.raises(AutotunerError, match="none of the 3 configurations of kernel"):
        launch(kernel)


def test_other_errors_are_not_hidden():
    kernel, _ = make(do_bench=lambda call, quantiles: call())
    with pytest.raises(TypeError, match="'n'"):
        kernel[(1,)](np.zeros(4), np.zeros(4), "text")


def test_argument_that_the_configuration_sets_is_a_conflict():
    kernel, _ = make()
    with pytest.raises(ValueError, match="BLOCK"):
        launch(kernel, BLOCK=8)


@pytest.mark.parametrize("option", ["reset_to_zero", "restore_value"])
def test_unknown_names_are_errors(option):
    with pytest.raises(ValueError, match=rf"{option}.*'missing'.*x_ptr"):
        make(**{option: ["missing"]})


def test_key_that_is_no_parameter_is_a_warning():
    with pytest.warns(UserWarning, match=r"key=.*'missing'.*x_ptr"):
        kernel, _ = make(key=["missing", "n"])
    launch(kernel)
    launch(kernel)
    assert len(kernel.cache) == 1


def test_pruning():
    seen = {}

    def early(configs, named_args, **kwargs):
        seen.update(named_args)
        return [c for c in configs if c.kwargs["BLOCK"] >= 32]

    kernel, bench = make(prune_configs_by={"early_config_prune": early}, times=[2.0, 1.0])
    launch(kernel)
    assert len(bench.runs) == 2 and kernel.best_config.kwargs == {"BLOCK": 64} and seen["n"] == N

    kernel, bench = make(prune_configs_by={"perf_model": lambda BLOCK, **kwargs: -BLOCK, "top_k": 2}, times=[2.0, 1.0])
    launch(kernel)
    assert len(bench.runs) == 2 and kernel.best_config.kwargs == {"BLOCK": 32}

    kernel, bench = make(prune_configs_by={"perf_model": lambda BLOCK, **kwargs: BLOCK, "top_k": 0.34})
    launch(kernel)
    assert not bench.runs and kernel.best_config.kwargs == {"BLOCK": 16}

    kernel, _ = make(prune_configs_by={"early_config_prune": lambda *args, **kwargs: []})
    with pytest.raises(AutotunerError, match="at least one"):
        launch(kernel)


def test_hooks():
    calls = []
    configs = [
        triton.Config({"BLOCK": b}, pre_hook=lambda args, b=b: calls.append(("config", b, args["n"]))) for b in (16, 32)
    ]
    kernel, _ = make(
        configs=configs,
        times=[1.0, 2.0],
        pre_hook=lambda args, reset_only=False: calls.append("pre"),
        post_hook=lambda args, exception: calls.append(("post", exception)),
    )
    launch(kernel)
    one = ["pre", ("post", None)]
    assert calls == [("config", 16, N), *one, ("config", 32, N), *one, ("config", 16, N)]


def test_results_on_disk():
    options = {"cache_results": True, "times": [3.0, 1.0, 2.0]}
    kernel, bench = make(**options)
    launch(kernel)
    assert len(bench.runs) == 3
    again, bench = make(**options)
    launch(again)
    assert not bench.runs and again.best_config == kernel.best_config


def test_listener():
    seen = []
    knobs.autotuning.listener = lambda **kwargs: seen.append(kwargs)
    kernel, _ = make()
    launch(kernel)
    assert len(seen) == 1 and seen[0]["best_config"].kwargs == {"BLOCK": 32}


def test_heuristics_and_autotune_nest():
    @triton.autotune(configs=[triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 32})], key=["n"], warmup=1, rep=1)
    @triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
    @triton.jit
    def kernel(out_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
        tl.store(out_ptr, EVEN)

    out = np.zeros(1, np.int32)
    kernel[(1,)](out, 64)
    assert out[0] == 1
    kernel[(1,)](out, 63)
    assert out[0] == 0
    assert kernel.base_fn.__name__ == kernel.fn.__name__ == "kernel"


def test_warmup_compiles_every_configuration():
    kernel, bench = make()
    kernels = kernel.warmup(np.dtype("float32"), np.dtype("float32"), N, grid=(1,))
    assert len({k.hash for k in kernels}) == 3 and not bench.runs


def test_config():
    config = triton.Config({"BLOCK": 16}, num_warps=8)
    assert config.all_kwargs() == {"BLOCK": 16, "num_warps": 8, "num_ctas": 1, "num_stages": 3}
    assert str(config) == "BLOCK: 16, num_warps: 8, num_ctas: 1, num_stages: 3, maxnreg: None"
    for clone in (copy.deepcopy(config), pickle.loads(pickle.dumps(config))):
        assert clone == config and hash(clone) == hash(config)
    assert config != triton.Config({"BLOCK": 16}, num_warps=4)
    config.note = "any attribute can be set"


def test_launches_after_the_first_follow_the_cache():
    """They are native, but what Python has in `cache` decides."""
    kernel, bench = make(times=[3.0, 1.0, 2.0, 1.0, 3.0, 2.0], reset_to_zero=["out_ptr"])
    assert kernel.__name__ == "kernel"
    chosen = []
    for change in (None, None, "other", "clear", None):
        if change == "other":
            (key,) = kernel.cache
            kernel.cache[key] = CONFIGS[2]
        elif change == "clear":
            kernel.cache.clear()
        x, out = launch(kernel)
        np.testing.assert_array_equal(out, x)
        chosen.append(kernel.best_config.kwargs["BLOCK"])
    assert chosen == [32, 32, 64, 16, 16] and len(bench.runs) == 6


def test_single_configuration_can_be_replaced():
    kernel, _ = make(configs=CONFIGS[:1])
    for config in (CONFIGS[0], CONFIGS[0], CONFIGS[1], CONFIGS[1]):
        kernel.configs[0] = config
        x, out = launch(kernel)
        np.testing.assert_array_equal(out, x)
        assert kernel.best_config is config


def test_keys_of_other_types_and_places():
    """What the launcher cannot compare is left to Python; the same values by position and by keyword are one key."""
    kernel, bench = make(times=[1.0] * 30)
    x, out = np.zeros(N, np.float32), np.zeros(N, np.float32)
    for _ in range(2):
        kernel[(7,)](x, out, N)
        kernel[(7,)](x, out, n=N)
        kernel[(7,)](n=N, x_ptr=x, out_ptr=out)
        kernel[(7,)](x, out, np.int64(N))
    assert len(kernel.cache) == 2 and len(bench.runs) == 6  # a number of NumPy has a dtype, which is part of the key


def test_name_can_be_set():
    kernel, _ = make()
    kernel.__name__ = "renamed"
    assert kernel.__name__ == "renamed" and kernel.base_fn.__name__ == "kernel"
