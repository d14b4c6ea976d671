"""The processes that do the long jobs: a few, kept warm, replaced when one is stopped."""

import asyncio
import sys
from asyncio.subprocess import PIPE
from dataclasses import dataclass
from typing import Any

from gnri.web import Report
from gnri.web.security import Limits, Refusal
from gnri.web.worker import HEAD, decode_message, encode_message

TOO_LONG = (
    "this took longer than {:g} seconds and was stopped; try fewer rows or columns, or use the "
    "command line, which has no such limit"
)


class WorkerPool:
    """Runs jobs of `gnri.web.worker` by name.

    A job that is cancelled, or runs too long, has its process killed; a new one is started in its
    place. Beyond `limits.waiting` jobs that wait for a process, more are refused at once.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._free: asyncio.Queue[_Worker] = asyncio.Queue()
        self._all: set[_Worker] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiting = 0
        self._open = True

    def start(self) -> None:
        """Start the processes."""
        for _ in range(self.limits.workers):
            self._hire()

    async def stop(self) -> None:
        """Kill every process, whatever it is doing."""
        self._open = False
        for task in self._tasks:
            task.cancel()
        for worker in list(self._all):
            await self._dismiss(worker)

    async def run(self, job: str, *arguments: Any, progress: Report = lambda *_: None) -> Any:
        """Return the result of a job; raise a `Refusal` if there is none."""
        worker = await self._next_free()
        try:
            async with asyncio.timeout(self.limits.seconds):
                kind, *found = await worker.do(job, arguments, progress)
        except BaseException as error:  # also when cancelled: the process must not go on
            await self._replace(worker)
            if isinstance(error, TimeoutError):
                raise Refusal(504, TOO_LONG.format(self.limits.seconds)) from None
            if isinstance(error, EOFError | ConnectionError):
                raise Refusal(500, "the process that worked on this stopped; try again") from None
            raise
        self._free.put_nowait(worker)
        if kind == "refused":
            raise Refusal(*found)
        return found[0]

    async def _next_free(self) -> "_Worker":
        if self._free.empty() and self._waiting >= self.limits.waiting:
            raise Refusal(
                503,
                f"{self.limits.workers} jobs are running and {self._waiting} are waiting; try "
                "again in a moment",
            )
        self._waiting += 1
        try:
            async with asyncio.timeout(self.limits.seconds):
                return await self._free.get()
        except TimeoutError:
            raise Refusal(503, "no process came free to work on this; try again later") from None
        finally:
            self._waiting -= 1

    def _hire(self) -> None:
        task = asyncio.create_task(self._start_worker())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _start_worker(self) -> None:
        # -P: a numpy.py in the folder where the server was started is not ours to import.
        command = (sys.executable, "-P", "-m", "gnri.web.worker")
        worker = _Worker(
            await asyncio.create_subprocess_exec(
                *command, stdin=PIPE, stdout=PIPE, limit=2**20, start_new_session=True
            )
        )
        self._all.add(worker)
        try:
            await worker.receive()  # that it is ready
        except EOFError:  # it has said why on the terminal; those who wait are told in time
            await self._dismiss(worker)
            return
        self._free.put_nowait(worker)

    async def _replace(self, worker: "_Worker") -> None:
        if self._open:
            self._hire()
        await asyncio.shield(self._dismiss(worker))

    async def _dismiss(self, worker: "_Worker") -> None:
        self._all.discard(worker)
        if worker.process.returncode is None:
            worker.process.kill()
        await worker.process.wait()


@dataclass(eq=False)
class _Worker:
    """One process, spoken to in messages."""

    process: asyncio.subprocess.Process

    async def do(self, job: str, arguments: tuple[Any, ...], progress: Report) -> Any:
        """Return the last message of a job; `progress` is told of every step."""
        source = self.process.stdin
        assert source is not None, "it was started with a pipe"
        source.write(await asyncio.to_thread(encode_message, (job, arguments)))
        await source.drain()
        while (message := await self.receive())[0] == "progress":
            progress(*message[1:])
        return message

    async def receive(self) -> Any:
        """Return the next message."""
        out = self.process.stdout
        assert out is not None, "it was started with a pipe"
        size = int.from_bytes(await out.readexactly(HEAD), "little")
        return await asyncio.to_thread(decode_message, await out.readexactly(size))
