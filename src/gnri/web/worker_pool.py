"""The processes that do the long jobs: a few, kept warm, replaced when one is stopped."""

import asyncio
import sys
from asyncio.subprocess import PIPE
from dataclasses import dataclass
from typing import Any

from gnri.errors import GnriError
from gnri.web.learnt import Report
from gnri.web.security import Limits, Refusal
from gnri.web.worker import HEAD, decode_message, encode_message

TOO_LONG = (
    "this took longer than {:g} seconds and was stopped; try fewer rows or columns, or use the "
    "command line, which has no such limit"
)


class Workshop:
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
        """The result of a job; a `GnriError` for bad input, a `Refusal` if it cannot be done."""
        worker = await self._next_free()
        try:
            async with asyncio.timeout(self.limits.seconds):
                kind, found = await worker.do(job, arguments, progress)
        except TimeoutError:
            await self._replace(worker)
            raise Refusal(504, TOO_LONG.format(self.limits.seconds)) from None
        except (EOFError, ConnectionError):
            await self._replace(worker)
            raise Refusal(500, "the process that worked on this stopped; try again") from None
        except BaseException:  # cancelled: the process must not go on
            await self._replace(worker)
            raise
        self._free.put_nowait(worker)
        if kind == "refused":
            raise GnriError(found)
        if kind == "failed":
            raise Refusal(500, found)
        return found

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
        task = asyncio.create_task(self._hired())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _hired(self) -> None:
        worker = _Worker(await _process())
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
    """One process, spoken to in frames."""

    process: asyncio.subprocess.Process

    async def do(self, job: str, arguments: tuple[Any, ...], progress: Report) -> tuple[str, Any]:
        """What the job came to; `progress` is told of every step."""
        source = self.process.stdin
        assert source is not None, "it was started with a pipe"
        source.write(await asyncio.to_thread(encode_message, (job, arguments)))
        await source.drain()
        while (message := await self.receive())[0] == "progress":
            progress(*message[1:])
        return message[0], message[1]

    async def receive(self) -> tuple[Any, ...]:
        out = self.process.stdout
        assert out is not None, "it was started with a pipe"
        size = int.from_bytes(await out.readexactly(HEAD), "little")
        data = await out.readexactly(size)
        message: tuple[Any, ...] = await asyncio.to_thread(decode_message, data)
        return message


async def _process() -> asyncio.subprocess.Process:
    # -P: a numpy.py in the folder where the server was started is not ours to import.
    command = (sys.executable, "-P", "-m", "gnri.web.worker")
    return await asyncio.create_subprocess_exec(
        *command, stdin=PIPE, stdout=PIPE, limit=2**20, start_new_session=True
    )
