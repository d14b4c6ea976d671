"""`gnri serve`, as a person starts it."""

import re
import signal
import socket
import subprocess
import sys

import httpx

from tests.cli.commands import one_line, run


def test_it_prints_its_address_serves_the_page_and_stops() -> None:
    command = [sys.executable, "-m", "gnri", "serve", "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as served:
        assert served.stdout is not None and served.stderr is not None
        line = served.stdout.readline().decode()
        found = re.search(r"http://127\.0\.0\.1:\d+/", line)
        assert found is not None, line
        page = httpx.get(found[0])
        assert page.status_code == 200 and "<h1" in page.text
        served.send_signal(signal.SIGINT)
        assert served.wait(20) in (0, 130, -signal.SIGINT)
        assert b"Traceback" not in served.stderr.read()


def test_a_port_that_is_taken_is_said_to_be() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"port {port} cannot be used" in one_line(run("serve", "--port", str(port)))


def test_a_port_that_is_none_is_refused() -> None:
    assert "cannot be used" in one_line(run("serve", "--port", "99999999"))
