"""The tables of open pages, kept in memory only."""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass

from msgspec import UNSET, UnsetType

from gnri.data.table import Table
from gnri.estimator.cross_validation import Validation
from gnri.web.rule_view import TableFit
from gnri.web.security import Limits, Refusal


@dataclass
class StoredTable:
    """A table, the last fit on it, and how that does in cross-validation, if it was asked for."""

    table: Table
    fit: TableFit | None = None
    validation: Validation | str | None = None
    used: float = 0.0

    def need_fit(self, digest: str | UnsetType = UNSET) -> TableFit:
        """Return the last fit; raise if there is none, or if it has another digest."""
        if self.fit is None:
            raise Refusal(409, "there is no rule of this table yet; send it to /api/induce first")
        if digest not in (UNSET, self.fit.digest):
            raise Refusal(
                409,
                "'learnt' is out of date: the table was learnt from again, with another target or "
                "other columns; ask for the rule again",
            )
        return self.fit


class TableStore:
    """Tables under names that cannot be guessed, the last used at the end."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits, self._clock = limits, clock
        self._tables: dict[str, StoredTable] = {}

    def __len__(self) -> int:
        return len(self._tables)

    def add(self, table: Table) -> str:
        """Store a table; return its name."""
        self.evict_idle()
        while len(self) >= self._limits.tables:
            self.remove(next(iter(self._tables)))
        name = secrets.token_urlsafe(12)
        self._tables[name] = StoredTable(table, used=self._clock())
        return name

    def get(self, name: str | UnsetType) -> StoredTable:
        """Return the table of this name; raise if it is not stored."""
        self.evict_idle()
        if isinstance(name, UnsetType) or name not in self._tables:
            raise Refusal(404, "this table is no longer stored; send it again")
        found = self._tables[name] = self._tables.pop(name)
        found.used = self._clock()
        return found

    def remove(self, name: str) -> None:
        """Delete a table, if it is stored."""
        self._tables.pop(name, None)

    def evict_idle(self) -> None:
        """Delete the tables that have not been used for a long time."""
        oldest = self._clock() - self._limits.idle
        self._tables = {name: one for name, one in self._tables.items() if one.used >= oldest}
