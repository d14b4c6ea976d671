"""`gnri serve`, as a person starts it."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.cli.commands import one_line, run
from tests.web.serving import COLUMNS, client, half_sent, table_text, upload


@contextmanager
def served(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """`gnri serve` in its own process, and its address."""
    command = [sys.executable, "-m", "gnri", "serve", "--port", "0", "--no-browser"]
    places = {name: str(folder) for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME")}
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env={**os.environ, **places},
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline().decode()
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        assert found is not None, line
        try:
            yield process, found[0]
        finally:
            process.kill()


def test_it_prints_its_address_works_stops_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with served(tmp_path) as (process, address):
        page = httpx.get(address)
        assert page.status_code == 200 and "<h1" in page.text
        _whole_way(address)
        _stops_in_silence(process, signal.SIGINT)
    assert list(tmp_path.rglob("*")) == []  # neither the table nor anything else


def _stops_in_silence(process: subprocess.Popen[bytes], how: signal.Signals) -> None:
    process.send_signal(how)
    assert process.wait(20) in (0, 128 + how, -how)
    assert process.stderr is not None
    assert process.stderr.read() == b""


def _whole_way(address: str) -> None:
    """A table sent, learnt from, reported on and freed."""
    with client(address) as web:
        name = upload(web, table_text()).json()["table"]
        asked = {"table": name, "target": "ill", "columns": COLUMNS}
        assert web.post("/api/induce", json=asked).status_code == 200
        assert web.post("/api/export", json={"table": name, "format": "html"}).status_code == 200
        assert web.delete(f"/api/tables/{name}").status_code == 204


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_who_waits_is_told_when_it_stops_and_nothing_else_is_said(
    how: signal.Signals, tmp_path: Path
) -> None:
    with served(tmp_path) as (process, address), client(address) as web:
        half_sent(address, 10).close()  # hung up in the middle, of which nobody need hear
        table = web.post("/api/tables", json={"dataset": "digits"}).json()["table"]
        web.post("/api/induce", json={"table": table, "target": "class", "form": "dnf"})
        asked, by_lines = {"table": table}, {"accept": "application/x-ndjson"}
        whole = http.client.HTTPConnection(urlsplit(address).netloc)
        kind = {"content-type": "application/json"}
        whole.request("POST", "/api/compare", json.dumps(asked), kind)
        waiting = half_sent(address, 10)
        with web.stream("POST", "/api/compare", json=asked, headers=by_lines) as response:
            lines = response.iter_lines()
            assert "progress" in next(lines)
            _stops_in_silence(process, how)
            assert json.loads(list(lines)[-1])["status"] == 503
        assert whole.getresponse().status == 503
        whole.close()
        assert b"503" in waiting.recv(100)
        waiting.close()


def test_a_port_that_is_taken_is_said_to_be() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"port {port} cannot be used" in one_line(run("serve", "--port", str(port)))


def test_a_port_that_is_none_is_refused() -> None:
    assert "cannot be used" in one_line(run("serve", "--port", "99999999"))
