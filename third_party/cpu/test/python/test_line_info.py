"""Lines of the source in compiled kernels, as the tables in the object, gdb, and perf's dump have them."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import triton

LLVM_TOOLS = Path("/usr/lib/llvm-22/bin")
SCRIPT = '''\
import numpy as np
import triton
import triton.language as tl


@triton.jit
def halved(v):
    return tl.exp(v) * 0.5  # line 8


@triton.jit
def lined_kernel(x, out, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + offs, mask=offs < n)  # line 14
    b = halved(a)  # line 15
    tl.store(out + offs, b, mask=offs < n)  # line 16


def launch():
    x = np.ones(100, np.float32)
    return lined_kernel[(1,)](x, x, 100, BLOCK=128)


if __name__ == "__main__":
    launch()
'''

NESTED = '''\
import numpy as np, triton, triton.language as tl


@triton.jit
def inner(v):
    return v * 0.5  # line 6


@triton.jit
def outer(v):
    w = tl.exp(v)  # line 11
    return inner(w)  # line 12


@triton.jit
def nested_kernel(x, out):
    a = tl.load(x + tl.arange(0, 64))
    b = outer(a)  # line 18
    tl.store(out + tl.arange(0, 64), b)  # line 19
    tl.store(out, tl.argmax(b, axis=0).to(tl.float32))  # line 20


def launch():
    x = np.ones(64, np.float32)
    return nested_kernel[(1,)](x, x)
'''


@pytest.fixture
def script(tmp_path) -> Path:
    path = tmp_path / "lined.py"
    path.write_text(SCRIPT)
    return path


def compiled(script: Path) -> triton.compiler.CompiledKernel:
    scope: dict = {"__name__": "lined", "__file__": str(script)}
    sys.modules.pop("lined", None)
    sys.path.insert(0, str(script.parent))
    try:
        import lined

        return lined.launch()
    finally:
        sys.path.remove(str(script.parent))
        sys.modules.pop("lined", None)
        scope.clear()


def line_table(kernel, tmp_path: Path) -> tuple[str, set[int]]:
    """The text of the object's line table, and the lines of its rows."""
    tool = shutil.which("llvm-dwarfdump", path=f"{LLVM_TOOLS}{os.pathsep}{os.environ['PATH']}")
    if tool is None:
        pytest.skip("needs llvm-dwarfdump")
    path = tmp_path / "kernel.o"
    path.write_bytes(kernel.asm["obj"])
    text = subprocess.run([tool, "--debug-line", path], capture_output=True, text=True, check=True).stdout
    return text, {int(row[1]) for row in re.finditer(r"^0x[0-9a-f]{16} +(\d+) ", text, re.MULTILINE)}


def test_the_object_has_the_lines(script, tmp_path):
    text, lines = line_table(compiled(script), tmp_path)
    assert '"lined.py"' in text or "lined.py" in text
    assert {8, 14, 16} <= lines
    assert "lined.py" in compiled(script).asm["llir"]


def test_they_can_be_left_out(script, tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_DISABLE_LINE_INFO", "1")
    triton.knobs.refresh_knobs()
    kernel = compiled(script)
    assert "DISubprogram" not in kernel.asm["llir"] and b".debug_line" not in kernel.asm["obj"]
    monkeypatch.delenv("TRITON_DISABLE_LINE_INFO")
    assert compiled(script).hash != kernel.hash


def run(command: list[str], script: Path, **variables: str) -> subprocess.CompletedProcess:
    paths = os.pathsep.join([str(Path(triton.__file__).parents[1]), str(Path(np.__file__).parents[1])])
    environment = {**os.environ, "PYTHONPATH": paths, **variables}
    return subprocess.run(command, cwd=script.parent, env=environment, capture_output=True, text=True, timeout=120)


def test_gdb_stops_at_a_line(script, tmp_path):
    gdb = shutil.which("gdb")
    if gdb is None:
        pytest.skip("needs gdb")
    commands = ["set breakpoint pending on", "break lined.py:16", "run", "bt 1", "kill"]
    options = [part for command in commands for part in ("-ex", command)]
    done = run([gdb, "-q", "-nx", "-batch", *options, "--args", sys.executable, script.name], script)
    if "ptrace" in done.stderr.lower() and "not permitted" in done.stderr.lower():
        pytest.skip("this system does not let gdb trace")
    assert "hit Breakpoint 1, lined_kernel" in done.stdout, done.stdout + done.stderr
    assert "lined.py:16" in done.stdout and "tl.store(out + offs, b, mask=offs < n)  # line 16" in done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="perf is Linux's")
def test_dump_for_perf(script, tmp_path):
    done = run([sys.executable, script.name], script, TRITON_CPU_PERF="1", JITDUMPDIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
    (dump,) = tmp_path.rglob("jit-*.dump")
    data = dump.read_bytes()
    magic, _, header_size = struct.unpack_from("<III", data)
    assert magic == 0x4A695444
    records, at = {}, header_size
    while at < len(data):
        kind, size = struct.unpack_from("<II", data, at)
        records.setdefault(kind, b"")
        records[kind] += data[at : at + size]
        at += size
    load, debug = 0, 2
    assert b"lined_kernel\0" in records[load] and b"lined.py\0" in records[debug]


def test_nothing_is_dumped_unasked(script, tmp_path):
    assert run([sys.executable, script.name], script, JITDUMPDIR=str(tmp_path)).returncode == 0
    assert not list(tmp_path.rglob("jit-*.dump"))


def test_loading_and_unloading_keeps_the_list_of_objects_whole(script):
    from triton._C.libtriton import cpu

    binary = compiled(script).asm["obj"]
    handles = [cpu.load("lined_kernel", binary)[0] for _ in range(5)]
    for handle in (handles[2], handles[0], handles[4], handles[1], handles[3]):
        cpu.unload(handle)
    cpu.unload(cpu.load("lined_kernel", binary)[0])


def test_inlined_functions_have_names(tmp_path):
    path = tmp_path / "nested.py"
    path.write_text(NESTED)
    spec = importlib.util.spec_from_file_location("nested", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    text = module.launch().asm["llir"]
    names = dict(re.findall(r'^!(\d+) = distinct !DISubprogram\(name: "(\w+)"', text, re.MULTILINE))
    places = {}
    for number, line, scope, call in re.findall(
        r"^!(\d+) = (?:distinct )?!DILocation\(line: (\d+), (?:column: \d+, )?scope: !(\d+)(?:, inlinedAt: !(\d+))?\)",
        text,
        re.MULTILINE,
    ):
        places[number] = (names.get(scope), int(line), call)

    def frames(number):
        frame = []
        while number:
            name, line, number = places[number]
            frame.append((name, line))
        return frame

    found = [frames(number) for number in places]
    assert [("inner", 6), ("outer", 12), ("nested_kernel", 18)] in found
    assert [("outer", 11), ("nested_kernel", 18)] in found
    assert [("nested_kernel", 19)] in found
    of_the_language = [frame for frame in found if frame[-1] == ("nested_kernel", 20) and len(frame) > 1]
    assert of_the_language and all(name for frame in of_the_language for name, _ in frame)
