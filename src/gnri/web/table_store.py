"""The tables of open pages, in memory and nowhere else."""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from gnri.data.kinds import ColumnKind
from gnri.data.table import Table
from gnri.estimator.fitting import Fitted
from gnri.web.security import Limits, Refusal

OTHER = (
    "'learnt' must name what was last learnt from this table, and another target, other columns or "
    "other cuts were since; ask for the rule again"
)


class TableFit(NamedTuple):
    """The rules of a table, the kind that each column was read as, and a digest of the rows.

    A page names atoms by number. The digest, of the encoded rows, tells what these numbers mean.
    """

    fitted: Fitted
    kinds: dict[str, ColumnKind]
    digest: str


@dataclass
class StoredTable:
    """A table, and what was last learnt from it."""

    table: Table
    fit: TableFit | None = None
    used: float = 0.0

    def need_fit(self, digest: str | None = None) -> TableFit:
        """Return what was learnt last; raise if that has another digest than the one given."""
        if self.fit is None:
            raise Refusal(409, "there is no rule of this table yet; ask for one first")
        if digest not in (None, self.fit.digest):
            raise Refusal(409, OTHER)
        return self.fit


class TableStore:
    """Tables under names that cannot be guessed, the one used last at the end.

    A table is freed when asked, when idle, or when there are too many.
    """

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits, self._clock = limits, clock
        self._tables: dict[str, StoredTable] = {}

    def __len__(self) -> int:
        return len(self._tables)

    def keep(self, table: Table) -> str:
        """Keep a table; return the name to ask for it by."""
        self.free_idle()
        while len(self) >= self._limits.tables:
            self.free(next(iter(self._tables)))
        name = secrets.token_urlsafe(12)
        self._tables[name] = StoredTable(table, used=self._clock())
        return name

    def get(self, name: str) -> StoredTable:
        """Return the table of this name."""
        self.free_idle()
        if name not in self._tables:
            raise Refusal(404, "this table is no longer kept here; send it again")
        found = self._tables[name] = self._tables.pop(name)
        found.used = self._clock()
        return found

    def free(self, name: str) -> None:
        """Forget a table, if it is there."""
        self._tables.pop(name, None)

    def free_idle(self) -> None:
        """Forget tables that nobody asked for in a long time."""
        oldest = self._clock() - self._limits.idle
        self._tables = {name: one for name, one in self._tables.items() if one.used >= oldest}
