from itertools import product

import pytest
import torch
from torch import Tensor

from studies.training import hidden_targets as targets
from studies.training.hidden_targets import (
    CLAUSES,
    GREEDY_CLAUSES,
    GREEDY_GAIN,
    GREEDY_LITERALS,
    Target,
    by_score,
    dnf,
    draw_target,
    factor,
    greedy,
    holds,
    tally,
    tree,
    vote,
)
from studies.training.table_columns import Columns, draw_columns


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.fixture(scope="module")
def drawn() -> Columns:
    return draw_columns(120, 80, 9, generator=seeded(5))


def slow_holds(clause: Tensor, row: Tensor) -> bool:
    """Whether a clause (atoms, 2) holds on one row."""
    literals = [(atom, polarity) for atom, polarity in clause.nonzero().tolist()]
    return bool(literals) and all(row[atom] == (polarity == 0) for atom, polarity in literals)


def slow_rule(clauses: Tensor, table: Tensor) -> list[bool]:
    return [any(slow_holds(clause, row) for clause in clauses) for row in table]


def test_a_clause_holds_where_all_its_literals_do() -> None:
    generator = seeded()
    truth = torch.rand(6, 10, 4, generator=generator) < 0.5
    clauses = torch.rand(6, 5, 4, 2, generator=generator) < 0.2
    found = holds(clauses, truth)
    for table in range(6):
        for clause in range(5):
            wanted = [slow_holds(clauses[table, clause], row) for row in truth[table]]
            assert found[table, clause].tolist() == wanted
    assert not holds(torch.zeros(6, 1, 4, 2, dtype=torch.bool), truth).any()


def test_a_dnf_is_its_own_rule(drawn: Columns) -> None:
    found = dnf(drawn.truth, seeded())
    for table in range(20):
        wanted = slow_rule(found.clauses[table, 0], drawn.truth[table])
        assert found.labels[table].tolist() == wanted
    sizes = found.clauses[:, 0].sum((2, 3))
    assert (sizes > 0).any(1).all()
    assert sizes.max() == targets.LITERALS
    assert not found.clauses[:, 0].all(-1).any()  # no atom both ways in a clause
    assert torch.equal(found.used[:, 0], found.clauses[:, 0].any(1))
    assert torch.equal(found.used[:, 1], found.used[:, 0].flip(-1))
    assert not found.clauses[:, 1].any()
    assert found.explicit.tolist() == [[True, False]] * 120


def test_numbers_of_clauses_reach_from_one_to_all() -> None:
    found = dnf(torch.zeros(3000, 1, 30, dtype=torch.bool), seeded())
    counts = found.clauses[:, 0].any(-1).any(-1).sum(1)
    assert set(counts.tolist()) == set(range(1, CLAUSES + 1))
    assert (counts <= 2).double().mean() > 0.3


def test_a_tree_sends_every_row_down_one_path(drawn: Columns) -> None:
    found = tree(drawn.truth, seeded())
    assert found.explicit.all()
    assert found.clauses.sum((3, 4)).max() == targets.DEPTH
    both = torch.cat([found.clauses[:, 0], found.clauses[:, 1]], 1)
    assert (holds(both, drawn.truth).sum(1) == 1).all()
    for table in range(20):
        for rail in (0, 1):
            wanted = slow_rule(found.clauses[table, rail], drawn.truth[table])
            assert (found.labels[table] ^ bool(rail)).tolist() == wanted
    assert torch.equal(found.used, found.clauses.any(2))


def test_a_tally_counts_true_literals(drawn: Columns) -> None:
    """Some choice of signs must make the labels: enough, exactly so many, or an odd number."""
    found = tally(drawn.truth, seeded())
    assert not found.explicit.any()
    assert not found.clauses.any()
    for table in range(60):
        used, labels = found.used[table], found.labels[table]
        assert torch.equal(used[1], used[0].flip(-1))
        atoms = used[0].any(-1).nonzero()[:, 0]
        assert 2 <= len(atoms) <= targets.COUNTED
        cells = drawn.truth[table][:, atoms]
        kinds = {
            kind
            for signs in product([True, False], repeat=len(atoms))
            for kind in tallies((cells == torch.tensor(signs)).sum(1), labels, len(atoms))
            if kind != "enough" or used[0, atoms, 0].tolist() == list(signs)
        }
        assert kinds & ({"exact", "odd"} if used[0].all(-1).any() else {"enough"})


def tallies(count: Tensor, labels: Tensor, most: int) -> set[str]:
    """Which kinds of tally give these labels from these counts."""
    found = set()
    if any(torch.equal(labels, count >= least) for least in range(1, most + 1)):
        found.add("enough")
    if any(torch.equal(labels, count == least) for least in range(1, most + 1)):
        found.add("exact")
    if torch.equal(labels, count % 2 == 1):
        found.add("odd")
    return found


def slow_greedy(truth: Tensor, labels: Tensor) -> list[set[tuple[int, int]]]:
    """Clause after clause, literal after literal, by counting rows one at a time."""
    rows, atoms = truth.shape
    literals = list(product(range(atoms), range(2)))
    free, clauses = set(range(rows)), []
    for _ in range(GREEDY_CLAUSES):
        clause, cover, gain = set(), set(free), 0
        for _ in range(GREEDY_LITERALS):
            kept = {
                (atom, polarity): {r for r in cover if truth[r, atom] == (polarity == 0)}
                for atom, polarity in literals
            }
            gains = [sum(1 if labels[r] else -1 for r in kept[literal]) for literal in literals]
            if max(gains) <= gain + GREEDY_GAIN * rows:
                continue
            best = literals[gains.index(max(gains))]
            clause, cover, gain = clause | {best}, kept[best], max(gains)
        clauses.append(clause)
        free -= cover if clause else set()
    return clauses


def test_the_greedy_rule_is_the_slow_one(drawn: Columns) -> None:
    labels = torch.rand(8, 40, generator=seeded()) < drawn.truth[:8, :40, 0] * 0.6 + 0.2
    found = greedy(drawn.truth[:8, :40], labels)
    assert found.shape == (8, CLAUSES, 9, 2)
    for table in range(8):
        wanted = slow_greedy(drawn.truth[table, :40], labels[table])
        masks = [set(map(tuple, clause.nonzero().tolist())) for clause in found[table]]
        assert masks == wanted + [set()] * (CLAUSES - GREEDY_CLAUSES)


def test_no_clause_of_a_greedy_rule_makes_it_worse(drawn: Columns) -> None:
    target = by_score(drawn.truth, vote(drawn.truth, seeded()), seeded(1))
    for rail in (0, 1):
        true = holds(target.clauses[:, rail], drawn.truth)
        wanted = (target.labels ^ bool(rail))[:, None]
        said = torch.cat([torch.zeros_like(wanted), true], 1).cummax(1).values
        errors = (said != wanted).sum(-1)  # with the first 0, 1, 2, ... clauses
        assert (errors.diff(dim=1) <= 0).all()
        assert (errors[:, -1] < errors[:, 0]).double().mean() > 0.8


@pytest.mark.parametrize("hidden", ["vote", "factor"])
def test_rows_of_high_score_are_positive(drawn: Columns, hidden: str) -> None:
    scores = vote(drawn.truth, seeded()) if hidden == "vote" else factor(drawn, seeded())
    target = by_score(drawn.truth, scores, seeded(1))
    for row, labels in zip(scores, target.labels, strict=True):
        assert row[labels].min() > row[~labels].max()
    assert target.labels.double().mean(1).min() > 0.1
    assert target.labels.double().mean(1).max() < 0.9
    assert torch.equal(target.explicit, target.clauses.any(2).any(2).any(2))
    assert torch.equal(target.used, target.clauses.any(2))


def test_an_unbalanced_labelling_gives_way_to_a_better_one(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = draw_columns(600, 100, 12, generator=seeded())

    def rare(found: Target) -> float:
        return float((targets._balance(found.labels) < targets.BALANCE).double().mean())

    twice = draw_target(columns, generator=seeded(1))
    monkeypatch.setattr(targets, "ATTEMPTS", 1)
    once = draw_target(columns, generator=seeded(1))
    assert rare(twice) < 0.5 * rare(once)


def test_both_rails_are_alike() -> None:
    """Half of the labellings are swapped, so neither rail is the one with the clauses."""
    found = draw_target(draw_columns(2000, 60, 10, generator=seeded()), generator=seeded(1))
    assert found.labels.double().mean() == pytest.approx(0.5, abs=0.02)
    first, second = found.explicit.double().mean(0)
    assert float(first) == pytest.approx(float(second), abs=0.04)
    assert found.used.any(-1).any(-1).double().mean() > 0.9
    for rail in (0, 1):
        clear = found.explicit[:, rail] & ~found.explicit[:, 1 - rail]
        assert clear.double().mean() > 0.15  # DNFs, and scores that only one rail has rules for


def test_clauses_make_the_labels_where_a_dnf_or_a_tree_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also after another attempt and after a swap."""
    monkeypatch.setattr(targets, "tally", dnf)
    monkeypatch.setattr(
        targets, "by_score", lambda truth, scores, generator: tree(truth, generator)
    )
    columns = draw_columns(200, 50, 7, generator=seeded())
    found = draw_target(columns, generator=seeded(1))
    for rail in (0, 1):
        said = holds(found.clauses[:, rail], columns.truth).any(1)
        right = (said == found.labels ^ bool(rail)).all(1)
        assert right[found.explicit[:, rail]].all()
        assert 50 < int(found.explicit[:, rail].sum()) < 200


def test_a_generator_in_the_same_state_draws_the_same(drawn: Columns) -> None:
    first, again, other = (draw_target(drawn, generator=seeded(s)) for s in (3, 3, 4))
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
    assert not torch.equal(first.labels, other.labels)
