"""The atoms of columns of which only counts are known: those that `Binarizer` would make."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from sklearn.base import clone

from gnri.binarizer.categories import group_of, in_order, rare_of
from gnri.binarizer.cuts import cut_between, nearest_gaps
from gnri.binarizer.learn import Settings, schema_of, thresholds
from gnri.binarizer.table import checked
from gnri.binarizer.transformer import Binarizer
from gnri.binarizer.unfit import ColumnsError, Unfit, free_text, nothing_frequent
from gnri.data.schema import Above, Atom, Equals, IsTrue, Scalar
from gnri.errors import GnriError
from gnri.scale.sketch import Sketch
from gnri.scale.summary import Summary
from gnri.tables.cells import Kind
from gnri.tables.frame import Frame


def fitted(binarizer: Binarizer, summaries: Sequence[Summary], rows: int) -> Binarizer:
    """The binarizer as if fitted on a table of these columns and so many rows."""
    names = [summary.name for summary in summaries]
    found = clone(binarizer)
    checked(found, Frame({name: np.zeros(2) for name in names}), reset=True)
    settings = found._settings(len(names))
    given = dict(found.given_cuts or {})
    atoms: list[Atom] = []
    unfit: list[Unfit] = []
    for summary in summaries:
        own = given.get(summary.name)
        try:
            atoms += atoms_of(summary, settings) if own is None else _own(summary, own)
        except ColumnsError as error:
            unfit += error.unfit
    if unfit:
        raise ColumnsError(*unfit)
    if not atoms:
        raise GnriError(
            f"no rule can be made of this table: each of its {len(names)} columns is constant or "
            f"all missing in the {rows} rows; add a column that varies"
        )
    found.columns_ = names
    found.schema_ = schema_of(atoms)
    return found


def atoms_of(summary: Summary, settings: Settings) -> list[Atom]:
    """The atoms of one column; none if it is constant or all missing."""
    name = summary.name
    match summary.kind:
        case Kind.FLAG:
            return [IsTrue(name)] if len(summary.flags) == 2 else []
        case Kind.NUMBER:
            cuts = _median if settings.median else _quantiles
            return [Above(name, cut) for cut in cuts(summary.numbers, settings)]
        case _:
            return _categories(name, summary.texts, settings)


def _own(summary: Summary, cuts: Sequence[float]) -> list[Above]:
    if summary.kind != Kind.NUMBER:
        raise GnriError(f"only numbers can be cut, but {summary.name!r} holds {summary.kind}s")
    return thresholds(summary.name, cuts)


def _quantiles(sketch: Sketch, settings: Settings) -> list[float]:
    """As `quantile_cuts`, from buckets."""
    gaps, most = len(sketch.counts) - 1, settings.cuts
    few = gaps <= most
    chosen = range(gaps) if few else nearest_gaps(sketch.counts, most, tails=settings.tails)
    return [_between(sketch, gap) for gap in chosen]


def _median(sketch: Sketch, settings: Settings) -> list[float]:
    """As `median_cut`, from buckets; within a bucket, its lowest number."""
    if len(sketch.counts) <= 2:
        return _quantiles(sketch, settings)
    total, upto = int(sketch.counts.sum()), np.cumsum(sketch.counts)
    places = np.searchsorted(upto, [(total - 1) // 2, total // 2], side="right")
    low, high = (float(sketch.lowest[place]) for place in places)
    median = low if low == high else low / 2 + high / 2
    return [median] if median < sketch.highest[-1] else []


def _between(sketch: Sketch, gap: int) -> float:
    return cut_between(float(sketch.highest[gap]), float(sketch.lowest[gap + 1]))


def _categories(name: str, counts: "Counter[str]", settings: Settings) -> list[Atom]:
    """As `one_hot` and `grouped_one_hot`, from counts."""
    most, rows = settings.max_categories, counts.total()
    if len(counts) > most and 2 * len(counts) > rows:
        raise ColumnsError(free_text(name, counts, rows))
    plain: Counter[Scalar] = Counter(counts)
    rare = set() if settings.median else rare_of(plain, most, settings.min_share)
    if rare and len(rare) == len(counts) > 1:
        raise ColumnsError(nothing_frequent(name, len(counts), most, settings.min_share))
    kept: list[Atom] = [Equals(name, value) for value in in_order(counts) if value not in rare]
    if not rare:
        return kept[1:] if len(kept) <= 2 else kept
    return kept if len(kept) == 1 else [*kept, group_of(name, in_order(rare))]
