"""The command itself: names, help, errors, output."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from spec.linked import link_installation
from triton.cli import COMMANDS, build_parser

ROOT = Path(__file__).resolve().parents[4]
PYTHON = ROOT / "python"


def run(*command: str, **options) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(PYTHON), "COLUMNS": "100"}
    return subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, env=environment, check=False, **options
    )


def test_help_lists_every_command(flagtree):
    outcome = flagtree("--help")
    assert outcome.status == 0
    for name in COMMANDS:
        assert f"\n    {name}" in outcome.out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_json(flagtree, name):
    outcome = flagtree(name, "--help")
    assert outcome.status == 0 and "--json" in outcome.out


@pytest.mark.parametrize(
    ("words", "near"),
    [
        (["docter"], "doctor"),
        (["wheel_check", "x.whl"], "wheel-check"),
        (["cache", "prunes"], "prune"),
        (["spec", "drfit"], "drift"),
        (["doctor", "--jsno"], "--json"),
        (["cache", "prune", "--max-sise=3M"], "--max-size"),
    ],
)
def test_misspelt_words_get_the_nearest(flagtree, words, near):
    outcome = flagtree(*words)
    assert outcome.status == 2
    assert f"Did you mean '{near}'?" in outcome.err and outcome.out == ""


def test_options_are_not_abbreviated(flagtree):
    assert flagtree("cache", "size", "--js").status == 2


def test_version(flagtree):
    import triton

    assert flagtree("--version").out.startswith(f"flagtree {triton.__version__}")


def test_it_is_a_module_and_exits_with_the_status():
    done = run("-m", "triton.cli", "cache", "path")
    assert done.returncode == 0 and done.stdout.strip()
    assert run("-m", "triton.cli", "cache", "prune").returncode == 2


def test_importing_triton_does_not_load_it():
    done = run("-c", "import sys, triton; print([m for m in sys.modules if m.startswith(('triton.cli', 'argparse'))])")
    assert done.stdout.strip() == "[]"


def test_one_command_does_not_load_the_others():
    code = "import sys; from triton.cli import main; main(['cache', 'path']); print(sorted(sys.modules))"
    loaded = run("-c", code).stdout
    assert "triton.cli.cache" in loaded
    for name in ("triton.cli.doctor", "triton.cli._wheel", "triton._C.libtriton"):
        assert name not in loaded


@pytest.mark.parametrize(
    "words",
    [
        *(["--help"], ["--version"], ["doctor", "--no-build"], ["doctor", "--no-build", "--json"], ["backends"]),
        *(["spec", "list"], ["spec", "drift", "--help"], ["cache", "path"]),
    ],
    ids=" ".join,
)
def test_a_reader_that_goes_away_is_no_error(words, tmp_path):
    process = subprocess.Popen(
        *([sys.executable, "-m", "triton.cli", *words],),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(PYTHON), "TRITON_CACHE_DIR": str(tmp_path)},
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0


@pytest.mark.parametrize(
    ("redirection", "status", "error"),
    [(">&-", 0, ""), ("> /dev/full", 2, "flagtree: error: No space left on device\n")],
    ids=["closed", "full"],
)
def test_output_that_cannot_be_written(redirection, status, error):
    command = f"{sys.executable} -m triton.cli spec list {redirection}"
    environment = {**os.environ, "PYTHONPATH": str(PYTHON)}
    done = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, text=True, env=environment, check=False)
    assert (done.returncode, done.stderr) == (status, error)


@pytest.mark.parametrize(("text", "level"), [("BACKEND = ", "problem"), ("", "problem")], ids=["no Python", "empty"])
def test_p9_a_damaged_marker_stops_no_examination(tmp_path, text, level):
    """Only what needs the selected backend fails, and says what is wrong."""
    installation = link_installation(tmp_path, "cpu")
    (installation.package / "_flagtree_backend.py").write_text(text)
    code = "import sys\nfrom triton.cli import main\nsys.exit(main(sys.argv[1:]))"
    cache = {"TRITON_CACHE_DIR": str(tmp_path / "cache")}
    done = installation.run(code, "doctor", "--no-build", "--json", **cache)
    assert done.returncode == 1 and done.stderr == ""
    found = {f["subject"]: f for f in json.loads(done.stdout)["sections"]["installation"]}
    assert found["selected"]["level"] == level and "is damaged" in found["selected"]["text"]
    for words in (["backends"], ["cache", "size"]):
        done = installation.run(code, *words, **cache)
        assert done.returncode == 2 and "_flagtree_backend.py, which names the backend" in done.stderr, words
        assert "Traceback" not in done.stderr
    assert installation.run(code, "--help").returncode == 0
    assert "see 'flagtree doctor'" in installation.output(code, "--version")


def test_files_that_cannot_be_written_are_named(flagtree, monkeypatch, checkout):
    """A checkout, or site-packages, that is read-only."""

    def refuse(self, target):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "replace", refuse)
    checkout.overlay("tools/compile.py", "def compile_it(): return 1\n")
    outcome = flagtree("spec", "drift", "--record", "--root", checkout.root)
    assert outcome.status == 2 and outcome.out == ""
    assert "flagtree: error: " in outcome.err and "forks.lock" in outcome.err and "Permission denied" in outcome.err


def test_paths_are_printed_in_any_encoding(tmp_path):
    folder = tmp_path / "k\u00e4rnel"
    own = {"PYTHONPATH": str(PYTHON), "TRITON_CACHE_DIR": str(folder), "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "triton.cli", "cache", "path"]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **own}, check=False)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", f"{tmp_path}/k\\xe4rnel\n")


def test_colours_are_for_terminals(monkeypatch):
    from triton.cli import _output

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert _output.paint("x", _output.OK) == "x"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert _output.paint("x", _output.OK) == "\033[32mx\033[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    assert _output.paint("x", _output.OK) == "x"


@pytest.mark.parametrize(("variable", "coloured"), [("TERM", True), ("NO_COLOR", False)])
def test_a_terminal_gets_colours_and_a_pipe_does_not(variable, coloured):
    command = [sys.executable, "-m", "triton.cli", "spec", "list"]
    environment = {**os.environ, "PYTHONPATH": str(PYTHON), "TERM": "xterm"}
    environment = {name: value for name, value in environment.items() if name != "NO_COLOR"} | {variable: "xterm"}
    terminal, end = pty.openpty()
    with subprocess.Popen(command, stdout=end, env=environment) as process:
        os.close(end)
        printed = b""
        while True:
            try:
                chunk = os.read(terminal, 65536)
            except OSError:  # how Linux says that the other end was closed
                break
            if not chunk:
                break
            printed += chunk
    os.close(terminal)
    assert process.returncode == 0 and (b"\033[" in printed) is coloured
    plain = subprocess.run(command, stdout=subprocess.PIPE, env=environment, check=True).stdout
    assert b"\033" not in plain and plain.splitlines()[0].split()[:2] == [b"kind", b"hook"]


def test_the_documentation_holds_the_current_help(monkeypatch):
    """docs/command-line.md quotes the usage of every command."""
    monkeypatch.setenv("COLUMNS", "100")
    text = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    parser = build_parser()
    subparsers = next(action for action in parser._actions if hasattr(action, "_name_parser_map"))
    for name, command in subparsers._name_parser_map.items():
        assert f"## {name}" in text
        for action in command._actions:
            for word in action.option_strings or action.choices or ():
                if word not in ("-h", "--help"):
                    assert f"`{word}" in text, f"docs/command-line.md does not explain {word} of {name}"
