"""A server in a thread, and tables to ask it about."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any
from urllib.parse import urlsplit

import httpx

from gnri.web.app import listen, make_app
from gnri.web.security import Limits
from gnri.web.server import Server


@contextmanager
def running(limits: Limits) -> Iterator[str]:
    """The address of a server with these limits."""
    listening = listen(0)
    host = f"127.0.0.1:{listening.getsockname()[1]}"
    server = Server(make_app(frozenset({host}), limits), limits)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield f"http://{host}"
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


def client(address: str) -> httpx.Client:
    return httpx.Client(base_url=address, timeout=120)


def upload(web: httpx.Client, text: str, name: str = "pets.csv") -> httpx.Response:
    headers = {"content-type": "text/csv"}
    return web.post("/api/tables", params={"name": name}, content=text.encode(), headers=headers)


def ask(web: httpx.Client, path: str, status: int = 200, **body: Any) -> Any:
    """The answer of an endpoint, which must have this status."""
    answer = web.post(f"/api/{path}", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


def half_sent(address: str, size: int) -> socket.socket:
    """A connection on which a request has come in but for its last byte."""
    place = urlsplit(address)
    found = socket.create_connection((place.hostname, place.port))
    head = (
        f"POST /api/induce HTTP/1.1\r\nHost: {place.netloc}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {size + 1}\r\n\r\n"
    )
    found.sendall(head.encode() + b"x" * size)
    return found


def table_text(rows: int = 120, seed: int = 0) -> str:
    """Ill if old and a smoker, or if the dose is b; now and then a missing cell, and a label that
    is wrong.
    """
    random = Random(seed)
    lines = ["age,smoker,dose,id,ill"]
    for row in range(rows):
        age, smoker, dose = random.randint(20, 80), random.random() < 0.5, random.choice("abcd")
        ill = ((age > 50 and smoker) or dose == "b") != (random.random() < 0.03)
        cell = "" if random.random() < 0.04 else str(age)
        lines.append(f"{cell},{str(smoker).lower()},{dose},p{row},{'yes' if ill else 'no'}")
    return "\n".join(lines) + "\n"


COLUMNS = {"id": {"kind": "leave out"}}
"""What has to be said of `table_text` before there is a rule: one column is an identifier."""
