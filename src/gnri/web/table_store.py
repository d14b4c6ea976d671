"""The tables of open pages, in memory and nowhere else."""

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from gnri.data.table import Table
from gnri.web.learnt import Learnt
from gnri.web.security import Limits, Refusal

GONE = "this table is no longer kept here; send it again"
OTHER = (
    "'learnt' must name what was last learnt from this table, and another target, other columns or "
    "other cuts were since; ask for the rule again"
)


@dataclass
class Held:
    """A table, and what was last learnt from it."""

    table: Table
    learnt: Learnt | None = None
    used: float = 0.0

    def need_learnt(self, digest: str | None = None) -> Learnt:
        """What was learnt last; if a digest is given, it has to be this."""
        if self.learnt is None:
            raise Refusal(409, "there is no rule of this table yet; ask for one first")
        if digest is not None and digest != self.learnt.digest:
            raise Refusal(409, OTHER)
        return self.learnt


class Store:
    """Tables under names that cannot be guessed; each is freed when asked, when idle, or when
    there are too many.
    """

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits, self._clock = limits, clock
        self._held: OrderedDict[str, Held] = OrderedDict()

    def __len__(self) -> int:
        return len(self._held)

    def keep(self, table: Table) -> str:
        """Keep a table; the name to ask for it by."""
        self.free_idle()
        while len(self._held) >= self._limits.tables:
            self._held.popitem(last=False)
        name = secrets.token_urlsafe(12)
        self._held[name] = Held(table, used=self._clock())
        return name

    def get(self, name: str) -> Held:
        """The table of this name, which is now the one used last."""
        self.free_idle()
        if name not in self._held:
            raise Refusal(404, GONE)
        self._held.move_to_end(name)
        self._held[name].used = self._clock()
        return self._held[name]

    def free(self, name: str) -> None:
        """Forget a table, if it is there."""
        self._held.pop(name, None)

    def free_idle(self) -> None:
        """Forget what nobody asked for in a long time."""
        oldest = self._clock() - self._limits.idle
        for name in [name for name, held in self._held.items() if held.used < oldest]:
            del self._held[name]
