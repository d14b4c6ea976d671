"""The pool of worker processes; one that is killed is replaced."""

import asyncio
import sys
from asyncio.subprocess import PIPE
from dataclasses import dataclass
from typing import Any

from gnri.web import Report
from gnri.web.security import Limits, Refusal
from gnri.web.worker import HEAD, decode_message, encode_message


class WorkerPool:
    """Run jobs of `gnri.web.worker` by name; kill the process of one cancelled or too long."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._free: asyncio.Queue[_Worker] = asyncio.Queue()
        self._keepers: list[asyncio.Task[None]] = []
        self._waiting = 0

    def start(self) -> None:
        """Start the processes."""
        self._keepers = [asyncio.create_task(self._keep()) for _ in range(self.limits.workers)]

    async def stop(self) -> None:
        """Kill every process."""
        for keeper in self._keepers:
            keeper.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)

    async def run(self, job: str, *arguments: Any, progress: Report = lambda *_: None) -> Any:
        """Return the result of a job; raise a `Refusal` if it fails."""
        worker = await self._next_free()
        try:
            async with asyncio.timeout(self.limits.seconds):
                kind, *found = await worker.do(job, arguments, progress)
        except BaseException as error:  # also when cancelled
            await asyncio.shield(worker.kill())
            if isinstance(error, TimeoutError):
                raise Refusal(
                    504,
                    f"the job took longer than {self.limits.seconds:g} seconds and was stopped; "
                    "try fewer rows or columns, or the command line, which has no such limit",
                ) from None
            if isinstance(error, EOFError | ConnectionError):
                raise Refusal(500, "the worker process stopped; try again") from None
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
                while (worker := await self._free.get()).process.returncode is not None:
                    pass  # it ended while it was idle
                return worker
        except TimeoutError:
            raise Refusal(503, "no worker was free in time; try again later") from None
        finally:
            self._waiting -= 1

    async def _keep(self) -> None:
        """Start a process, and another whenever it ends."""
        # -P: do not import a numpy.py of the current folder.
        command = (sys.executable, "-P", "-m", "gnri.web.worker")
        while True:
            worker = _Worker(
                await asyncio.create_subprocess_exec(
                    *command, stdin=PIPE, stdout=PIPE, limit=2**20, start_new_session=True
                )
            )
            try:
                await worker.receive()  # "ready"
                self._free.put_nowait(worker)
                await worker.process.wait()
            except EOFError:  # it failed to start; the terminal says why
                return
            finally:
                await worker.kill()


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

    async def kill(self) -> None:
        """Kill the process."""
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()
