"""do_bench, assert_close, perf_report."""

import time

import numpy as np
import pytest
import triton
import triton.language as tl
from triton import testing


@pytest.mark.parametrize("mode", ["min", "max", "mean", "median"])
def test_do_bench(mode):
    result = testing.do_bench(lambda: time.sleep(0.001), warmup=2, rep=5, return_mode=mode)
    assert 1.0 <= result < 100


def test_do_bench_all_and_quantiles():
    times = testing.do_bench(lambda: None, warmup=1, rep=5, return_mode="all")
    assert len(times) >= 1 and all(t >= 0 for t in times)
    low, high = testing.do_bench(lambda: None, warmup=1, rep=5, quantiles=[0.2, 0.8])
    assert low <= high
    assert isinstance(testing.do_bench(lambda: None, warmup=1, rep=5, quantiles=[0.5]), float)


def test_do_bench_bad_mode():
    with pytest.raises(ValueError, match="min, max.*'fastest'"):
        testing.do_bench(lambda: None, return_mode="fastest")


def test_do_bench_drops_gradients():
    class Tensor:
        grad = 1

    tensor = Tensor()
    testing.do_bench(lambda: None, warmup=1, rep=1, grad_to_none=[tensor])
    assert tensor.grad is None


@pytest.mark.parametrize("q", [0, 0.1, 0.25, 0.5, 0.9, 1])
def test_quantile_is_that_of_numpy(q):
    values = sorted(np.random.RandomState(3).normal(size=17).tolist())
    assert testing._quantile(values, q) == pytest.approx(np.quantile(values, q))


def test_assert_close():
    x = np.array([1.0, 2.0, np.nan])
    testing.assert_close(x, x + 0.005)
    testing.assert_close(x, x * 1.5, atol=0, rtol=0.5)
    testing.assert_close(1.0, np.array([1.001]))
    testing.assert_close(x, x + 0.05, atol=lambda dtype: 0.1 if dtype == np.float64 else 0)
    with pytest.raises(AssertionError, match="the reason"):
        testing.assert_close(x, x + 0.05, err_msg="the reason")
    with pytest.raises(AssertionError):
        testing.assert_close(x, np.array([1.0, 2.0, 3.0]))


def test_benchmark_rows():
    @triton.testing.perf_report(
        triton.testing.Benchmark(
            x_names=["m", "n"],
            x_vals=[2, (3, 4)],
            line_arg="provider",
            line_vals=["a", "b"],
            line_names=["A", "B"],
            plot_name="products",
            args={"scale": 10},
        )
    )
    def run(m, n, provider, scale):
        value = m * n * scale
        return value if provider == "a" else (value, value - 1, value + 1)

    assert run._measure(run.benchmarks) == [[2, 2, 40, None, None, 40, 39, 41], [3, 4, 120, None, None, 120, 119, 121]]


def test_benchmark_checks_its_lists():
    with pytest.raises(ValueError, match="2 line_vals, but 1 line_names"):
        triton.testing.Benchmark(["x"], [1], "p", ["a", "b"], ["A"], "plot", {})
    bench = triton.testing.Benchmark(["x", "y"], [(1, 2, 3)], "p", ["a"], ["A"], "plot", {})
    with pytest.raises(ValueError, match="x_vals has 3 values"):
        bench.points()


def report():
    bench = triton.testing.Benchmark(["n"], [8, 16], "provider", ["a", "b"], ["A", "B"], "products", {}, x_log=True)
    return triton.testing.perf_report(bench)(lambda n, provider: (n, n - 1, n + 1) if provider == "a" else n)


def test_missing_packages_are_named_before_anything_is_measured(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ImportError, match="pip install pandas matplotlib"):
        report().run(show_plots=True)


@pytest.mark.filterwarnings("default")
def test_report_is_written_to_a_new_folder(tmp_path, monkeypatch, capsys):
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib").use("Agg")
    folder = tmp_path / "new" / "folder"
    frame = report().run(print_data=True, save_path=str(folder), return_df=True)
    assert frame["A"].tolist() == [8, 16] and list(frame) == ["n", "A", "B"]
    assert "products:" in capsys.readouterr().out
    assert {path.name for path in folder.iterdir()} == {"products.csv", "products.png", "results.html"}
    assert (folder / "products.csv").read_text().splitlines()[0] == "n,A,B"
    assert (folder / "products.png").read_bytes().startswith(b"\x89PNG")


def test_bandwidth_is_measured_once():
    first = testing.get_dram_gbps()
    assert 0.1 < first < 1e4 and testing.get_dram_gbps(0) == first


def test_peak_rates():
    clock = 2_000_000  # kHz
    simd = testing.get_max_simd_tflops(tl.float32, clock)
    cores = simd * 1e12 / (clock * 1e3)
    assert cores == int(cores) and cores % 2 == 0  # operations per cycle of all cores
    assert testing.get_max_simd_tflops(tl.float64, clock) == simd / 2
    assert testing.get_max_simd_tflops(tl.float32, 2 * clock) == 2 * simd
    for dtype in (tl.float32, tl.bfloat16, tl.float16, tl.int8):
        assert testing.get_max_tensorcore_tflops(dtype, clock) >= testing.get_max_simd_tflops(dtype, clock)
    with pytest.raises(RuntimeError, match="no peak rate is known for i64"):
        testing.get_max_simd_tflops(tl.int64, clock)


@pytest.mark.parametrize("kind", ["do_bench_proton", "do_bench_cudagraph", "do_bench_cudagraph_proton"])
def test_other_ways_to_measure(kind):
    times = getattr(testing, kind)(lambda: None, rep=1, return_mode="all")
    assert times and all(t >= 0 for t in times)


def test_what_only_gpus_have():
    with pytest.raises(NotImplementedError, match="nvsmi asks .* the backend 'cpu' has not; .*clock_rate=None"):
        testing.nvsmi(["clocks.max.sm"])
    with pytest.raises(NotImplementedError, match="fixes the clocks"), testing.set_gpu_clock(1000, 1000):
        raise AssertionError("entered")
    with pytest.raises(NotImplementedError, match="records graphs"), testing.cuda_graph_without_gc(None):
        raise AssertionError("entered")
    with pytest.raises(NotImplementedError, match="torch.matmul"):
        testing.cublas()
    assert testing.cuda_memcheck(size=3)(report) is report
