"""The audits: the full model is exact, what is taken out of it is not, groups have their size."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from studies.datasets import BENCHMARK
from studies.paper import PUBLISHED, drift
from studies.paper import networks as variants
from studies.paper import rule_equality as rule_eq
from studies.paper import rule_equality as rule_eq_report
from studies.paper import rule_equality as schema_rule_eq
from studies.paper.episodes import one_hot_blocks, synthetic_episodes, training_episodes
from studies.study import Context, Protocol, load_protocol, render, run
from tests.studies.paper.networks import network

TINY = Context(protocol=load_protocol(tiny=True))


@pytest.fixture(autouse=True)
def untrained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variants, "network_of", lambda _, condition, __: (network(condition), "0"))


@pytest.mark.parametrize("variant", variants.VARIANTS)
def test_a_row_for_each_transform(variant: str) -> None:
    rows = rule_eq.measure({"variant": variant, "seed": 42, "table": "synthetic 6"}, TINY)
    assert [row["transform"] for row in rows][-2:] == ["worst", "all"]
    assert (len(rows), rows[-1]["pairs"], rows[-1]["atoms"]) == (15, 52, 6)
    worst = min(float(row["rule_eq"]) for row in rows[:-2])
    assert rows[-2]["rule_eq"] == worst
    if variant == "gnri":
        assert worst == 1
        assert all(row["max_dev"] == 0 for row in rows)


def test_a_native_forward_cuts_ties_by_index() -> None:
    full = network("gnri")
    native = variants.native(full)
    assert full.condition.tie_complete and not native.condition.tie_complete
    assert all(
        torch.equal(a, b) for a, b in zip(native.parameters(), full.parameters(), strict=True)
    )


def test_public_tables_are_audited_fold_by_fold_and_class_by_class() -> None:
    piece = {"variant": "gnri", "seed": 42, "table": "monks-1"}
    rows = rule_eq.measure(piece, TINY)
    assert (rows[-1]["atoms"], rows[-1]["episodes"], rows[-1]["rule_eq"]) == (17, 1, 1.0)
    assert len(training_episodes("tic-tac-toe", (0, 1), None)) == 2


@pytest.mark.parametrize("name", ["monks-1", "monks-2", "monks-3", "tic-tac-toe"])
def test_the_schema_group_is_the_paper_s(name: str) -> None:
    settings = {"seeds": [], "sets": [name], "folds": [0]}
    context = Context(protocol=Protocol({"schema_rule_eq": settings}))
    (row,) = schema_rule_eq.measure_schema({"variant": "gnri", "seed": 42, "table": name}, context)
    known = PUBLISHED["schemas"][name]
    assert (row["atoms"], row["blocks"]) == (known["atoms"], known["blocks"])
    assert float(row["log10_order"]) == pytest.approx(known["log_order"], abs=0.005)
    assert (row["rule_eq"], row["pairs"]) == (1, 1)


def test_a_column_of_one_value_is_no_block() -> None:
    assert all(len(block) > 1 for block in one_hot_blocks("tic-tac-toe", None))


def test_the_paper_has_every_public_table() -> None:
    assert set(PUBLISHED["schemas"]) == set(BENCHMARK)
    assert load_protocol().section("rule_eq").sets == tuple(BENCHMARK)
    assert load_protocol().section("schema_rule_eq").sets == tuple(BENCHMARK)


def test_trials_within_the_margin_keep_their_rule() -> None:
    for name in ("gnri", "nri + canonical decode"):
        inducer, _ = variants.load_variant(TINY, name, 42)
        batch = synthetic_episodes(6, 5, 1)[0].batch
        trials = [t for i in range(5) for t in drift.trials_of(inducer, batch.episode(i), i)]
        assert len(trials) == 65
        assert all(trial.equal for trial in trials if 2 * trial.scores < trial.margin)
        if name == "gnri":
            assert all((t.scores, t.prediction, t.equal) == (0, 0, True) for t in trials)
        else:
            assert max(trial.scores for trial in trials) > 1e-3


def test_bins_count_every_pair_once() -> None:
    rows = drift.measure({"variant": "native forward", "seed": 42, "atoms": 6}, TINY)
    for by in ("prediction", "scores"):
        assert sum(int(row["pairs"]) for row in rows if row["by"] == by) == 52
    assert all(int(row["equal"]) <= int(row["pairs"]) for row in rows)
    assert drift.bin_of(0.1) == "-1"
    assert [drift.bin_of(x) for x in (1e-8, 9.9e-9)] == ["-8", "-9"]


def test_drifts_are_drawn(tmp_path: Path) -> None:
    context = replace(TINY, results=tmp_path)
    run(drift.STUDY, context)
    render(drift.STUDY, context)
    text = (tmp_path / "drift.md").read_text()
    assert "| drift | gnri | native forward | nri + canonical decode |" in text
    assert "| none | 1.000 (52) |" in text
    assert (tmp_path / "figures" / "drift.svg").stat().st_size > 1000


def test_only_an_exact_one_reads_as_one(tmp_path: Path) -> None:
    protocol = load_protocol()
    row = {"variant": "gnri", "seed": "42", "table": "synthetic 128", "atoms": "128"}
    row |= {"pairs": "9", "rule_eq_ne": "", "coverage": "1.0", "max_dev": "0.0"}
    lines = [row | {"transform": name, "rule_eq": "0.99999"} for name in ("label", "worst", "all")]
    text = rule_eq_report.STUDY.tables(fake(tmp_path, protocol, lines))["rule_eq"]
    assert "| synthetic 128 | gnri | 128 | 0.999 | - | 1.000 | 1 | 9 | 0e+00 |" in text


def fake(folder: Path, protocol: Protocol, rows: list[dict[str, str]]) -> Context:
    class Held(Context):
        def rows(self, name: str) -> list[dict[str, str]]:
            return rows if name == "rule_eq" else []

    return Held(folder, protocol)


def test_the_prediction_is_the_average_where_the_condition_has_it() -> None:
    batch = synthetic_episodes(6, 1, 1)[0].batch
    episode = batch.episode(0)
    ours, _ = variants.load_variant(TINY, "gnri", 42)
    swapped = replace_labels(episode)
    assert np.array_equal(ours.predict(swapped), 1 - ours.predict(episode))
    base, _ = variants.load_variant(TINY, "nri", 42)
    assert not np.allclose(base.predict(swapped), 1 - base.predict(episode))


def replace_labels(episode):
    return type(episode)(episode.values, -episode.labels)
