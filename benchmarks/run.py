"""Measure, print, and write the tables of docs/performance.md. `python benchmarks/run.py --help` lists the names."""

import argparse
import datetime
import os
import platform
import shlex
import sys
from pathlib import Path

import compiled_models
import latency
import packaging_sizes
import report
import throughput
import torch

HERE = Path(__file__).resolve().parent
DOCUMENT = HERE.parent / "docs" / "performance.md"
LATENCIES = ("compile", "launch", "import")
COMPILED_COLD = "compiled_cold"
THROUGHPUT_COLUMNS = ["floor, ms", "ours, ms", "torch, ms", "× torch", "of add's bandwidth, ours (torch)", "needed",
                      "met"]
FIXED_COLUMNS = ["measured", "spread", "needed", "met", "note"]


def parse_arguments() -> argparse.Namespace:
    names = [*throughput.CASES, *LATENCIES]
    # These need torch_fl and minutes, so only who asks for them gets them.
    on_request = [*compiled_models.SETUPS, COMPILED_COLD]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"what to measure: {', '.join(names)} (all of these by default), "
                             f"{', '.join(on_request)}")
    parser.add_argument("--rounds", type=int, default=25, help="interleaved rounds, and fresh processes at most 9")
    parser.add_argument("--flush", type=int, default=200, metavar="MB", help="memory written between timed calls")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--wheel", type=Path, help="wheel whose size is reported")
    parser.add_argument("--build-log", type=Path, help="file of lines 'name: seconds'")
    parser.add_argument("--dry-run", action="store_true", help="print the tables and leave the document alone")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in names + on_request]
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; known: {', '.join(names + on_request)}")
    # Nothing named but a file given: report that file and measure nothing.
    if not arguments.names and not (arguments.wheel or arguments.build_log):
        arguments.names = names
    return arguments


def machine() -> str:
    """Processor, cores and vector width, as far as the system tells."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        model = next((line.split(":")[1].strip() for line in info.read_text().splitlines()
                      if line.startswith("model name")), model)
    from triton._C.libtriton import cpu
    host = cpu.host()
    return f"{model} ({host['cpu']}, {host['vector_bits']}-bit vectors)"


def remark(arguments: argparse.Namespace) -> str:
    """How the numbers came about: command, date, machine, threads and whose threads they are."""
    from triton._C.libtriton import cpu
    command = shlex.join(["python", "benchmarks/run.py", *sys.argv[1:]])
    real_time = hasattr(os, "sched_getscheduler") and os.sched_getscheduler(0) in (os.SCHED_FIFO, os.SCHED_RR)
    priority = " The runner had real-time priority, because others used the machine." if real_time else ""
    return (f"`{command}`, {datetime.date.today().isoformat()}, {machine()}, {arguments.threads} threads; our kernels "
            f"ran on the {cpu.thread_team()} threads. torch {torch.__version__.split('+')[0]}, "
            f"Python {platform.python_version()}.{priority}")


def main() -> None:
    arguments = parse_arguments()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(0)
    from triton._C.libtriton import cpu
    cpu.set_num_threads(arguments.threads)

    sections = []
    cases = [name for name in arguments.names if name in throughput.CASES]
    if cases:
        for name, flush in (("cold", arguments.flush), ("warm", 0)):
            rows = throughput.measure(cases, arguments.rounds, flush)
            note = f" {flush} MB were written between timed calls." if flush else ""
            sections.append((f"throughput {name}", THROUGHPUT_COLUMNS, rows, remark(arguments) + note))
            if not arguments.flush:
                break
    processes = min(arguments.rounds, 9)
    models = [name for name in arguments.names if name in compiled_models.SETUPS]
    if models or COMPILED_COLD in arguments.names:
        import compiled
        rows = compiled.measure(models, arguments.rounds)
        if COMPILED_COLD in arguments.names:
            rows += compiled.first_calls(str(HERE), processes)
        sections.append(("compiled", compiled.COLUMNS, rows, remark(arguments)))
    fixed = []
    if "compile" in arguments.names:
        fixed += latency.first_launches(str(HERE), processes)
    if "launch" in arguments.names:
        fixed += latency.launch(processes)
    if "import" in arguments.names:
        fixed += latency.import_time(processes)
    if fixed:
        sections.append(("latency", FIXED_COLUMNS, fixed, remark(arguments)))
    files = [packaging_sizes.wheel_size(arguments.wheel)] if arguments.wheel else []
    files += packaging_sizes.build_times(arguments.build_log) if arguments.build_log else []
    if files:
        sections.append(("packaging", FIXED_COLUMNS, files, remark(arguments)))

    for name, columns, rows, note in sections:
        print(f"\n## {name}\n{note}\n{report.table(columns, rows)}")
        if not arguments.dry_run:
            report.update(DOCUMENT, name, columns, rows, note)


if __name__ == "__main__":
    main()
