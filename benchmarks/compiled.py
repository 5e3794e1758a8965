"""Whole models compiled by TorchInductor: with our kernels against its own C++, same process, interleaved rounds."""

import statistics
import tempfile
from collections.abc import Callable

import torch
import torch_fl  # noqa: F401  registers the device
from compiled_models import SETUPS, Setup, Step, forward, training
from report import Row
from timing import CacheFlush, interleaved, paired_ratio, process_with_cache

COLUMNS = ["C++, ms", "flagos, ms", "× C++, flagos", "× C++, `cpu_backend=\"triton\"`", "needed", "met"]
TYPES = {"f32": torch.float32, "bf16": torch.bfloat16}
STEPS: dict[str, Callable[..., Step]] = {"forward": forward, "forward + backward": training}


def measure(names: list[str], rounds: int) -> list[Row]:
    """A row for each of the models `names`, type and kind of step."""
    return [_row(SETUPS[name], kind, dtype, rounds) for name in names for dtype in TYPES for kind in STEPS]


def _candidates(setup: Setup, kind: str, dtype: str) -> dict[str, Step]:
    torch._dynamo.reset()

    def compiled(device: str, **options: str) -> Step:
        model, x = setup.make(TYPES[dtype], device)
        return STEPS[kind](model, torch.compile(model, options=options or None), x)

    return {"C++": compiled("cpu"), "flagos": compiled("flagos"), "triton": compiled("cpu", cpu_backend="triton")}


def _check(setup: Setup, kind: str, steps: dict[str, Step]) -> None:
    """AssertionError if a result is further from that of f32 without a compiler than the C++'s is, by its rounding."""
    model, x = setup.make(torch.float32, "cpu")
    exact = STEPS[kind](model, model, x)()
    distance = {name: ((step().cpu().float() - exact).norm() / exact.norm()).item() for name, step in steps.items()}
    for name, far in distance.items():
        assert far <= 2 * distance["C++"] + 1e-4, f"{setup.title}, {kind}: {name} is off by {far}: {distance}"


def _repeated(step: Step, times: int) -> Callable[[], None]:
    def run() -> None:
        for _ in range(times):
            step()

    return run


def _row(setup: Setup, kind: str, dtype: str, rounds: int) -> Row:
    steps = _candidates(setup, kind, dtype)
    _check(setup, kind, steps)
    # Some milliseconds at a time: an interruption hits all steps of a round alike.
    once = statistics.median(interleaved({"C++": steps["C++"]}, 5, CacheFlush(0))["C++"])
    times = max(1, round(0.02 / once))
    calls = {name: _repeated(step, times) for name, step in steps.items()}
    # In pairs: of three, the one in the middle would never run twice in a row, and find the caches full of others.
    ours = interleaved({name: calls[name] for name in ("C++", "flagos")}, rounds, CacheFlush(0))
    plain = interleaved({name: calls[name] for name in ("C++", "triton")}, rounds, CacheFlush(0))
    ratio = paired_ratio(ours["C++"], ours["flagos"])
    median = {name: statistics.median(values) / times * 1e3 for name, values in ours.items()}
    needed, met = "–", "–"
    if setup.needed is not None:
        needed, met = f"≥ {setup.needed} ×", "yes" if ratio >= setup.needed else "**no**"
    return Row(f"{setup.title}, {dtype}, {kind}", {
        COLUMNS[0]: f"{median['C++']:.2f}",
        COLUMNS[1]: f"{median['flagos']:.2f}",
        COLUMNS[2]: f"{ratio:.2f}",
        COLUMNS[3]: f"{paired_ratio(plain['C++'], plain['triton']):.2f}",
        "needed": needed,
        "met": met,
    })


def _empty_caches(*arguments: str) -> str:
    with tempfile.TemporaryDirectory(prefix="triton-bench-") as cache:
        return process_with_cache(cache, *arguments, TORCHINDUCTOR_CACHE_DIR=f"{cache}/inductor")


def first_calls(here: str, processes: int) -> list[Row]:
    """Seconds until the transformer block has done its first step of training, with empty caches."""
    setup = SETUPS["compiled_block"]
    seconds = {device: [float(_empty_caches(f"{here}/first_compiled.py", device)) for _ in range(processes)]
               for device in ("cpu", "flagos")}
    theirs, ours = (statistics.median(seconds[device]) for device in ("cpu", "flagos"))
    return [Row(f"first step of {setup.title}, f32, empty caches", {
        COLUMNS[0]: f"{theirs * 1e3:.0f}",
        COLUMNS[1]: f"{ours * 1e3:.0f}",
        COLUMNS[2]: f"{theirs / ours:.2f}",
        COLUMNS[3]: "–",
        "needed": "–",
        "met": "–",
    })]
