"""Jobs are stopped when they are to be, and what they held is gone with them."""

import asyncio
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import psutil
import pytest

from gnri.errors import GnriError
from gnri.web import worker_pool
from gnri.web.security import Limits, Refusal
from gnri.web.table_store import TableStore
from gnri.web.table_view import read_upload
from gnri.web.worker_pool import WorkerPool
from tests.web.serving import table_text

LIMITS = Limits(workers=1, waiting=1)
DATA = table_text(60).encode()


def test_a_job_that_is_cancelled_or_too_long_has_its_process_killed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asyncio.run(_stopped(monkeypatch))


async def _stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = WorkerPool(LIMITS)
    pool.start()
    table, found = await pool.run("describe_upload", DATA, "pets.csv", LIMITS)
    assert (table.rows, found["target"]) == (60, "ill")
    with pytest.raises(GnriError, match="is empty"):
        await pool.run("describe_upload", b"", "pets.csv", LIMITS)

    first = await _idle(pool)
    steps: list[float] = []
    endless = ("describe_upload", None, "digits", LIMITS)
    monkeypatch.setattr(worker_pool, "GRACE", 0.0)
    task = asyncio.create_task(pool.run(*endless, progress=lambda s, _: steps.append(s)))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(first.process.wait(), 10)

    await pool.run("describe_upload", DATA, "pets.csv", LIMITS)  # a new process has come
    second = await _idle(pool)
    assert second is not first
    pool.limits = replace(LIMITS, seconds=0.01)
    with pytest.raises(Refusal, match=r"longer than 0.01 seconds") as refused:
        await pool.run(*endless)
    assert refused.value.status == 504
    assert "command" not in refused.value.message  # there is none for every job
    await asyncio.wait_for(second.process.wait(), 10)
    third = await _idle(pool)
    await pool.stop()
    assert third.process.returncode is not None


async def _idle(pool: WorkerPool) -> Any:
    """The one process, once it is free."""
    worker = await pool._free.get()
    pool._free.put_nowait(worker)
    return worker


def test_a_process_that_ends_while_it_is_idle_is_replaced() -> None:
    asyncio.run(_ended())


async def _ended() -> None:
    pool = WorkerPool(LIMITS)
    pool.start()
    for _ in range(2):
        while (idle := await _idle(pool)).process.returncode is not None:
            pass  # it was killed before
        idle.kill()
        await _until(lambda: not pool.ready)
        await _until(lambda: pool.ready)  # nobody had to ask
    table, _ = await pool.run("describe_upload", DATA, "pets.csv", LIMITS)
    assert table.rows == 60
    await pool.stop()


async def _until(true: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not true():
            await asyncio.sleep(0.01)


def test_a_process_that_is_killed_while_it_starts_is_started_again() -> None:
    async def start_and_kill() -> None:
        others, this = psutil.Process().children(), psutil.Process()
        pool = WorkerPool(replace(LIMITS, workers=2, seconds=60))
        pool.start()
        await _until(lambda: len(this.children()) == len(others) + 2)
        for process in this.children():
            if process not in others:
                process.kill()
        await _until(lambda: pool.ready == 2)
        await pool.run("describe_upload", DATA, "pets.csv", LIMITS)
        await pool.stop()

    asyncio.run(start_and_kill())


def test_where_no_process_starts_jobs_are_refused_at_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")

    async def ask() -> None:
        pool = WorkerPool(replace(LIMITS, seconds=1e9))
        pool.start()
        for _ in range(2):  # the first waits until the start has failed, the second does not
            with pytest.raises(Refusal, match="no worker process runs") as refused:
                await pool.run("describe_upload", DATA, "pets.csv", LIMITS)
            assert (refused.value.status, pool.ready) == (503, 0)
        await pool.stop()

    asyncio.run(ask())
    assert len(caplog.records) == 1 and "No such file" in caplog.text


def test_a_job_whose_process_is_killed_is_run_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    do, kills = worker_pool._Worker.do, iter([True, False, True, True])

    async def kill_and_do(worker: Any, *job: Any) -> Any:
        if next(kills):
            worker.kill()
            await worker.process.wait()
        return await do(worker, *job)

    async def run_and_kill() -> None:
        pool = WorkerPool(LIMITS)
        pool.start()
        job = ("describe_upload", DATA, "pets.csv", LIMITS)
        assert (await pool.run(*job))[0].rows == 60
        with pytest.raises(Refusal, match="ended twice") as refused:
            await pool.run(*job)
        assert refused.value.status == 503
        await pool.stop()

    monkeypatch.setattr(worker_pool._Worker, "do", kill_and_do)
    asyncio.run(run_and_kill())


def test_a_job_that_takes_too_much_memory_is_refused_in_one_line() -> None:
    async def run() -> None:
        limits = replace(LIMITS, memory=400 * 2**20)
        pool = WorkerPool(limits)
        pool.start()
        data = b"a,b\n" + b"1,2\n" * 15_000_000
        with pytest.raises(Refusal, match="needs too much memory") as refused:
            await pool.run("describe_upload", data, "pets.csv", replace(limits, rows=10**9))
        assert refused.value.status == 422
        await pool.stop()

    asyncio.run(run())


def test_more_jobs_than_may_wait_are_refused_at_once() -> None:
    asyncio.run(_refused())


async def _refused() -> None:
    pool = WorkerPool(Limits(workers=0, waiting=1, seconds=0.2))
    waiting = asyncio.create_task(pool.run("learn"))
    await asyncio.sleep(0)
    with pytest.raises(Refusal, match="1 are waiting") as refused:
        await pool.run("learn")
    assert refused.value.status == 503
    with pytest.raises(Refusal, match="no worker was free"):
        await waiting


def test_tables_are_freed_when_idle_and_when_there_are_too_many() -> None:
    now = 0.0
    store = TableStore(Limits(tables=2, idle=100), clock=lambda: now)
    table: Any = read_upload(DATA, "pets.csv", LIMITS)
    first, second = store.add(table), store.add(table)
    store.get(first)
    third = store.add(table)  # the second was used longest ago
    with pytest.raises(Refusal, match="send it again"):
        store.get(second)
    now = 90.0
    store.get(first)
    now = 120.0
    store.evict_idle()
    with pytest.raises(Refusal):
        store.get(third)
    assert len(store) == 1
    store.remove(first)
    assert len(store) == 0
