"""Pickling of errors, fork, background compiles, crashes elsewhere."""

import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import triton
import triton.language as tl
from triton._internal_testing import run_in_process
from triton.compiler.errors import CompilationError
from triton.runtime.errors import AutotunerError, OutOfResources, PTXASError

from .kernels import scale


@triton.jit
def broken(out_ptr):
    tl.store(out_ptr, tl.arange(0, 3))


def compile_error():
    with pytest.raises(CompilationError) as caught:
        broken[(1,)](np.zeros(4, np.int32))
    return caught.value


@pytest.mark.parametrize(
    "error",
    [OutOfResources(10, 5, "scratch"), PTXASError("text"), AutotunerError("text")],
    ids=lambda error: type(error).__name__,
)
def test_errors_can_be_pickled(error):
    clone = pickle.loads(pickle.dumps(error))
    assert type(clone) is type(error) and str(clone) == str(error)
    assert clone.__dict__ == error.__dict__


def test_compile_error_can_be_pickled():
    error = compile_error()
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert "power of 2" in str(error)


def test_out_of_resources_says_how_much():
    assert str(OutOfResources(10, 5, "scratch")).startswith("out of resource: scratch, Required: 10, Hardware limit: 5")


def launch():
    x, out = np.arange(1000, dtype=np.float32), np.zeros(1000, np.float32)
    scale[(63,)](x, out, 1000, 2.0, BLOCK=16)
    return bool((out == 2 * x).all())


def in_fork(connection):
    connection.send(launch())
    connection.close()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_launch_before_and_after_fork():
    assert launch()
    context = multiprocessing.get_context("fork")
    for _ in range(3):
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=in_fork, args=(sender,))
        process.start()
        assert receiver.poll(60), "the child does not answer"
        assert receiver.recv() is True
        process.join(60)
        assert process.exitcode == 0
        assert launch()


def remote_compile_error():
    broken[(1,)](np.zeros(4, np.int32))


def test_error_of_another_process():
    error, code = run_in_process(remote_compile_error)
    assert isinstance(error, CompilationError) and "power of 2" in str(error) and code == 0
    assert run_in_process(os._exit, (7,)) == (None, 7)


def test_background_compiles():
    scale.device_caches.clear()
    threads = set()

    class Executor(ThreadPoolExecutor):
        def submit(self, fn, *args, **kwargs):
            def run():
                threads.add(threading.get_ident())
                return fn(*args, **kwargs)

            return super().submit(run)

    x, out = np.arange(50, dtype=np.float32), np.zeros(50, np.float32)
    with Executor(2) as pool, triton.AsyncCompileMode(pool):
        futures = [scale.warmup(x, out, 50, 2.0, BLOCK=b, grid=(1,)) for b in (8, 16, 32, 8)]
        assert all(isinstance(f, triton.FutureKernel) for f in futures)
        assert futures[0] is futures[3]
        kernel = scale[(4,)](x, out, 50, 2.0, BLOCK=16)  # a launch waits for its kernel
        assert (out == 2 * x).all()
    assert threading.get_ident() not in threads
    assert futures[1].result() is kernel
    assert scale[(4,)](x, out, 50, 2.0, BLOCK=16) is futures[1].result()


def test_background_compile_error_is_raised_at_the_end():
    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(CompilationError, match="power of 2"), triton.AsyncCompileMode(pool):
            broken.warmup(np.zeros(4, np.int32), grid=(1,))
        with triton.AsyncCompileMode(pool, ignore_errors=True):
            broken.warmup(np.zeros(4, np.int32), grid=(1,))


def test_allocator():
    from triton.runtime._allocation import allocate

    with pytest.raises(RuntimeError, match=r"64 bytes.*triton.set_allocator"):
        allocate(64, 16, None)
    triton.set_allocator(lambda size, align, stream: (size, align, stream))
    try:
        assert allocate(64, 16, 0) == (64, 16, 0)
    finally:
        triton.set_allocator(None)


class CountingRuns(triton.JITFunction):
    runs = 0

    def run(self, *args, **kwargs):
        type(self).runs += 1
        return super().run(*args, **kwargs)


def count_runs_of_the_first_launch():
    x, out = np.arange(16, dtype=np.float32), np.zeros(16, np.float32)
    CountingRuns(scale.fn)[(1,)](x, out, 16, 2.0, BLOCK=16)
    assert CountingRuns.runs == 1


def test_overridden_run_is_entered_once_by_the_first_launch_of_a_process():
    assert run_in_process(count_runs_of_the_first_launch) == (None, 0)


FORK_AT_FIRST_LAUNCH = """
import os, sys, threading, time
sys.path.insert(0, {folder!r})
import numpy as np
from kernels import scale
x, out = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
thread = threading.Thread(target=lambda: scale[(4,)](x, out, 64, 2.0, BLOCK=16))
thread.start()
time.sleep({delay})
child = os.fork()
if child == 0:
    mine = np.zeros(64, np.float32)
    scale[(4,)](x, mine, 64, 2.0, BLOCK=16)
    os._exit(0 if (mine == 2 * x).all() else 1)
thread.join()
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status) or int((out != 2 * x).any()))
"""


@pytest.mark.parametrize("delay", [0.002, 0.02, 0.05])
def test_fork_during_the_first_launch_of_another_thread(tmp_path, delay):
    script = FORK_AT_FIRST_LAUNCH.format(folder=os.path.dirname(__file__), delay=delay)
    environment = {**os.environ, "TRITON_CACHE_DIR": str(tmp_path), "PYTHONWARNINGS": "ignore"}
    ended = subprocess.run([sys.executable, "-c", script], env=environment, timeout=60, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr


FIRST_LAUNCH_FAILS = """
import sys, traceback
sys.path.insert(0, {folder!r})
from kernels import scale
try:
    scale[(1,)]("text", 1, 2, 3, BLOCK=16)
except TypeError as error:
    print(*(frame.name for frame in traceback.extract_tb(error.__traceback__)))
"""


def test_traceback_of_a_first_launch_that_fails_ends_at_the_launch():
    script = FIRST_LAUNCH_FAILS.format(folder=os.path.dirname(__file__))
    ended = subprocess.run([sys.executable, "-c", script], timeout=60, capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["<module>"]


@pytest.mark.parametrize("threads", ["abc", "0", "-2", "1.5"])
def test_number_of_threads_that_is_none(threads):
    script = FIRST_LAUNCH_FAILS.replace("except TypeError", "except ValueError").replace("print(", "print(error, ")
    environment = {**os.environ, "TRITON_CPU_NUM_THREADS": threads}
    command = [sys.executable, "-c", script.format(folder=os.path.dirname(__file__))]
    ended = subprocess.run(command, env=environment, timeout=60, capture_output=True, text=True, check=True)
    assert f"TRITON_CPU_NUM_THREADS={threads!r}: expected a number of threads" in ended.stdout
