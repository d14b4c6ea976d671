"""Who may ask, and how much they may send."""

import gc
import http.client
import json
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import urlsplit

import httpx
import psutil
import pytest

from gnri.errors import GnriError
from gnri.web.app import allowed_hosts
from gnri.web.security import HEADERS, STOPPING, Limits
from tests.web.serving import client, half_sent, running, upload

LARGE = 200 * 2**20
PIECE = b"x" * 2**20


@pytest.mark.parametrize("path", ["/", "/js/main.js", "/api/about", "/api/nothing", "/nothing"])
def test_every_answer_has_the_strict_headers(web: httpx.Client, path: str) -> None:
    headers = web.get(path).headers
    assert {name: headers[name] for name in HEADERS} == HEADERS
    assert "access-control-allow-origin" not in headers
    assert "unsafe" not in headers["content-security-policy"]


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1", "", "localhost:1"]
)
def test_a_foreign_host_is_refused(web: httpx.Client, host: str) -> None:
    for path in ("/", "/api/about"):
        response = web.get(path, headers={"host": host})
        assert response.status_code == 400
        assert "use the address" in response.json()["error"]


def test_a_browser_leaves_out_port_80() -> None:
    assert allowed_hosts(80) == {"127.0.0.1:80", "localhost:80", "127.0.0.1", "localhost"}
    assert allowed_hosts(8080) == {"127.0.0.1:8080", "localhost:8080"}


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1"])
def test_another_page_may_not_ask(web: httpx.Client, origin: str) -> None:
    response = web.post("/api/tables", json={"dataset": "iris"}, headers={"origin": origin})
    assert response.status_code == 403


def test_the_own_page_may(web: httpx.Client, address: str) -> None:
    assert web.get("/api/about", headers={"origin": address}).status_code == 200


def test_a_preflight_is_not_answered(web: httpx.Client) -> None:
    response = web.options("/api/induce", headers={"access-control-request-method": "POST"})
    assert response.status_code == 405


def test_a_large_upload_is_refused_by_its_length(web: httpx.Client) -> None:
    headers = {"content-type": "text/csv", "content-length": str(LARGE)}
    response = web.post("/api/tables", content=_pieces(), headers=headers)
    assert response.status_code == 413
    assert "at most 64 MiB" in response.json()["error"]


def test_the_length_alone_is_enough_to_refuse(address: str) -> None:
    place = urlsplit(address)
    with socket.create_connection((place.hostname, place.port), timeout=10) as sent:
        head = (
            f"POST /api/induce HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Length: {LARGE}\r\n\r\n"
        )
        sent.sendall(head.encode())  # and not a byte of the body
        assert b" 413 " in sent.recv(100)


def test_a_large_upload_without_a_length_is_refused_as_it_comes(web: httpx.Client) -> None:
    response = web.post("/api/tables", content=_pieces(), headers={"content-type": "text/csv"})
    assert "content-length" not in response.request.headers
    assert response.status_code == 413


def test_a_client_that_sends_all_before_it_reads_sees_the_refusal(address: str) -> None:
    connection = http.client.HTTPConnection(urlsplit(address).netloc)
    headers = {"content-type": "application/json", "transfer-encoding": "chunked"}
    connection.request("POST", "/api/induce", _pieces(80), headers, encode_chunked=True)
    assert connection.getresponse().status == 413
    connection.close()


def test_a_body_is_counted_before_it_is_read() -> None:
    with running(Limits(body=1000, workers=0)) as address, client(address) as web:
        for size, status in ((1000, 400), (1001, 413)):
            for content in (b"x" * size, iter([b"x"] * size)):  # with a length, and without
                headers = {"content-type": "application/json"}
                sent = web.post("/api/induce", content=content, headers=headers)
                assert sent.status_code == status


def test_json_may_be_smaller_than_a_table() -> None:
    with running(Limits(json=1000, waiting=0, workers=0)) as address, client(address) as web:
        for kind, status in (("application/json", 413), ("text/csv", 503)):
            for content in (b"x" * 1001, iter([b"x"] * 1001)):
                headers = {"content-type": kind}
                sent = web.post("/api/tables", content=content, headers=headers)
                assert sent.status_code == status


def test_all_that_is_being_read_is_counted_together() -> None:
    limits = Limits(body=1000, buffered=1500, workers=0)
    with running(limits) as address, client(address) as web:
        waiting = half_sent(address, 900)
        sent = web.post(
            "/api/induce", content=b"x" * 900, headers={"content-type": "application/json"}
        )
        assert sent.status_code == 503
        assert sent.headers["retry-after"]
        waiting.close()


def test_a_request_that_does_not_come_in_is_given_up() -> None:
    with running(Limits(reading=0.2, workers=0)) as address:
        waiting = half_sent(address, 10)
        assert b"408" in waiting.recv(100)
        waiting.close()


HEAD = "POST /api/induce HTTP/1.1\r\nHost: HOST\r\nContent-Length: 1000\r\n"
REFUSED = HEAD.replace("induce", "nothing")
CHUNKED = HEAD.replace("Content-Length: 1000", "Transfer-Encoding: chunked") + "\r\nno size\r\n"


@pytest.mark.parametrize("sent", ["\0\r\n\r\n", "GET / HTTP/9\r\n\r\n", CHUNKED, ""])
def test_what_is_no_request_and_one_too_many_get_the_headers(sent: str) -> None:
    """The server answers these before the application sees them."""
    with running(Limits(workers=0, connections=len(sent))) as address:
        place = urlsplit(address)
        with socket.create_connection((place.hostname, place.port), timeout=10) as one:
            one.sendall(sent.replace("HOST", place.netloc).encode())
            response = http.client.HTTPResponse(one)
            response.begin()
            expected = (400, None) if sent else (503, "2")
            assert (response.status, response.headers["retry-after"]) == expected
            assert {name: response.headers[name] for name in HEADERS} == HEADERS
            assert list(json.loads(response.read())) == ["error"]


def test_a_broken_request_whose_answer_has_begun_gets_no_second_one(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with running(Limits(workers=0)) as address:
        place = urlsplit(address)
        with socket.create_connection((place.hostname, place.port), timeout=10) as one:
            head, chunk = CHUNKED.replace("induce", "nothing").split("\r\n\r\n")
            one.sendall(f"{head}\r\n\r\n".replace("HOST", place.netloc).encode())
            answer = one.recv(10_000)
            one.sendall(chunk.encode())
            while more := one.recv(10_000):
                answer += more
    assert answer.count(b"HTTP/1.1 ") == answer.count(b"HTTP/1.1 404 ") == 1
    assert not [line for line in caplog.records if line.exc_info]


@pytest.mark.parametrize(
    "sent",
    [
        "",
        HEAD,
        "GET /api/about HTTP/1.1\r\nHost: HOST\r\n\r\n",  # and then nothing
        "GET /api/about HTTP/1.1\r\nHost: HOST\r\n\r\nGET",
        f"{REFUSED}Content-Type: application/json\r\n\r\n[",
        "GET /index.html HTTP/1.1\r\nHost: HOST\r\n\r\n" * 3_000,  # and not a reply is read
    ],
)
def test_a_connection_that_does_nothing_is_closed(sent: str) -> None:
    limits = Limits(workers=0, header=0.5, reading=0.5, draining=0.5, writing=0.5)
    with running(limits) as address:
        place = urlsplit(address)
        with socket.create_connection((place.hostname, place.port)) as one:
            one.setblocking(False)
            with suppress(BlockingIOError):
                one.send(sent.replace("HOST", place.netloc).encode())
            end, held = time.monotonic() + 30, False
            while True:
                here, there = ends(one)
                if not here or (held and not there):
                    break
                held = there  # from when the server has accepted it
                assert time.monotonic() < end, "still open"
                time.sleep(0.05)
                if sent.startswith(REFUSED):
                    with suppress(OSError):
                        one.send(b" ")


def ends(one: socket.socket) -> tuple[bool, bool]:
    """Whether a connection is open here, and whether the server, in this process, still holds it.

    One that is closed while replies wait to be read still looks open here.
    """
    found, mine = psutil.Process().net_connections("tcp4"), one.getsockname()
    here = (end.status == psutil.CONN_ESTABLISHED for end in found if tuple(end.laddr) == mine)
    return any(here), any(tuple(end.raddr) == mine for end in found)


def test_there_may_be_so_many_connections_and_no_more() -> None:
    with running(Limits(workers=0, connections=3)) as address, client(address) as web:
        held = [half_sent(address, 10) for _ in range(3)]
        refused = web.get("/api/about")
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "2")
        for one in held:
            one.close()
        while web.get("/api/about").status_code != 200:
            time.sleep(0.05)


def test_a_refused_request_is_freed_at_once() -> None:
    """An error that refers to itself would keep the table until the garbage is collected."""
    with running(Limits(workers=1)) as address, client(address) as web:
        upload(web, "a,b\n1,2\n")
        gc.collect()
        gc.disable()
        try:
            for body in ("a,b\n1,2,3\n", ""):
                assert upload(web, body).status_code == 422
            end = time.monotonic() + 10
            while any(
                isinstance(one, GnriError) and one is not STOPPING for one in gc.get_objects()
            ):
                assert time.monotonic() < end, "kept"
                time.sleep(0.05)
        finally:
            gc.enable()


def _pieces(count: int = LARGE // len(PIECE)) -> Iterator[bytes]:
    for _ in range(count):
        yield PIECE
