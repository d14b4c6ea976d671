"""The pool of worker processes; one that ends is replaced."""

import asyncio
import logging
import os
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from gnri.web import Report
from gnri.web.security import Limits, Refusal
from gnri.web.worker import HEAD, decode_message, encode_message

FIRST_PAUSE, LAST_PAUSE = 0.25, 30.0  # seconds before another start, after one that failed
GRACE = 1.0  # seconds for a cancelled job to end; a new process takes as long to start
LOG = logging.getLogger("uvicorn.error")


class WorkerPool:
    """Run jobs of `gnri.web.worker` by name; kill the process of one cancelled or too long."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.ready = 0  # processes that are free or busy
        self._failed = 0  # processes that failed to start, and will be started again
        self._free: asyncio.Queue[_Worker] = asyncio.Queue()
        self._keepers: list[asyncio.Task[None]] = []
        self._waiting: set[asyncio.Timeout] = set()

    def start(self) -> None:
        """Start the processes."""
        self._keepers = [asyncio.create_task(self._keep()) for _ in range(self.limits.workers)]

    async def stop(self) -> None:
        """Kill every process."""
        for keeper in self._keepers:
            keeper.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)

    async def run(self, job: str, *arguments: Any, progress: Report = lambda *_: None) -> Any:
        """Return the result of a job; raise a `Refusal` if it fails.

        A job has no effect but its result. So it is run once more if its process was killed.
        """
        for _ in range(2):
            worker = await self._next_free()
            work = asyncio.ensure_future(self._run_on(worker, job, arguments, progress))
            work.add_done_callback(lambda done: done.cancelled() or done.exception())
            try:
                kind, *found = await asyncio.shield(work)
            except asyncio.CancelledError:
                asyncio.get_running_loop().call_later(GRACE, work.cancel)
                raise
            except TimeoutError:
                raise Refusal(
                    504,
                    f"the job took longer than {self.limits.seconds:g} seconds and was stopped; "
                    "try fewer rows or columns",
                ) from None
            except (EOFError, ConnectionError):
                continue
            if kind == "refused":
                raise Refusal(*found)
            return found[0]
        raise Refusal(
            503, "the process of this job ended twice; try again, or with fewer rows or columns"
        )

    async def _run_on(self, worker: "_Worker", *job: Any) -> Any:
        """Return the last message of a job, and free its process; kill it if the job fails."""
        try:
            async with asyncio.timeout(self.limits.seconds):
                message = await worker.do(*job)
        except BaseException:  # also when cancelled
            worker.kill()
            raise
        self._free.put_nowait(worker)
        return message

    async def _next_free(self) -> "_Worker":
        if self._free.empty():
            self._check_alive()
            if len(self._waiting) >= self.limits.waiting:
                raise Refusal(
                    503,
                    f"{self.limits.workers} jobs are running and {len(self._waiting)} are "
                    "waiting; try again in a moment",
                )
        try:
            async with asyncio.timeout(self.limits.seconds) as waiting:
                self._waiting.add(waiting)
                try:
                    while (worker := await self._free.get()).process.returncode is not None:
                        pass  # it ended while it was idle
                    return worker
                finally:
                    self._waiting.remove(waiting)
        except TimeoutError:
            self._check_alive()
            raise Refusal(503, "no worker was free in time; try again later") from None

    def _check_alive(self) -> None:
        if self._keepers and self._failed == len(self._keepers):
            raise Refusal(503, "no worker process runs; try again, or see the server's terminal")

    async def _keep(self) -> None:
        """Start a process, and another whenever it ends."""
        pause = FIRST_PAUSE
        while True:
            try:
                async with _start(self.limits.memory) as worker:
                    pause = FIRST_PAUSE
                    self._free.put_nowait(worker)
                    self.ready += 1
                    try:
                        await worker.process.wait()
                    finally:
                        self.ready -= 1
            except (EOFError, OSError) as error:
                LOG.warning("a worker process failed to start: %s; again in %g s", error, pause)
                await self._pause(pause)
                pause = min(2 * pause, LAST_PAUSE)

    async def _pause(self, seconds: float) -> None:
        """Wait before another start; if every process failed, refuse the jobs that wait."""
        self._failed += 1
        if self._failed == len(self._keepers):
            for waiting in self._waiting:
                if not waiting.expired():
                    waiting.reschedule(0.0)
        await asyncio.sleep(seconds)
        self._failed -= 1


@asynccontextmanager
async def _start(memory: int) -> AsyncIterator["_Worker"]:
    """Yield a process that is ready; raise if it ends before."""
    # -P: do not import a numpy.py of the current folder.
    command = (sys.executable, "-P", "-m", "gnri.web.worker", str(memory))
    # Threads of BLAS wait for each other: on busy cores logistic regression took 60 times as long.
    env = os.environ | dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    process = await asyncio.create_subprocess_exec(
        *command, stdin=PIPE, stdout=PIPE, limit=2**20, start_new_session=True, env=env
    )
    worker = _Worker(process)
    try:
        await worker.receive()  # "ready"
        yield worker
    finally:
        worker.kill()
        await process.wait()


@dataclass(frozen=True, eq=False)
class _Worker:
    """One process, and its messages."""

    process: asyncio.subprocess.Process

    async def do(self, job: str, arguments: tuple[Any, ...], progress: Report) -> Any:
        """Return the last message of a job; report its progress."""
        pipe = self.process.stdin
        assert pipe is not None
        pipe.write(await asyncio.to_thread(encode_message, (job, arguments)))
        await pipe.drain()
        while (message := await self.receive())[0] == "progress":
            progress(*message[1:])
        return message

    async def receive(self) -> Any:
        """Return the next message."""
        pipe = self.process.stdout
        assert pipe is not None
        size = int.from_bytes(await pipe.readexactly(HEAD), "little")
        return await asyncio.to_thread(decode_message, await pipe.readexactly(size))

    def kill(self) -> None:
        """Kill the process, if it still runs."""
        if self.process.returncode is None:
            with suppress(ProcessLookupError):
                # process.kill() would take the exit code away from asyncio, which then warns.
                os.kill(self.process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
