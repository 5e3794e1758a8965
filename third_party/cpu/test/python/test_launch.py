"""The launcher's native interface: grids, threads, scratch memory, forks, messages."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from mlir_kernels import KERNEL_SIGNATURE, Kernel, add_kernel, compile_object, cpu, driver_abi, program_loop

BLOCKING = 1


@pytest.fixture(autouse=True)
def automatic_threads():
    yield
    cpu.set_num_threads(0)


def worker_kernel(spins: int) -> Kernel:
    """Program p counts in a0[p] that it ran, writes where its scratch is to a1[p], and takes its time."""
    body = """
      %c = llvm.getelementptr %a0[%pid] : (!llvm.ptr, i64) -> !llvm.ptr, i64
      %s = llvm.getelementptr %a1[%pid] : (!llvm.ptr, i64) -> !llvm.ptr, i64
      %old = llvm.load %c : !llvm.ptr -> i64
      %new = arith.addi %old, %one : i64
      llvm.store %new, %c : i64, !llvm.ptr
      %where = llvm.ptrtoint %scratch : !llvm.ptr to i64
      llvm.store volatile %where, %s : i64, !llvm.ptr
      scf.for %i = %zero to %spins step %one : i64 {
        %seen = llvm.load volatile %s : !llvm.ptr -> i64
      }"""
    constants = f"""%zero = arith.constant 0 : i64
    %spins = arith.constant {spins} : i64"""
    return Kernel("kernel", compile_object(program_loop(body, ["!llvm.ptr", "!llvm.ptr"], constants=constants)))


@pytest.fixture(scope="module")
def quick() -> Kernel:
    return worker_kernel(1)


@pytest.fixture(scope="module")
def slow() -> Kernel:
    return worker_kernel(200_000)  # about 0.1 ms


def run(kernel: Kernel, grid: tuple[int, int, int], shared: int = 64, flags: int = 0) -> np.ndarray:
    """Checks that every program ran once; returns the scratch addresses."""
    total = int(np.prod(grid))
    counts, scratch = np.zeros((2, total), dtype=np.int64)
    assert kernel.launch(grid, [counts, scratch], shared=shared, flags=flags) is None
    assert (counts == 1).all()
    return scratch


def uses_two_threads(kernel: Kernel, attempts: int = 50) -> bool:
    """Whether some launch ran on exactly two threads. On a busy machine the second one may often come too late."""
    cpu.set_num_threads(2)
    return any(len(set(run(kernel, (64, 1, 1)))) == 2 for _ in range(attempts))


def test_version_device_stream():
    abi = driver_abi()
    assert abi.version == 1
    assert abi.device() == 0
    assert abi.stream(0) == 0


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
@pytest.mark.parametrize("grid", [(1, 1, 1), (2, 1, 1), (7, 1, 1), (5, 3, 2), (1000, 1, 1), (100_003, 1, 1)])
def test_every_program_runs_once(quick, grid, threads):
    cpu.set_num_threads(threads)
    for _ in range(5):
        run(quick, grid)


@pytest.mark.parametrize("grid", [(0, 1, 1), (1, 0, 1), (1, 1, 0), (0, 0, 0)])
def test_empty_grid_runs_nothing(quick, grid):
    assert quick.launch(grid, [0, 0]) is None


def test_too_large_grid_is_an_error(quick):
    assert "programs" in quick.launch((2**32 - 1,) * 3, [0, 0])


def test_slow_programs_run_on_several_threads(slow):
    assert uses_two_threads(slow)


def test_one_thread_means_the_caller(slow):
    cpu.set_num_threads(1)
    assert len(set(run(slow, (16, 1, 1)))) == 1


def test_scratch_is_aligned_and_reused(quick):
    cpu.set_num_threads(1)
    for shared in (64, 100, 4096, 1 << 20):
        first, second = run(quick, (3, 1, 1), shared), run(quick, (3, 1, 1), shared)
        assert (first % 64 == 0).all()
        assert set(first) == set(second)


def test_programs_that_wait_for_each_other_run_together():
    """Program 1 has to start while program 0 still runs."""
    text = program_loop(
        """
      %first = arith.cmpi eq, %pid, %zero : i64
      scf.if %first {
        scf.while : () -> () {
          %seen = llvm.load %a0 atomic acquire {alignment = 8} : !llvm.ptr -> i64
          %waiting = arith.cmpi eq, %seen, %zero : i64
          scf.condition(%waiting)
        } do {
          scf.yield
        }
      } else {
        llvm.store %one, %a0 atomic release {alignment = 8} : i64, !llvm.ptr
      }""",
        ["!llvm.ptr"],
        constants="%zero = arith.constant 0 : i64",
    )
    kernel = Kernel("kernel", compile_object(text))
    cpu.set_num_threads(2)

    def launch(times: int) -> None:
        for _ in range(times):
            flag = np.zeros(1, dtype=np.int64)
            kernel.launch((2, 1, 1), [flag], flags=BLOCKING)
            assert flag[0] == 1

    # A launch that finds the flag set is quick, and must not pass for the cost of the next ones.
    assert kernel.launch((2, 1, 1), [np.ones(1, dtype=np.int64)], flags=BLOCKING) is None
    launch(20)
    # From two threads: the second launch waits for the workers.
    others = [threading.Thread(target=launch, args=(20,)) for _ in range(2)]
    for other in others:
        other.start()
    for other in others:
        other.join()


def test_launches_from_many_threads(quick, slow):
    cpu.set_num_threads(2)
    failures = []

    def work(kernel: Kernel, count: int) -> None:
        try:
            for _ in range(count):
                run(kernel, (50, 1, 1))
        except AssertionError as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=job) for job in [(quick, 300), (slow, 5)] * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def run_script(script: str, **environment: str) -> None:
    """Runs Python text that may import the helpers of this folder."""
    subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        check=True,
        cwd=Path(__file__).parent,
        env={**os.environ, **environment},
        timeout=120,
    )


FORK = """
import os, numpy as np
from test_launch import cpu, run, uses_two_threads, worker_kernel
{prepare}
kernel = worker_kernel(200_000)
if {first}:
    run(kernel, (64, 1, 1))
child = os.fork()
if child == 0:
    os._exit(0 if uses_two_threads(kernel) and cpu.thread_team() == "pool" else 1)
_, status = os.waitpid(child, 0)
assert status == 0, status
run(kernel, (64, 1, 1))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("first", [True, False], ids=["pool-started", "fresh"])
def test_forked_child_launches_on_two_threads(first):
    run_script(FORK.format(prepare="cpu.set_num_threads(2)", first=first))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds the OpenMP runtime on Linux only")
def test_torch_threads_are_used_and_forked_children_avoid_them():
    pytest.importorskip("torch")
    prepare = """
import torch
assert cpu.thread_team() == "openmp"
torch.set_num_threads(2)
torch.rand(1 << 20).exp()
"""
    run_script(FORK.format(prepare=prepare, first=True))


def test_torch_set_num_threads_is_honoured():
    pytest.importorskip("torch")
    run_script("""
import torch
from mlir_kernels import cpu
if cpu.thread_team() == "openmp":
    for count in (1, 3):
        torch.set_num_threads(count)
        assert cpu.num_threads() == count
    cpu.set_num_threads(2)
    assert cpu.num_threads() == 2
""")


@pytest.mark.parametrize("value, expected", [("3", 3), ("1", 1)])
def test_environment_sets_the_threads(value, expected):
    script = f"from mlir_kernels import cpu\nassert cpu.num_threads() == {expected}"
    run_script(script, TRITON_CPU_NUM_THREADS=value)


def test_without_a_choice_the_allowed_processors_count():
    script = "import os\nfrom mlir_kernels import cpu\nassert cpu.num_threads() == len(os.sched_getaffinity(0))"
    run_script(script, TRITON_CPU_NUM_THREADS="")


def test_negative_number_of_threads_is_refused():
    with pytest.raises(ValueError, match="-1"):
        cpu.set_num_threads(-1)


def calling_kernel(declaration: str, globals_: str, call: str) -> Kernel:
    """A kernel that calls a helper for each program, with %x = %pid as i32."""
    text = f"""module {{
      llvm.func {declaration}
      {globals_}
      func.func @kernel{KERNEL_SIGNATURE} {{
        %one = arith.constant 1 : i64
        %zero = arith.constant 0 : i32
        scf.for %pid = %lo to %hi step %one : i64 {{
          %x = arith.trunci %pid : i64 to i32
          {call}
        }}
        return
      }}
    }}"""
    return Kernel("kernel", compile_object(text))


@pytest.mark.parametrize("threads", [1, 2])
def test_failed_assertion_is_reported_by_the_launch(threads, quick):
    cpu.set_num_threads(threads)
    kernel = calling_kernel(
        "@triton_cpu_assert_fail(!llvm.ptr, !llvm.ptr, !llvm.ptr, i32, i32, i32, i32)",
        'llvm.mlir.global internal constant @text("x < n\\00")',
        """%text = llvm.mlir.addressof @text : !llvm.ptr
          %line = arith.constant 12 : i32
          llvm.call @triton_cpu_assert_fail(%text, %text, %text, %line, %x, %zero, %zero)
            : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i32, i32, i32, i32) -> ()""",
    )
    for programs in (1, 4):
        message = kernel.launch((programs, 1, 1), [0])
        assert "x < n:12: x < n: device assertion failed in program (" in message
        assert message.endswith("): x < n")
    run(quick, (4, 1, 1))


def test_print_writes_lines(capfd):
    kernel = calling_kernel(
        "@triton_cpu_print(!llvm.ptr, i32, i64, i32, i32, i32, i64, !llvm.ptr, i32)",
        'llvm.mlir.global internal constant @text("value\\00")\n'
        "llvm.mlir.global internal constant @shape(dense<[2, 4]> : tensor<2xi64>) : !llvm.array<2 x i64>",
        """%text = llvm.mlir.addressof @text : !llvm.ptr
          %shape = llvm.mlir.addressof @shape : !llvm.ptr
          %null = llvm.mlir.zero : !llvm.ptr
          %rank = arith.constant 2 : i32
          %signed = arith.constant 2048 : i32
          %hex = arith.constant 67584 : i32
          %float = arith.constant 16386 : i32
          %minus = arith.constant -1 : i64
          %half = arith.constant 4602678819172646912 : i64
          %linear = arith.constant 6 : i64
          llvm.call @triton_cpu_print(%text, %signed, %minus, %x, %zero, %zero, %linear, %shape, %rank)
            : (!llvm.ptr, i32, i64, i32, i32, i32, i64, !llvm.ptr, i32) -> ()
          llvm.call @triton_cpu_print(%text, %hex, %minus, %x, %zero, %zero, %linear, %null, %zero)
            : (!llvm.ptr, i32, i64, i32, i32, i32, i64, !llvm.ptr, i32) -> ()
          llvm.call @triton_cpu_print(%text, %float, %half, %x, %zero, %zero, %linear, %null, %zero)
            : (!llvm.ptr, i32, i64, i32, i32, i32, i64, !llvm.ptr, i32) -> ()""",
    )
    assert kernel.launch((1, 1, 1), [0]) is None
    assert capfd.readouterr().out == (
        "pid (0, 0, 0) idx (1, 2) value: -1\npid (0, 0, 0) value: 0xff\npid (0, 0, 0) value: 0.500000\n"
    )


def test_tail_of_a_vector_kernel_stays_inside_its_array():
    kernel = Kernel("add", compile_object(add_kernel(block=64)))
    for count in (0, 1, 15, 16, 17, 63, 64, 65, 1000):
        x = np.arange(count, dtype=np.float32)
        z = np.full(count + 64, -1, dtype=np.float32)
        assert kernel.launch((-(-count // 64), 1, 1), [x, x, z, count]) is None
        assert (z[:count] == 2 * x).all()
        assert (z[count:] == -1).all()
