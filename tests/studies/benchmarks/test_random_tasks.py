"""The benchmarks on random tasks whose rule is known."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gnri.episode import Episode
from gnri.errors import GnriError
from gnri.rules.dnf import Literal, SignedDNF
from studies.benchmarks import random_tasks, reports
from studies.benchmarks.fitted import by_rules
from studies.study import Context
from studies.training.coin_tables import PriorConfig, rules, sample
from studies.training.streams import seeded

PRIOR = PriorConfig(atoms=(6, 6))


def hidden_rules(count: int) -> Iterator[SignedDNF]:
    parts = (*PRIOR.atoms, *PRIOR.clauses, *PRIOR.literals)
    return iter(rules(sample(PRIOR, count, generator=seeded("tasks", *parts))))


def oracle(monkeypatch: pytest.MonkeyPatch, change) -> None:
    """A learner that knows the hidden rules, and changes them."""
    hidden = hidden_rules(20)

    def learner(values, codes):
        rule = next(hidden)
        return by_rules(lambda _: change(rule))(values, codes)

    monkeypatch.setattr(random_tasks, "learner_named", {"oracle": learner}.__getitem__)


def test_the_hidden_rule_is_recovered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Always, but where all labels are the same and no rule is asked for."""
    drawn = sample(
        PRIOR, 20, generator=seeded("tasks", *PRIOR.atoms, *PRIOR.clauses, *PRIOR.literals)
    )
    labels = [{*row} - {0} for row in drawn.batch.labels.tolist()]
    told_apart = sum(len(both) == 2 for both in labels) / 20
    oracle(monkeypatch, lambda rule: rule)
    found = random_tasks.score("oracle", PRIOR, 20)
    assert found["recovered"] == told_apart > 0.7
    assert float(found["fresh_fidelity"]) > 0.95


def test_a_rule_of_the_same_function_is_recovered_and_another_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def longer(rule: SignedDNF) -> SignedDNF:
        """The same function: each clause once with an atom more, once with its negation."""
        return SignedDNF(
            clause | {literal}
            for clause in rule.clauses
            for literal in (Literal(5), Literal(5, False))
        )

    oracle(monkeypatch, lambda rule: rule)
    plain = random_tasks.score("oracle", PRIOR, 20)
    oracle(monkeypatch, longer)
    assert random_tasks.score("oracle", PRIOR, 20)["recovered"] == plain["recovered"]
    oracle(monkeypatch, lambda rule: ~rule)
    assert random_tasks.score("oracle", PRIOR, 20)["recovered"] == 0


def test_a_learner_without_rules_recovers_none(tmp_path: Path) -> None:
    (row,) = random_tasks.measure_widths(["cart"], Context(tmp_path), episodes={6: 4})
    assert row["recovered"] == row["rule_literals"] == ""
    assert float(row["support_accuracy"]) == 1


def test_tasks_are_the_same_every_time() -> None:
    first, second = (random_tasks.score("flat:1", PRIOR, 5) for _ in range(2))
    assert first | {"seconds": 0} == second | {"seconds": 0}


def test_synthetic_and_recovery_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_tasks, "SHAPES", [(1, 1), (2, 2)])
    rows = random_tasks.measure_widths(
        ["cart", "flat:1"], Context(tmp_path), episodes={6: 4, 12: 3}
    )
    text = reports.synthetic(rows)
    assert "| atoms | cart | flat:1 |" in text
    assert "## Share of rules recovered\n\n| atoms | flat:1 |" in text
    shapes = random_tasks.measure_shapes(["flat:1"], Context(tmp_path), episodes=5)
    assert "| 1 x 1 | 1.000 |" in reports.recovery(shapes)


def test_noise_and_spurious_columns(tmp_path: Path) -> None:
    rows = random_tasks.measure_noise(["cart", "flat:1"], Context(tmp_path), episodes=6)
    assert len(rows) == 14
    fidelity = {
        (row["noise"], row["spurious"]): float(row["fresh_fidelity"])
        for row in rows
        if row["learner"] == "cart"
    }
    assert fidelity["0.3", "0"] < fidelity["0.0", "0"]
    text = reports.noise(rows)
    assert "| noise | cart | flat:1 |" in text and "| spurious | cart | flat:1 |" in text
    reports.draw_noise(rows, tmp_path / "noise.svg")
    assert "<svg" in (tmp_path / "noise.svg").read_text()


def test_rows_that_fill_up_a_batch_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Episode] = []

    def learner(values, codes):
        seen.append(Episode(values, codes * 2 - 1))
        return by_rules(lambda _: None)(values, codes)

    monkeypatch.setattr(random_tasks, "learner_named", lambda _: learner)
    random_tasks.score("any", PRIOR, 8)
    assert all(episode.values.all() for episode in seen)
    assert len({episode.rows for episode in seen}) > 1


def test_a_curve_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(GnriError, match=r"pip install 'gnri\[plots\]'"):
        reports.draw_noise([], tmp_path / "noise.svg")
