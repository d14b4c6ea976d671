"""Run what is left of a study: each piece once, in several processes, its rows kept at once."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from gnri.errors import GnriError
from studies.benchmarks.progress import shown
from studies.benchmarks.results import Row, append, drop, provenance, read
from studies.paper.study import Piece, Place, Study

Only = Mapping[str, frozenset[str]]
"""Of each named key, the values to take."""


def run(
    study: Study, place: Place, *, jobs: int = 1, only: Only | None = None, again: bool = False
) -> int:
    """Measure the chosen pieces that have no rows yet, or `again` all of them; how many there were.

    A run that was cut off goes on where it stopped: the rows of a piece are written together, and
    a piece counts as done when its rows were measured under the protocol as it stands.
    """
    pieces = [piece for piece in study.pieces(place.protocol) if chosen(piece, only or {})]
    path = place.results / f"{study.name}.csv"
    if again or study.derived:
        forget(study, place, pieces)
    left = pieces_left(study, place, pieces)
    for rows in shown(_measured(study, left, place, jobs), len(left), study.name):
        _check_columns(study, place, rows)
        append(path, rows)
    return len(left)


def chosen(piece: Piece, only: Only) -> bool:
    """Whether a piece has one of the wanted values for each of the keys."""
    return all(key in piece and str(piece[key]) in values for key, values in only.items())


def pieces_left(study: Study, place: Place, pieces: Sequence[Piece]) -> list[Piece]:
    """Those of `pieces`, which all have the same keys, that have no rows under this protocol."""
    keys = list(pieces[0]) if pieces else []
    done = {_key(row, keys) for row in place.found.rows(study.name)}
    return [piece for piece in pieces if _key(piece, keys) not in done]


def forget(study: Study, place: Place, pieces: Sequence[Piece]) -> None:
    """Take out the rows of `pieces`, whatever protocol they were measured under."""
    keys = list(pieces[0]) if pieces else []
    unwanted = {_key(piece, keys) for piece in pieces}
    drop(place.results / f"{study.name}.csv", lambda row: _key(row, keys) in unwanted)


def _key(row: Mapping[str, str | int], keys: Sequence[str]) -> tuple[str, ...]:
    return tuple(str(row[key]) for key in keys)


def _measured(
    study: Study, pieces: Sequence[Piece], place: Place, jobs: int
) -> Iterator[list[Row]]:
    if jobs == 1:
        yield from (rows_of(study, piece, place) for piece in pieces)
        return
    from joblib import Parallel, delayed  # type: ignore[import-untyped]

    pool = Parallel(n_jobs=jobs, return_as="generator_unordered")
    found: Iterable[list[Row]] = pool(delayed(rows_of)(study, piece, place) for piece in pieces)
    yield from found


def rows_of(study: Study, piece: Piece, place: Place) -> list[Row]:
    """The rows of a piece as they are written: what it is, its figures, where they came from.

    A piece may name the device it is to be measured on.
    """
    device = str(piece.get("device", "cpu" if study.on_cpu else place.device))
    place = replace(place, device=device)
    origin: Row = {"protocol": place.protocol.identity(study.name), **provenance(place.device)}
    rows = []
    for figures in study.measure(piece, place):
        checkpoint = {"checkpoint": figures.get("checkpoint", "")}
        rows.append({**piece, **figures, **checkpoint, **origin})
    if not rows:
        raise GnriError(f"{study.name} gave no rows for {dict(piece)}")
    return rows


def _check_columns(study: Study, place: Place, rows: Sequence[Row]) -> None:
    before = read(place.results / f"{study.name}.csv")
    columns = list(before[0]) if before else list(rows[0])
    for row in rows:
        if list(row) != columns:
            raise GnriError(
                f"a row of {study.name} must have the columns {', '.join(columns)}, got "
                f"{', '.join(row)}; take the old {study.name}.csv away if its columns changed"
            )
