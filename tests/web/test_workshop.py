"""Jobs are stopped when they are to be, and what they held is gone with them."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from gnri.errors import GnriError
from gnri.web.security import Limits, Refusal
from gnri.web.table_store import TableStore
from gnri.web.table_view import read_upload
from gnri.web.worker_pool import WorkerPool
from tests.web.serving import table_text

LIMITS = Limits(workers=1, waiting=1)
DATA = table_text(60).encode()


def test_a_job_that_is_cancelled_or_too_long_has_its_process_killed() -> None:
    asyncio.run(_stopped())


async def _stopped() -> None:
    pool = WorkerPool(LIMITS)
    pool.start()
    table, found = await pool.run("describe_upload", DATA, "pets.csv", LIMITS)
    assert (table.rows, found["target"]) == (60, "ill")
    with pytest.raises(GnriError, match="is empty"):
        await pool.run("describe_upload", b"", "pets.csv", LIMITS)

    first = await _idle(pool)
    steps: list[float] = []
    endless = ("describe_upload", None, "digits", LIMITS)
    task = asyncio.create_task(pool.run(*endless, progress=lambda s, _: steps.append(s)))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert first.process.returncode is not None

    await pool.run("describe_upload", DATA, "pets.csv", LIMITS)  # a new process has come
    second = await _idle(pool)
    assert second is not first
    pool.limits = replace(LIMITS, seconds=0.01)
    with pytest.raises(Refusal, match=r"longer than 0.01 seconds") as refused:
        await pool.run(*endless)
    assert refused.value.status == 504
    assert second.process.returncode is not None
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
    first = await _idle(pool)
    await first.kill()
    table, _ = await pool.run("describe_upload", DATA, "pets.csv", LIMITS)
    assert table.rows == 60
    await pool.stop()


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
