"""`gnri serve`, as a person starts it."""

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx

from tests.cli.commands import one_line, run
from tests.web.serving import COLUMNS, client, table_text, upload


def test_it_prints_its_address_works_stops_and_leaves_nothing_behind(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "gnri", "serve", "--port", "0", "--no-browser"]
    places = {name: str(tmp_path) for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME")}
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env={**os.environ, **places},
    ) as served:
        assert served.stdout is not None and served.stderr is not None
        line = served.stdout.readline().decode()
        found = re.search(r"http://127\.0\.0\.1:\d+/", line)
        assert found is not None, line
        page = httpx.get(found[0])
        assert page.status_code == 200 and "<h1" in page.text
        _whole_way(found[0])
        served.send_signal(signal.SIGINT)
        assert served.wait(20) in (0, 130, -signal.SIGINT)
        assert served.stderr.read() == b""
    assert list(tmp_path.rglob("*")) == []  # neither the table nor anything else


def _whole_way(address: str) -> None:
    """A table sent, learnt from, reported on and freed."""
    with client(address) as web:
        name = upload(web, table_text()).json()["table"]
        asked = {"table": name, "target": "ill", "columns": COLUMNS}
        assert web.post("/api/induce", json=asked).status_code == 200
        assert web.post("/api/export", json={"table": name, "to": "html"}).status_code == 200
        assert web.delete(f"/api/tables/{name}").status_code == 204


def test_a_port_that_is_taken_is_said_to_be() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"port {port} cannot be used" in one_line(run("serve", "--port", str(port)))


def test_a_port_that_is_none_is_refused() -> None:
    assert "cannot be used" in one_line(run("serve", "--port", "99999999"))
