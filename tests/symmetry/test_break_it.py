"""The tester tested: inducers that break one symmetry are caught, exact ones pass.

A scorer that is exactly equivariant, because it counts, feeds the export. Every table is full of
ties, so each way of settling one by position shows.
"""

import numpy as np
import pytest

from gnri.episode import Episode
from gnri.model import paper_export as rails
from gnri.model.paper_export import DecodeConfig, RailClauses
from gnri.rules.dnf import Literal, SignedDNF
from gnri.scores import Scores
from gnri.symmetry.audit import audit
from gnri.symmetry.group import Symmetry
from gnri.symmetry.transforms import TRANSFORMS
from studies.paper.baseline_networks import native_export
from tests.symmetry.tie_tables import tie_heavy

EPISODES = [
    *tie_heavy(30, rng=np.random.default_rng(2)),
    *tie_heavy(60, rng=np.random.default_rng(3), rows=5, missing=0.5),
]
NAMES = {
    part: {name for name in TRANSFORMS if part in name or name == "everything"}
    for part in ("rows", "atoms", "negations", "label")
}


def lead(episode):
    """For each literal, positive rows where it is true less negative rows: (atoms, 2) integers."""
    truth = np.stack([episode.values > 0, episode.values < 0], axis=-1).astype(int)
    return np.tensordot(episode.labels, truth, axes=1)


def count_scores(episode):
    """One slot a rail, p = 1/2 + lead / (2 rows); the second rail reads the labels swapped."""
    share = lead(episode)[None] / (2 * episode.rows)
    return Scores(np.stack([0.5 + share, 0.5 - share]), np.ones((2, 1)))


def exporter(episode):
    return rails.canonical_export(count_scores(episode), episode, DecodeConfig(budget=2))


def argmax_decode(literals, gates, config):
    """The best literal, by argmax."""
    pairs = literals[0]
    atom, negated = divmod(int(np.argmax(pairs)), 2)
    return clause_of([Literal(atom, not negated)] if pairs.max() > 0.5 else [])


def index_decode(literals, gates, config):
    """The best `budget` atoms; the last bucket is cut by index."""
    presence, contrast = strengths(literals[0])
    ranked = np.lexsort((np.arange(len(presence)), -presence))
    chosen = [j for j in ranked if presence[j] >= 0.5 and contrast[j] != 0][: config.budget]
    return clause_of(Literal(int(j), bool(contrast[j] > 0)) for j in chosen)


def positive_first_decode(literals, gates, config):
    """Whole buckets, but the atom itself where it scores the same as its negation."""
    presence, contrast = strengths(literals[0])
    chosen = whole_buckets(presence, np.flatnonzero(presence >= 0.5), config.budget)
    return clause_of(Literal(j, bool(contrast[j] >= 0)) for j in chosen)


def honest_decode(literals, gates, config):
    """Whole buckets, and no atom that scores the same as its negation."""
    presence, contrast = strengths(literals[0])
    candidates = np.flatnonzero((presence >= 0.5) & (contrast != 0))
    chosen = whole_buckets(presence, candidates, config.budget)
    return clause_of(Literal(j, bool(contrast[j] > 0)) for j in chosen)


def whole_buckets(presence, candidates, budget):
    chosen = []
    for score in sorted(set(presence[candidates]), reverse=True):
        bucket = [int(j) for j in candidates if presence[j] == score]
        if len(chosen) + len(bucket) > budget:
            break
        chosen += bucket
    return chosen


def strengths(pairs):
    return pairs.max(-1), pairs[:, 0] - pairs[:, 1]


def clause_of(literals):
    clause = frozenset(literals)
    return RailClauses(frozenset([clause]) if clause else frozenset(), 0.0)


def broken(report):
    """The transforms under which some rule did not follow."""
    return {summary.transform for summary in report.transforms if summary.rule_eq < 1}


def test_the_canonical_export_is_exact():
    report = audit(exporter, EPISODES)
    assert report.exact
    assert report.total.coverage > 0.5
    assert all(gap.identical for gap in report.gaps)


def test_the_honest_decode_of_this_file_is_the_canonical_one(monkeypatch):
    expected = [exporter(episode).rule for episode in EPISODES]
    monkeypatch.setattr(rails, "canonical_decode", honest_decode)
    assert [exporter(episode).rule for episode in EPISODES] == expected


@pytest.mark.parametrize(
    ("decode", "part"),
    [(argmax_decode, "atoms"), (index_decode, "atoms"), (positive_first_decode, "negations")],
)
def test_a_sabotaged_decode_is_caught_where_it_breaks(monkeypatch, decode, part):
    monkeypatch.setattr(rails, "canonical_decode", decode)
    report = audit(exporter, EPISODES)
    assert not report.exact
    assert broken(report) & NAMES[part] == NAMES[part]


def test_a_polarity_preference_leaves_rows_atoms_and_label_alone(monkeypatch):
    monkeypatch.setattr(rails, "canonical_decode", positive_first_decode)
    assert broken(audit(exporter, EPISODES)) == NAMES["negations"]


def test_the_baseline_export_is_caught():
    def baseline(episode):
        return native_export(count_scores(episode), episode, DecodeConfig(budget=2))

    assert broken(audit(baseline, EPISODES)) == set(TRANSFORMS) - {"rows 1", "rows 2"}


def strongest_literals(episode):
    """Every literal of the largest |lead|, each a clause; a tie of polarity or label abstains.

    Counted on two rails: literals for +1, and the complement of those for -1.
    """
    counts = lead(episode)
    highest, lowest = counts.max(), counts.min()
    if highest == -lowest:
        return None
    best = counts == (highest if highest > -lowest else lowest)
    if best.all(axis=1).any():
        return None
    clauses = [[(int(atom), not negated)] for atom, negated in np.argwhere(best)]
    return SignedDNF(clauses, positive=bool(highest > -lowest))


def label_first(episode):
    """The same, but the positive rail where the two are tied."""
    counts = lead(episode)
    if counts.max() != -counts.min():
        return strongest_literals(episode)
    return SignedDNF([[(int(j), not n)] for j, n in np.argwhere(counts == counts.max())])


def first_row(episode):
    """The literals of the first row."""
    row = episode.values[0]
    return SignedDNF([[(int(j), bool(row[j] > 0)) for j in np.flatnonzero(row)]])


def test_an_equivariant_inducer_passes():
    report = audit(strongest_literals, EPISODES)
    assert report.exact
    assert report.worst == report.mean == report.total.rule_eq_ne == 1.0
    assert report.total.coverage > 0.5


@pytest.mark.parametrize("inducer", [exporter, strongest_literals])
def test_an_equivariant_inducer_passes_under_every_element(inducer):
    rng = np.random.default_rng(4)
    episodes = [
        Episode(rng.integers(-1, 2, size=(3, 2)), rng.integers(-1, 2, size=3)) for _ in range(10)
    ]
    assert audit(inducer, episodes, list(Symmetry.everything(atoms=2, rows=3))).exact


def test_a_label_preference_is_caught_by_label_swaps_alone():
    assert broken(audit(label_first, EPISODES)) == NAMES["label"]


def test_a_look_at_the_first_row_is_caught_by_row_orders():
    assert broken(audit(first_row, EPISODES)) >= NAMES["rows"]
