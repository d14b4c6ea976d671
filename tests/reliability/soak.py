"""Fifty clients of every kind ask `gnri serve` while its workers are killed, on this machine alone.

    python -m tests.reliability.soak --minutes 15

Prints what was measured, and ends with 1 if a limit does not hold. Runs shorter than five minutes
have looser limits, for a busy machine.
"""

import argparse
import asyncio
import itertools
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from statistics import median
from typing import Any
from urllib.parse import urlsplit

import httpx
import psutil

from tests.reliability.attacks import large_table, served
from tests.web.serving import COLUMNS, table_text

KILL_EVERY = 20.0
ALLOWED = {200, 204, 400, 403, 404, 405, 408, 409, 413, 415, 422, 503, 504}


@dataclass
class Soak:
    """A run: the server, when it ends, and what was seen."""

    address: str
    process: psutil.Process
    end: float
    statuses: Counter[int] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)
    cheap: list[float] = field(default_factory=list)
    kills: int = 0
    lost: float = 0.0  # the longest time until a worker that ended was replaced
    memory: list[int] = field(default_factory=list)  # of the server, in MiB, five times a second

    async def ask(self, web: httpx.AsyncClient, method: str, path: str, **more: Any) -> Any:
        """Return the answer of a client that behaves, or None if the connection broke."""
        began = time.monotonic()
        try:
            found = await web.request(method, path, **more)
        except httpx.HTTPError as error:
            self.broken[type(error).__name__] += 1
            return None
        self.statuses[found.status_code] += 1
        if method == "GET":
            self.cheap.append(time.monotonic() - began)
        return found

    async def post(self, web: httpx.AsyncClient, path: str, **body: Any) -> Any:
        return await self.ask(web, "POST", f"/api/{path}", json=body)


Client = Callable[[Soak, httpx.AsyncClient, random.Random], Awaitable[None]]


async def send_table(soak: Soak, web: httpx.AsyncClient, text: str) -> str | None:
    headers = {"content-type": "text/csv"}
    found = await soak.ask(web, "POST", "/api/tables", content=text, headers=headers)
    return found.json()["table"] if found is not None and found.status_code == 200 else None


async def look(soak: Soak, web: httpx.AsyncClient, chance: random.Random) -> None:
    """Ask for what needs no worker."""
    paths = "/", "/js/main.js", "/css/base.css", "/api/about", "/api/openapi.json", "/nothing"
    await soak.ask(web, "GET", chance.choice(paths))


async def work(soak: Soak, web: httpx.AsyncClient, chance: random.Random) -> None:
    """Send a table, and ask for all that can be asked of it."""
    table = await send_table(soak, web, table_text(200, seed=chance.randrange(5)))
    if table is None:
        return
    learnt = await soak.post(web, "induce", table=table, target="ill", columns=COLUMNS)
    if learnt is None or learnt.status_code != 200:
        return
    saved = await soak.post(web, "export", table=table, format="json")
    requests: list[tuple[str, dict[str, Any]]] = [
        ("score", {"table": table, "rules": [one["document"] for one in learnt.json()["rules"]]}),
        ("edits", {"table": table, "rule": 0, "clause": 0, "literal": 0}),
        ("explain", {"table": table, "row": chance.randrange(200)}),
        ("playground", {"table": table, "change": "everything"}),
        *(("export", {"table": table, "format": form}) for form in ("text", "sql", "html")),
    ]
    if saved is not None and saved.status_code == 200:
        rule_list = json.loads(saved.json()["content"])
        rows = {"rule_list": rule_list, "csv": table_text(50)}
        requests += [("predict", rows), ("explain", rows)]
    for path, body in chance.sample(requests, len(requests)):
        await soak.post(web, path, **body)
        await asyncio.sleep(chance.random())
    await soak.ask(web, "DELETE", f"/api/tables/{table}")


async def work_long(soak: Soak, web: httpx.AsyncClient, chance: random.Random) -> None:
    """Ask for the long jobs."""
    table = await send_table(soak, web, large_table(3_000, 6))
    if table is not None:
        await soak.post(web, "induce", table=table, target="y")
        await soak.post(web, chance.choice(["compare", "audit"]), table=table)


async def err(soak: Soak, web: httpx.AsyncClient, chance: random.Random) -> None:
    """Send what is refused."""
    kind = {"content-type": chance.choice(["application/json", "text/csv", "text/plain"])}
    bodies = b"", b"[" * 1_000, b"a,a\n1,2\n", b"\0" * 100, b"x" * (9 * 2**20), b'{"table": 1}'
    path = chance.choice(["/api/tables", "/api/induce", "/api/score", "/api/nothing"])
    await soak.ask(web, "POST", path, content=chance.choice(bodies), headers=kind)
    await soak.ask(web, "GET", "/api/about", headers={"host": "evil.example"})


async def hang_up(soak: Soak, _: httpx.AsyncClient, chance: random.Random) -> None:
    """Ask for a job, and close the connection before it is done."""
    body = {"csv": table_text(2_000), "target": "ill", "columns": COLUMNS}
    await _raw(soak, "/api/induce", json.dumps(body).encode(), chance.random())


async def send_slowly(soak: Soak, _: httpx.AsyncClient, chance: random.Random) -> None:
    """Send nothing, half a header or half a body; or a body in small pieces."""
    kind = chance.randrange(4)
    body = json.dumps({"csv": table_text(100), "target": "ill", "columns": COLUMNS}).encode()
    if kind < 3:
        await _raw(soak, "/api/induce", body, chance.uniform(1, 15), cut=(0, 30, 300)[kind])
    else:
        await _raw(soak, "/api/induce", body, 2.0, pause=0.05)


async def read_slowly(soak: Soak, web: httpx.AsyncClient, chance: random.Random) -> None:
    """Ask for a large answer, and read none of it."""
    table = await send_table(soak, web, large_table(20_000, 2))
    if table is not None:
        await soak.post(web, "induce", table=table, target="y")
        body = json.dumps({"table": table}).encode()
        await _raw(soak, "/api/score", body, chance.uniform(1, 20))


async def _raw(
    soak: Soak, path: str, body: bytes, wait: float, *, cut: int | None = None, pause: float = 0.0
) -> None:
    """Send a request, or its first bytes, wait and hang up without a look at the answer."""
    place = urlsplit(soak.address)
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode()
    with suppress(OSError):
        _, writer = await asyncio.open_connection(place.hostname, place.port, limit=1_024)
        with suppress(OSError):
            data = (head + body)[:cut]
            size = 500 if pause else len(data) + 1
            for start in range(0, len(data), size):
                writer.write(data[start : start + size])
                await writer.drain()
                await asyncio.sleep(pause)
            await asyncio.sleep(min(wait, max(0.0, soak.end - time.monotonic())))
        writer.transport.abort()


CLIENTS: list[tuple[int, float, Client]] = [  # how many, and the pause of each between requests
    *((12, 0.5, look), (14, 2.0, work), (3, 5.0, work_long), (6, 0.5, err)),
    *((6, 2.0, hang_up), (6, 1.0, send_slowly), (3, 2.0, read_slowly)),
]


async def repeat(soak: Soak, client: Client, pause: float, seed: int) -> None:
    """Be one client until the end."""
    chance = random.Random(seed)
    async with httpx.AsyncClient(base_url=soak.address, timeout=300) as web:
        while time.monotonic() < soak.end:
            await asyncio.sleep(chance.uniform(0.5, 1.5) * pause)
            await client(soak, web, chance)


async def kill_workers(soak: Soak) -> None:
    """Kill a random worker every 20 seconds."""
    chance = random.Random(0)
    while (left := soak.end - time.monotonic()) > KILL_EVERY / 2:
        await asyncio.sleep(min(KILL_EVERY, left / 2))
        with suppress(psutil.Error, IndexError):
            chance.choice(soak.process.children()).kill()
            soak.kills += 1


async def watch(soak: Soak) -> None:
    """Watch how many workers are ready, and the memory of the server."""
    ended: list[float] = []  # when each worker that is not ready ended, the first one first
    async with httpx.AsyncClient(base_url=soak.address, timeout=300) as web:
        while (now := time.monotonic()) < soak.end:
            about = await soak.ask(web, "GET", "/api/about")
            if about is not None and about.status_code == 200:
                missing = about.json()["limits"]["workers"] - about.json()["ready"]
                ended = ended[max(0, len(ended) - missing) :]
                ended += [now] * (missing - len(ended))
                soak.lost = max([soak.lost, *(now - when for when in ended[:1])])
            soak.memory.append(soak.process.memory_info().rss // 2**20)
            await asyncio.sleep(0.2)


async def run(minutes: float, address: str, process: psutil.Process) -> Soak:
    """Return what was seen of a server in so many minutes."""
    async with httpx.AsyncClient(base_url=address) as web:
        while (await web.get("/api/about")).json()["ready"] < 2:
            await asyncio.sleep(0.1)
    soak = Soak(address, process, time.monotonic() + 60 * minutes)
    clients = [(client, pause) for count, pause, client in CLIENTS for _ in range(count)]
    await asyncio.gather(
        *(repeat(soak, *one, seed) for one, seed in zip(clients, itertools.count())),
        kill_workers(soak),
        watch(soak),
    )
    return soak


def judge(soak: Soak, minutes: float) -> bool:
    """Print the figures; return whether every limit holds.

    The memory changes with each upload, so medians of half a minute are compared.
    """
    cheap = sorted(soak.cheap)
    late = cheap[int(0.99 * len(cheap))]
    minute = int(len(soak.memory) / max(minutes, 2))
    before = median(soak.memory[minute : minute + minute // 2])
    after = median(soak.memory[-minute // 2 :])
    most_lost, most_late, most_growth = (30.0, 10.0, 2.0) if minutes < 5 else (5.0, 1.0, 1.2)
    strange = {status: n for status, n in soak.statuses.items() if status not in ALLOWED}
    print(f"{sum(soak.statuses.values())} answers {dict(sorted(soak.statuses.items()))}")
    print(f"connections of patient clients that broke: {dict(soak.broken)}")
    checks = {
        f"answers with status 500 or another that none should have: {strange}": not strange,
        f"{soak.kills} workers killed; replaced within {soak.lost:.1f} s": soak.lost <= most_lost,
        f"{len(cheap)} cheap requests: median {cheap[len(cheap) // 2] * 1000:.0f} ms, 99 % within "
        f"{late * 1000:.0f} ms, slowest {cheap[-1]:.2f} s": late <= most_late,
        f"memory of the server {before:.0f} MiB after one minute, {after:.0f} MiB at the end, "
        f"{after / before:.2f} times": after <= most_growth * before,
    }
    for words, holds in checks.items():
        print(f"{'ok  ' if holds else 'FAIL'} {words}")
    return all(checks.values())


def main() -> None:
    """Run it and exit with 1 if a limit does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=15.0)
    minutes = parser.parse_args().minutes
    with served() as (process, address, log):
        soak = asyncio.run(run(minutes, address, process))
        held = judge(soak, minutes)
        text = log.read_text()
        print(f"the server wrote {len(text)} characters: {text[:2_000]}")
    sys.exit(not held)


if __name__ == "__main__":
    main()
