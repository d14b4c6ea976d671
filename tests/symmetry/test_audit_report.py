"""Two episodes and four symmetries, worked out by hand."""

import json
from dataclasses import asdict

import pytest

from gnri.episode import Episode
from gnri.rules.dnf import SignedDNF
from gnri.symmetry.audit import audit
from gnri.symmetry.audit_report import AuditReport, Gap, Summary
from gnri.symmetry.group import Symmetry

SAME = Symmetry.identity(atoms=2, rows=2)
SYMMETRIES = {
    "same": SAME,
    "rows": Symmetry((0, 1), (False, False), (1, 0)),
    "atoms": Symmetry((1, 0), (False, False), (0, 1)),
    "label": Symmetry((0, 1), (False, False), (0, 1), label=True),
}
EPISODES = [
    Episode([[1, -1], [-1, 1]], [1, 1]),
    Episode([[1, -1], [-1, 1]], [1, -1]),
]
TABLE = """\
transform  pairs  rule_eq  rule_eq_ne  coverage  jaccard  max_dev  mean_dev
---------------------------------------------------------------------------
same           2    1.000       1.000     0.500    1.000  0.0e+00   0.0e+00
rows           2    1.000       1.000     0.500    1.000  2.5e-01   2.5e-01
atoms          2    0.500       0.000     0.500    0.500  0.0e+00   0.0e+00
label          2    0.500       0.000     0.500    0.750  5.0e-01   5.0e-01
---------------------------------------------------------------------------
all            8    0.750       0.500     0.500    0.812  5.0e-01   1.9e-01
not exact: 2 of 8 pairs differ, worst rule_eq 0.500 (atoms, label)"""


class FirstColumn:
    """x0 where the labels lean to +1, ~x0 & x1 where they lean to -1, else no rule."""

    def __call__(self, episode):
        lean = int(episode.labels.sum())
        if lean == 0:
            return None
        return SignedDNF([[(0, True)]] if lean > 0 else [[(0, False), (1, True)]])

    def predict(self, episode):
        return [0.5, 0.75]


def always(g):
    return lambda episode, *, rng: g


@pytest.fixture(scope="module")
def report():
    return audit(FirstColumn(), EPISODES, {name: always(g) for name, g in SYMMETRIES.items()})


def test_figures_by_hand(report):
    # The second episode is balanced: None on both sides, whatever g does. The first gives
    #   atoms: x0 where x1 was due, no literal shared;
    #   label: ~x0 & x1 where ~(x0) was due, which reads ~x0: one literal of two shared.
    # Predictions stay [1/2, 3/4], where the row swap wants [3/4, 1/2] and the label [1/2, 1/4].
    assert report.transforms == (
        Summary("same", 2, 1.0, 1.0, 0.5, 1.0, 0.0, 0.0),
        Summary("rows", 2, 1.0, 1.0, 0.5, 1.0, 0.25, 0.25),
        Summary("atoms", 2, 0.5, 0.0, 0.5, 0.5, 0.0, 0.0),
        Summary("label", 2, 0.5, 0.0, 0.5, 0.75, 0.5, 0.5),
    )
    assert report.total == Summary("all", 8, 0.75, 0.5, 0.5, 0.8125, 0.5, 0.1875)
    assert (report.worst, report.mean, report.exact) == (0.5, 0.75, False)


def test_text_table(report):
    assert str(report) == TABLE


def test_json_round_trip(report):
    content = json.loads(report.to_json())
    assert (content["format"], content["version"]) == ("gnri-audit", 1)
    assert (content["seed"], content["exact"]) == (0, False)
    assert (content["worst"], content["mean"]) == (0.5, 0.75)
    assert content["total"] == asdict(report.total)
    assert content["transforms"] == [asdict(summary) for summary in report.transforms]
    assert content["gaps"] == [asdict(gap) for gap in report.gaps]


def test_a_share_of_nothing_is_shown_as_a_dash():
    report = audit(lambda episode: None, EPISODES, [SAME])
    assert (report.total.rule_eq_ne, report.total.max_dev, report.exact) == (None, None, True)
    assert str(report).splitlines()[-2].split()[3:] == ["-", "0.000", "1.000", "-", "-"]
    assert str(report).endswith("exact on all 2 pairs")
    assert json.loads(report.to_json())["total"]["rule_eq_ne"] is None


def gap(*, equal, empty_before=False, empty_after=False):
    return Gap("t", 0, equal, equal, empty_before, empty_after, float(equal))


def test_a_rule_that_vanishes_counts_as_telling_but_not_as_covered():
    vanished = gap(equal=False, empty_after=True)
    silent = gap(equal=True, empty_before=True, empty_after=True)
    total = AuditReport((gap(equal=True), vanished, silent, silent), seed=0).total
    assert (total.rule_eq, total.rule_eq_ne, total.coverage) == (0.75, 0.5, 0.25)


def test_only_exact_equality_is_shown_as_one():
    report = AuditReport((gap(equal=False),) + (gap(equal=True),) * 2999, seed=0)
    assert str(report).splitlines()[-2].split()[2] == "0.999"
