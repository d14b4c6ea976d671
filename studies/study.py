"""Measure piece by piece: each once, in several processes, taken up where it was cut off."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from gnri.atomic_write import write_atomically
from gnri.errors import GnriError
from studies import plotting, read_data
from studies.results import Row, Rows, append, provenance, read, replace_rows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAGES = read_data("studies.paper", "pages.toml")  # summary and heading of each study's page

Settings = SimpleNamespace
Piece = Mapping[str, str | int]  # what tells it from others: {"condition": "gnri", "seed": 42}


@dataclass(frozen=True)
class Protocol:
    """A section of settings for each study; a tiny one tries the same chain in seconds."""

    sections: Mapping[str, Mapping[str, Any]]

    def section(self, name: str) -> Settings:
        """Return the settings of a study as attributes, lists as tuples."""
        section = self._section(name).items()
        return Settings(**{key: tuple(v) if isinstance(v, list) else v for key, v in section})

    def identity(self, name: str) -> str:
        """Return the start of the SHA-256 of a study's settings, which stands in its rows."""
        text = json.dumps(self._section(name), sort_keys=True)
        return sha256(text.encode()).hexdigest()[:12]

    def _section(self, name: str) -> Mapping[str, Any]:
        if name not in self.sections:
            raise GnriError(f"the protocol has no section {name}; add [{name}] to protocol.toml")
        return self.sections[name]


def load_protocol(*, tiny: bool = False) -> Protocol:
    """Read the committed protocol; a tiny one has settings of [tiny.NAME] in place of [NAME]'s."""
    full = read_data("studies.paper", "protocol.toml")
    small, public = full.pop("tiny"), full.pop("public")
    for section in full.values():
        if section.get("sets") == "public":
            section["sets"] = public
    if tiny:
        full = {name: section | small.get(name, {}) for name, section in full.items()}
    return Protocol(full)


@dataclass(frozen=True)
class Context:
    """Where results, tables and weights are, the protocol and device, and how to measure.

    With `force` pieces that have rows already are measured too, and their rows replaced.
    """

    results: Path = Path("results")
    data_dir: Path | None = None
    jobs: int = 1
    force: bool = False
    protocol: Protocol = Protocol({})
    checkpoints: Path = Path("runs/sweep")
    device: str = "cpu"

    def rows(self, name: str) -> Rows:
        """Return the rows of a study that were measured under the protocol as it stands."""
        identity = self.protocol.identity(name)
        return [row for row in read(self.results / f"{name}.csv") if row["protocol"] == identity]


@dataclass(frozen=True)
class Study:
    """One of the paper's tables or figures.

    `measure` gives the rows of a piece: its figures and, where weights were read, `checkpoint`
    (the start of their SHA-256). What the piece is and where the row came from is added when it
    is written. All rows of a study have the same columns. `page` gives the parts of the page
    below its heading; figures and other pages go by the name of their file without ending.
    """

    name: str
    page: Callable[[Rows, Context], Iterable[str]]
    pieces: Callable[[Settings], Sequence[Piece]] = lambda _: ()
    measure: Callable[[Piece, Context], list[Row]] = lambda *_: []
    draw: Callable[[Rows], Mapping[str, "Figure"]] = lambda _: {}
    other_pages: Callable[[Context], Mapping[str, str]] = lambda _: {}
    on_cpu: bool = False  # whatever device the others use
    derived: bool = False  # drawn from the rows of other studies; it has none of its own

    def tables(self, context: Context) -> Mapping[str, str]:
        """Return the pages drawn from the rows, by name; its own only if it has parts."""
        rows = context.rows(self.name)
        parts = list(filter(None, self.page(rows, context))) if rows or self.derived else []
        own = {self.name: "\n".join([PAGES[self.name]["heading"], *parts])} if parts else {}
        return {**own, **self.other_pages(context)}

    def figures(self, context: Context) -> Mapping[str, "Figure"]:
        """Return the figures drawn from the rows, by name; none where there are no rows."""
        rows = context.rows(self.name)
        return self.draw(rows) if rows else {}


Only = Mapping[str, frozenset[str]]  # of each named key, the values to take


def run(study: Study, context: Context, only: Only | None = None) -> int:
    """Measure the chosen pieces that have no rows under this protocol; return their number."""
    protocol = context.protocol
    every = study.pieces(protocol.section(study.name))
    pieces = [piece for piece in every if is_chosen(piece, only or {})]
    identity = protocol.identity(study.name)
    rows_of = partial(measure_piece, study, context)
    return run_pieces(study.name, pieces, rows_of, context, lambda row: row["protocol"] == identity)


def is_chosen(piece: Piece, only: Only) -> bool:
    """Return whether a piece has one of the wanted values for each of the keys."""
    return all(key in piece and str(piece[key]) in values for key, values in only.items())


def measure_piece(study: Study, context: Context, piece: Piece) -> list[Row]:
    """Return the rows of a piece: what it is, its figures, where they came from."""
    device = str(piece.get("device", "cpu" if study.on_cpu else context.device))
    origin: Row = {"protocol": context.protocol.identity(study.name), **provenance(device)}
    rows = [
        {**piece, **figures, "checkpoint": figures.get("checkpoint", ""), **origin}
        for figures in study.measure(piece, replace(context, device=device))
    ]
    if not rows:
        raise GnriError(f"{study.name} gave no rows for {dict(piece)}")
    return rows


def measure(
    name: str, pieces: Sequence[Row], measure_row: Callable[[Row, Context], Row], context: Context
) -> Rows:
    """Measure one row a piece for the file NAME.csv; return all the rows that are there then."""

    def rows_of(piece: Row) -> list[Row]:
        return [piece | measure_row(piece, context) | provenance("cpu")]

    run_pieces(name, pieces, rows_of, context)
    return read(context.results / f"{name}.csv")


def run_pieces(
    name: str,
    pieces: Sequence[Any],
    rows_of: Callable[[Any], list[Row]],
    context: Context,
    is_current: Callable[[dict[str, str]], bool] = lambda _: True,
) -> int:
    """Measure the pieces without current rows in NAME.csv, or all by force; return how many.

    All pieces have the same keys. The rows of a piece are written together as soon as they are
    there, so that a run that was cut off goes on where it stopped and no old row is lost before
    a new one takes its place.
    """
    from joblib import Parallel, delayed  # type: ignore[import-untyped]
    from rich.console import Console
    from rich.progress import track

    path = context.results / f"{name}.csv"

    def key_of(row: Mapping[str, object]) -> tuple[str, ...]:
        return tuple(str(row[key]) for key in (pieces[0] if pieces else ()))

    done = set() if context.force else {key_of(row) for row in read(path) if is_current(row)}
    left = [piece for piece in pieces if key_of(piece) not in done]
    pool = Parallel(n_jobs=context.jobs, return_as="generator_unordered")
    found, console = pool(delayed(rows_of)(piece) for piece in left), Console(stderr=True)
    quiet = not console.is_terminal
    for rows in track(found, name, len(left), console=console, disable=quiet):
        if context.force:
            new = key_of(rows[0])
            replace_rows(path, lambda old, new=new: key_of(old) == new, rows)  # type: ignore[misc]
        else:
            append(path, rows)
    return len(left)


def pieces_of(**axes: Iterable[str | int]) -> list[Piece]:
    """Return a piece for each choice of one value an axis, the last axis fastest."""
    return [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]


def render(study: Study, context: Context) -> None:
    """Write STEM.md for each table of a study, figures/STEM.svg for each figure."""
    for stem, text in study.tables(context).items():
        write_atomically(context.results / f"{stem}.md", text.encode())
    with plotting.figure_style():
        for stem, figure in study.figures(context).items():
            plotting.save(figure, context.results / "figures", stem)
