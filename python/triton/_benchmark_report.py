"""`perf_report`: runs a benchmark over a range of inputs and prints or plots what it returns."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Sequence
from typing import Any


class Benchmark:
    """What to vary, and how to draw it.

    `x_names` are arguments that take the values `x_vals` (one value for all of them, or a sequence with one for
    each); `line_arg` takes `line_vals`, one line of the plot each, named by `line_names`; `args` are fixed.
    """

    def __init__(
        self,
        x_names: list[str],
        x_vals: list[Any],
        line_arg: str,
        line_vals: list[Any],
        line_names: list[str],
        plot_name: str,
        args: dict[str, Any],
        xlabel: str = "",
        ylabel: str = "",
        x_log: bool = False,
        y_log: bool = False,
        styles: Any = None,
    ):
        if len(line_vals) != len(line_names):
            raise ValueError(f"Benchmark: {len(line_vals)} line_vals, but {len(line_names)} line_names")
        self.x_names = x_names
        self.x_vals = x_vals
        self.x_log = x_log
        self.line_arg = line_arg
        self.line_vals = line_vals
        self.line_names = line_names
        self.y_log = y_log
        self.styles = styles
        self.xlabel = xlabel
        self.ylabel = ylabel
        self.plot_name = plot_name
        self.args = args

    def points(self) -> list[tuple]:
        """One tuple of values of the `x_names` per row."""
        rows = []
        for value in self.x_vals:
            row = tuple(value) if isinstance(value, (list, tuple)) else (value,) * len(self.x_names)
            if len(row) != len(self.x_names):
                raise ValueError(f"Benchmark: x_vals has {len(row)} values in {value}, but x_names are {self.x_names}")
            rows.append(row)
        return rows


class Mark:
    """A function with its benchmarks; `run` executes them."""

    def __init__(self, fn: Callable, benchmarks: Benchmark | Sequence[Benchmark]):
        self.fn = fn
        self.benchmarks = benchmarks

    def _measure(self, bench: Benchmark, **kwargs: Any) -> list[list[Any]]:
        """Rows: values of the `x_names`, then for each line the value, its lower and its upper bound."""
        rows = []
        for point in bench.points():
            row: list[Any] = list(point)
            for line in bench.line_vals:
                found = self.fn(**dict(zip(bench.x_names, point)), **{bench.line_arg: line}, **bench.args, **kwargs)
                row += list(found) if isinstance(found, tuple) else [found, None, None]
            rows.append(row)
        return rows

    def run(
        self,
        show_plots: bool = False,
        print_data: bool = False,
        save_path: str = "",
        return_df: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Runs the benchmarks. `save_path` gets a table (.csv) and a plot (.png) of each, and an index in html.

        Tables need pandas and plots need matplotlib: an ImportError, before anything is measured, says what is missing.
        With `return_df` returns one data frame per benchmark.
        """
        _require("pandas", *(["matplotlib"] if show_plots or save_path else []))
        if save_path:
            os.makedirs(save_path, exist_ok=True)
        single = isinstance(self.benchmarks, Benchmark)
        frames = []
        for bench in [self.benchmarks] if single else self.benchmarks:
            frame = self._frame(bench, self._measure(bench, **kwargs))
            if show_plots or save_path:
                _plot(bench, frame, show_plots, save_path)
            table = frame[[*bench.x_names, *bench.line_names]]
            if print_data:
                print(f"{bench.plot_name}:\n{table}")
            if save_path:
                table.to_csv(os.path.join(save_path, f"{bench.plot_name}.csv"), index=False, float_format="%.6f")
            frames.append(table)
        if save_path:
            with open(os.path.join(save_path, "results.html"), "w", encoding="utf-8") as html:
                images = "".join(f'<image src="{bench.plot_name}.png"/>\n' for bench in self._all())
                html.write(f"<html><body>\n{images}</body></html>\n")
        if return_df:
            return frames[0] if single else frames
        return None

    def _all(self) -> list[Benchmark]:
        return [self.benchmarks] if isinstance(self.benchmarks, Benchmark) else list(self.benchmarks)

    @staticmethod
    def _frame(bench: Benchmark, rows: list[list[Any]]) -> Any:
        import pandas

        columns = list(bench.x_names)
        for name in bench.line_names:
            columns += [name, f"{name}-min", f"{name}-max"]
        return pandas.DataFrame(rows, columns=columns)


def _require(*packages: str) -> None:
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        raise ImportError(f"perf_report makes its report with {' and '.join(missing)}: pip install {' '.join(missing)}")


def _plot(bench: Benchmark, frame: Any, show: bool, save_path: str) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots()
    x_name = bench.x_names[0]
    for i, name in enumerate(bench.line_names):
        color, style = bench.styles[i] if bench.styles else (None, None)
        axes.plot(frame[x_name], frame[name], label=name, color=color, ls=style)
        low, high = frame[f"{name}-min"], frame[f"{name}-max"]
        if low.notna().all() and high.notna().all():
            axes.fill_between(frame[x_name], low.astype(float), high.astype(float), alpha=0.15, color=color)
    axes.legend()
    axes.set(xlabel=bench.xlabel or x_name, ylabel=bench.ylabel)
    axes.set_xscale("log" if bench.x_log else "linear")
    axes.set_yscale("log" if bench.y_log else "linear")
    if save_path:
        figure.savefig(os.path.join(save_path, f"{bench.plot_name}.png"))
    if show:
        plt.show()
    plt.close(figure)


def perf_report(benchmarks: Benchmark | Sequence[Benchmark]) -> Callable[[Callable], Mark]:
    """Decorator: turns a function that returns a time, or ``(time, min, max)``, into a `Mark`."""
    return lambda fn: Mark(fn, benchmarks)
