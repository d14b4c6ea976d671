"""Attacks on `gnri serve`, on this machine alone, each with the figure that it is about.

    python -m tests.reliability.attacks [name ...]

Every attack starts a server of its own, and ends by itself.
"""

import http.client
import json
import os
import random
import re
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import psutil

from tests.web.serving import COLUMNS, client, half_sent, table_text, upload

HELD = 75.0  # seconds after which no connection of an attack may be open
MIB = 2**20


@contextmanager
def served(files: int = 0) -> Iterator[tuple[psutil.Process, str, Path]]:
    """`gnri serve` with at most so many open files, its address, and what it wrote."""
    command = [sys.executable, "-m", "gnri", "serve", "--port", "0", "--no-browser"]
    limit = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))) if files else None
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with (
            log.open("wb") as errors,
            subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=errors, preexec_fn=limit
            ) as process,
        ):
            assert process.stdout is not None
            found = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline().decode())
            assert found is not None
            try:
                yield psutil.Process(process.pid), found[0], log
            finally:
                process.kill()


def kill_while_starting() -> str:
    """Kill both workers 0.3 s after the start, then send a table."""
    with served() as (server, address, log), client(address) as web:
        time.sleep(0.3)
        for worker in server.children():
            worker.kill()
        time.sleep(0.05)
        first, seconds = _timed(lambda: upload(web, table_text()).status_code)
        time.sleep(5)
        second = upload(web, table_text()).status_code
        return f"{first} after {seconds:.2f} s, {second} 5 s later; log {log.stat().st_size} B"


def use_up_files() -> str:
    """With 256 open files at most: two jobs and 400 half-open connections, then a table."""
    with served(files=256) as (_, address, log), client(address) as web:
        name = upload(web, large_table(20_000, 10)).json()["table"]
        asked = {"table": name, "target": "y"}
        web.post("/api/induce", json=asked)
        for _ in range(2):
            _send_and_forget(address, "/api/compare", asked["table"])
        held = [one for one in (_try(lambda: half_sent(address, 10)) for _ in range(400)) if one]
        time.sleep(3)
        for one in held:
            one.close()
        time.sleep(5)
        status, seconds = _timed(lambda: upload(web, table_text()).status_code)
        return f"{status} after {seconds:.2f} s; log {log.stat().st_size} B"


def hold_connections() -> str:
    """120 connections: silent, half a header, trickling after a refusal, replies never read."""
    with served() as (_, address, _), client(address) as web:
        name = upload(web, large_table(100_000, 3)).json()["table"]
        web.post("/api/induce", json={"table": name, "target": "y"})
        place = urlsplit(address)
        held: dict[str, list[socket.socket]] = {}
        head = f"Host: {place.netloc}\r\nContent-Type: application/json\r\n"
        body = json.dumps({"table": name})
        starts = {
            "silent": "",
            "half a header": "POST /api/induce HTTP/1.1\r\nHo",
            "trickle": f"POST /api/induce HTTP/1.1\r\n{head}Content-Length: 99999999\r\n\r\n",
            "unread": "".join(
                f"POST /api/score HTTP/1.1\r\n{head}Content-Length: {len(body)}\r\n\r\n{body}"
                for _ in range(9)
            ),
        }
        began = time.monotonic()
        for kind, start in starts.items():
            for _ in range(30):
                one = socket.socket()
                one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                one.connect((place.hostname, place.port))
                one.sendall(start.encode())
                one.setblocking(False)
                held.setdefault(kind, []).append(one)
        while time.monotonic() - began < HELD and any(held.values()):
            time.sleep(1)
            for one in held["trickle"]:
                with suppress(OSError):
                    one.send(b"x")
            open_now = _open_ports(place.port or 0)
            for kind, ones in held.items():
                before = len(ones)
                ones[:] = [one for one in ones if one.getsockname()[1] in open_now]
                if before and not ones:
                    print(f"  {kind}: all closed after {time.monotonic() - began:.0f} s")
        return ", ".join(f"{kind}: {len(ones)} open" for kind, ones in held.items())


def hang_up() -> str:
    """40 clients score 240 clauses on 200,000 rows and hang up, then an ordinary request."""
    with served() as (_, address, _), client(address) as web:
        name = upload(web, large_table(200_000, 8)).json()["table"]
        view = web.post("/api/induce", json={"table": name, "target": "y"}).json()
        atoms, chance = view["questions"], random.Random(0)
        clauses = [
            [[atom, chance.random() < 0.5] for atom in chance.sample(range(atoms), 4)]
            for _ in range(240)
        ]
        rules = [{"positive": True, "clauses": clauses} for _ in view["rules"]]
        for _ in range(40):
            _send_and_forget(address, "/api/score", name, rules=rules)
        time.sleep(0.5)
        body = {"csv": table_text(), "target": "ill", "columns": COLUMNS}
        status, seconds = _timed(lambda: web.post("/api/induce", json=body).status_code)
        return f"{status} after {seconds:.1f} s"


def many_thresholds() -> str:
    """10,000 thresholds on 200,000 rows."""
    with served() as (server, address, _), client(address) as web:
        name = upload(web, large_table(200_000, 2)).json()["table"]
        columns = {"x0": {"thresholds": [i / 10_000 for i in range(10_000)]}}
        peak = _Peak(server)
        status = web.post(
            "/api/induce", json={"table": name, "target": "y", "columns": columns}
        ).status_code
        return f"{status}; the largest process had {peak.stop() / MIB:.0f} MiB"


def refused_uploads() -> str:
    """Ten uploads of 63 MiB that are refused."""
    data = b"a,b\n" + b"1,2\n" * (63 * MIB // 4 - 2) + b"1,2,3\n"
    with served() as (server, address, _), client(address) as web:
        upload(web, table_text())
        before = server.memory_info().rss
        for _ in range(10):
            _post(web, data)
        time.sleep(1)
        return f"the server has {(server.memory_info().rss - before) / MIB:.0f} MiB more"


def compare_large() -> str:
    """Compare the learners on 50,000 rows of 30 columns."""
    with served() as (_, address, _), client(address) as web:
        name = upload(web, large_table(50_000, 30)).json()["table"]
        web.post("/api/induce", json={"table": name, "target": "y"})
        found, seconds = _timed(lambda: web.post("/api/compare", json={"table": name}, timeout=200))
        return f"{found.status_code} after {seconds:.0f} s: {str(found.json())[:160]}"


def large_table(rows: int, columns: int) -> str:
    """Numbers of two digits; the label depends on two columns, with 5 % noise."""
    chance = random.Random(rows + columns)
    lines = [",".join([*(f"x{i}" for i in range(columns)), "y"])]
    for _ in range(rows):
        cells = [f"{chance.random():.2f}"[1:] for _ in range(columns)]
        label = (cells[0] > ".5" and cells[-1] < ".7") != (chance.random() < 0.05)
        lines.append(",".join([*cells, "ab"[label]]))
    return "\n".join(lines)


class _Peak:
    """The most memory that a process of the server had."""

    def __init__(self, server: psutil.Process) -> None:
        self.most, self.server, self.ended = 0, server, threading.Event()
        self.thread = threading.Thread(target=self._watch)
        self.thread.start()

    def _watch(self) -> None:
        while not self.ended.wait(0.05):
            for process in [self.server, *self.server.children()]:
                with suppress(psutil.Error):
                    self.most = max(self.most, process.memory_info().rss)

    def stop(self) -> int:
        self.ended.set()
        self.thread.join()
        return self.most


def _post(web: httpx.Client, data: bytes) -> int:
    return web.post("/api/tables", content=data, headers={"content-type": "text/csv"}).status_code


def _timed(work: Callable[[], object]) -> tuple[object, float]:
    began = time.monotonic()
    return work(), time.monotonic() - began


def _try(work: Callable[[], socket.socket]) -> socket.socket | None:
    try:
        return work()
    except OSError:
        return None


def _send_and_forget(address: str, path: str, table: str, **more: object) -> None:
    """Send a request and hang up, half a second later."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc)
    kind = {"content-type": "application/json"}
    connection.request("POST", path, json.dumps({"table": table, **more}), kind)
    threading.Timer(0.5, connection.close).start()


def _open_ports(port: int) -> set[int]:
    """The ports of connections that the server has open, from its own side."""
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    cells = [line.split() for line in lines]
    ends = [(cell[1].split(":")[1], cell[2].split(":")[1], cell[3]) for cell in cells]
    return {
        int(there, 16) for here, there, state in ends if int(here, 16) == port and state == "01"
    }


ATTACKS = (
    *(kill_while_starting, use_up_files, hold_connections, hang_up, many_thresholds),
    *(refused_uploads, compare_large),
)


def main() -> None:
    """Run the attacks that are named, or all."""
    for attack in ATTACKS:
        if attack.__name__ in (sys.argv[1:] or [one.__name__ for one in ATTACKS]):
            print(f"{attack.__doc__}\n  {attack()}", flush=True)


if __name__ == "__main__":
    os.environ["PYTHONUNBUFFERED"] = "1"
    main()
