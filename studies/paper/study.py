"""What a study is: pieces of work, how to measure one, and what to draw from the rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from studies.benchmarks.results import Row, read
from studies.paper.protocol import Protocol

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Piece = Mapping[str, str | int]
"""What tells a piece of work from the others: {"condition": "gnri", "seed": 42}, say."""

Rows = list[dict[str, str]]


@dataclass(frozen=True)
class Results:
    """The committed rows, those measured under the protocol as it stands."""

    folder: Path
    protocol: Protocol

    def rows(self, name: str) -> Rows:
        """The rows of a study, none if it was never run."""
        identity = self.protocol.identity(name)
        found = read(self.folder / f"{name}.csv")
        return [row for row in found if row["protocol"] == identity]


@dataclass(frozen=True)
class Place:
    """Where a piece is measured: by which protocol, with which weights and tables, on what."""

    protocol: Protocol
    results: Path = Path("results")
    checkpoints: Path = Path("runs/sweep")
    data_dir: Path | None = None
    device: str = "cpu"

    @property
    def found(self) -> Results:
        """What was measured before, for a study that computes from the rows of others."""
        return Results(self.results, self.protocol)


def no_figures(results: Results) -> Mapping[str, "Figure"]:  # noqa: ARG001
    """For a study that is a table alone."""
    return {}


@dataclass(frozen=True)
class Study:
    """One of the paper's tables or figures.

    `measure` gives the rows of a piece: its figures and, where weights were read, `checkpoint`
    (the start of their SHA-256). What the piece is and where the row came from is added when it
    is written. All rows of a study have the same columns.
    """

    name: str
    says: str
    """One line for the listing."""
    pieces: Callable[[Protocol], Sequence[Piece]]
    measure: Callable[[Piece, Place], list[Row]]
    tables: Callable[[Results], Mapping[str, str]]
    """Markdown by the name of its file without ending, from the rows alone."""
    figures: Callable[[Results], Mapping[str, "Figure"]] = no_figures
    """Figures by the name of their file without ending, from the rows alone."""
    on_cpu: bool = False
    """Measured on the CPU, whatever device the others use."""
    derived: bool = False
    """Computed from the rows of other studies, and so anew each time."""
