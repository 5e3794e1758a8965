"""Downloads over HTTP from a server of the test: continued, tried again, and never half a file."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from setup_tools import download as module
from setup_tools.download import download
from setup_tools.errors import BuildError

from .archives import artifact_of, toolchain


class Server:
    """Serves ``content``; the next answers are as ``plan`` says: 'cut' (half of it), a status, or 'no-range'."""

    def __init__(self, content: bytes):
        self.content = content
        self.plan: list[str | int] = []
        self.ranges: list[str | None] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.answer(self)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/files/tools.tar.gz"

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        wanted = request.headers.get("Range")
        self.ranges.append(wanted)
        step = self.plan.pop(0) if self.plan else ""
        if isinstance(step, int):
            request.send_error(step)
            return
        match = re.fullmatch(r"bytes=(\d+)-", wanted or "") if step != "no-range" else None
        start = int(match[1]) if match else 0
        body = self.content[start:]
        request.send_response(206 if match else 200)
        if match:
            request.send_header("Content-Range", f"bytes {start}-{len(self.content) - 1}/{len(self.content)}")
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body[: len(body) // 2] if step == "cut" else body)


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return toolchain(tmp_path / "tools.tar.gz")


@pytest.fixture
def server(archive: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(module.time, "sleep", lambda seconds: None)
    server = Server(archive.read_bytes())
    thread = threading.Thread(target=server.http.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.http.shutdown()
    server.http.server_close()
    thread.join()


def get(server: Server, archive: Path, target: Path) -> None:
    artifact = artifact_of(archive)
    download(server.url, target, artifact.sha256, artifact.size, lambda done, total: None)


def test_a_transfer_that_breaks_off_is_continued(server, archive, tmp_path):
    server.plan = ["cut", "cut"]
    get(server, archive, tmp_path / "target")
    assert (tmp_path / "target").read_bytes() == archive.read_bytes()
    assert server.ranges[0] is None
    starts = [int(text[6:-1]) for text in server.ranges[1:]]
    assert len(starts) == 2 and 0 < starts[0] < starts[1] < len(server.content)


def test_what_arrived_is_kept_for_the_next_call(server, archive, tmp_path):
    server.plan = ["cut"] * 3
    with pytest.raises(BuildError, match="the transfer broke off. Try again: what has arrived is kept"):
        get(server, archive, tmp_path / "target")
    assert not (tmp_path / "target").exists()
    have = (tmp_path / "target.part").stat().st_size
    get(server, archive, tmp_path / "target")
    assert server.ranges[-1] == f"bytes={have}-"
    assert (tmp_path / "target").read_bytes() == archive.read_bytes()
    assert not (tmp_path / "target.part").exists()


def test_a_server_that_cannot_continue_starts_anew(server, archive, tmp_path):
    server.plan = ["cut", "no-range"]
    get(server, archive, tmp_path / "target")
    assert (tmp_path / "target").read_bytes() == archive.read_bytes()


def test_a_wrong_beginning_is_thrown_away_and_fetched_again(server, archive, tmp_path):
    (tmp_path / "target.part").write_bytes(b"x" * 1000)
    get(server, archive, tmp_path / "target")
    assert (tmp_path / "target").read_bytes() == archive.read_bytes()
    assert server.ranges == ["bytes=1000-", None]


def test_passing_trouble_of_the_server_is_waited_out(server, archive, tmp_path):
    server.plan = [503, 429]
    get(server, archive, tmp_path / "target")
    assert (tmp_path / "target").read_bytes() == archive.read_bytes()


def test_a_file_that_is_not_there_is_asked_for_once(server, archive, tmp_path):
    server.plan = [404]
    with pytest.raises(BuildError, match=r"tools\.tar\.gz could not be fetched: the server answers 404"):
        get(server, archive, tmp_path / "target")
    assert len(server.ranges) == 1


def test_a_server_that_sends_something_else_is_not_believed(server, archive, tmp_path):
    server.content = b"<html>please log in</html>" + bytes(len(server.content) - 26)
    with pytest.raises(BuildError, match="is not the file that the manifest describes: its sha256 is"):
        get(server, archive, tmp_path / "target")
    assert [path.name for path in tmp_path.iterdir()] == ["tools.tar.gz"]


def test_an_endless_answer_is_cut(server, archive, tmp_path):
    artifact = artifact_of(archive)
    server.content *= 2
    with pytest.raises(BuildError, match=f"it is longer than {artifact.size} bytes"):
        download(server.url, tmp_path / "target", artifact.sha256, artifact.size, lambda done, total: None)
    assert not (tmp_path / "target.part").exists()


def test_nobody_there(tmp_path, monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(module.time, "sleep", lambda seconds: None)
    with pytest.raises(BuildError, match=r"http://127\.0\.0\.1:9/x could not be fetched: .*refused"):
        download("http://127.0.0.1:9/x", tmp_path / "target", "0" * 64, 1, lambda done, total: None)
