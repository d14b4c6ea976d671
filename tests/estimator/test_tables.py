"""What is left out of a table changes nothing else: the rule is that of the table without it."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gnri.classifier import RuleClassifier
from gnri.data.sources import TableSource, open_source, read_table
from gnri.data.target import AnyTarget, TargetCut
from gnri.errors import GnriError
from gnri.estimator.cross_validation import cross_validate
from gnri.estimator.fitting import Fitted, fit

IGNORED = ["Unnamed: 0", "joined", "note", "patient_id"]


def patients(rows: int = 240, seed: int = 0, unlabelled: int = 20) -> pd.DataFrame:
    """Ill if old and a smoker, with all that people have in their tables beside it."""
    rng = np.random.default_rng(seed)
    age, smoker = rng.integers(18, 80, rows), rng.random(rows) < 0.5
    ill = np.where((age > 50) & smoker, "yes", "no").astype(object)
    ill[rng.choice(rows, unlabelled, replace=False)] = None
    return pd.DataFrame(
        {
            "Unnamed: 0": range(rows),
            "patient_id": rng.permutation(rows * 3)[:rows],
            "age": age,
            "smoker": smoker,
            "joined": np.datetime_as_string(
                np.datetime64("2020-01-01") + rng.integers(0, 30, rows)
            ),
            "note": [f"note {i}" for i in range(rows)],
            "cost": (age * 3.0 + rng.normal(size=rows)).round(1),
            "ill": ill,
        }
    )


def answers(found: Fitted) -> tuple[Any, ...]:
    counts = found.leaf_counts
    return found.rule_list, found.minimized, found.sizes, repr(counts), found.ignored.keys()


def every_way(frame: pd.DataFrame, folder: Path, target: AnyTarget = "ill") -> list[Fitted]:
    """The frame learnt in memory and in parts, as text and as Parquet, in shuffled pieces."""
    frame.to_csv(folder / "all.csv", index=False)
    frame.to_parquet(folder / "all.parquet", index=False)
    found = [
        fit(TableSource.of(read_table(folder / f"all.{one}")), target) for one in ("csv", "parquet")
    ]
    order = np.random.default_rng(1).permutation(len(frame))
    for i, rows in enumerate(np.array_split(order, 5)):
        frame.iloc[rows].to_csv(folder / f"part-{i}.csv", index=False)
        frame.iloc[rows].to_parquet(folder / f"part-{i}.parquet", index=False)
    found += [fit(open_source(folder / f"part-*.{one}"), target) for one in ("csv", "parquet")]
    return found


def test_every_way_leaves_the_same_out(tmp_path: Path) -> None:
    frame = patients()
    first, *others = every_way(frame, tmp_path)
    assert sorted(first.ignored) == IGNORED and first.target.unlabelled == 20
    (tmp_path / "plain").mkdir()
    plain = every_way(frame.dropna(subset="ill").drop(columns=IGNORED), tmp_path / "plain")
    for one in others:
        assert answers(one) == answers(first) and one.target.unlabelled == 20
        assert one.missing == first.missing
    for one in plain:
        assert answers(one)[:4] == answers(first)[:4] and not one.ignored


def test_a_frame_is_answered_as_a_file(tmp_path: Path) -> None:
    frame = patients(unlabelled=0)
    with pytest.warns(UserWarning, match="columns are ignored: 'Unnamed: 0' is the index"):
        found = RuleClassifier().fit(frame.drop(columns="ill"), frame["ill"])
    assert sorted(found.ignored_columns_) == IGNORED
    assert found.ignored_columns_["note"].startswith("holds 240 different values in 240 rows")
    first = every_way(frame, tmp_path)[0]
    assert found.rule_list_ == first.rule_list
    assert "smoker" in found.to_text() and "smoker >" not in found.to_text()
    assert (found.predict(frame.drop(columns="ill")) == frame["ill"]).mean() > 0.99
    dated = frame.assign(joined=pd.to_datetime(frame["joined"])).drop(columns="ill")
    with pytest.warns(UserWarning, match="'joined' holds dates or times"):
        assert RuleClassifier().fit(dated, frame["ill"]).rule_list_ == found.rule_list_
    assert np.isclose(cross_validate(found.fitted_).accuracy, 1, atol=0.05)


def test_a_label_that_is_missing_is_refused_of_a_frame() -> None:
    frame = patients()
    with pytest.raises(GnriError, match="every row needs a label"):
        RuleClassifier().fit(frame[["age", "smoker"]], frame["ill"])


def test_a_column_that_is_asked_for_is_learnt_from() -> None:
    frame = pd.DataFrame({"dose": range(1, 61), "colour": list("ab") * 30})
    labels = ["low"] * 25 + ["high"] * 35
    with pytest.warns(UserWarning, match="'dose' numbers the rows, from 1 to 60; if it is"):
        assert "dose" not in RuleClassifier().fit(frame, labels).to_text()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "dose" in RuleClassifier(use=["dose"]).fit(frame, labels).to_text()
        RuleClassifier().fit(frame[["dose"]], labels)
    with pytest.raises(GnriError, match="has no column 'does'; did you mean 'dose'"):
        RuleClassifier(use=["does"]).fit(frame, labels)
    with pytest.raises(
        GnriError, match=r"use must be a list of columns, such as \['age'\], got 'dose'"
    ):
        RuleClassifier(use="dose").fit(frame, labels)
    notes = frame.assign(note=[f"note {i}" for i in range(60)])
    with pytest.raises(GnriError, match="'note' holds 60 different values"):
        RuleClassifier(use=["note"]).fit(notes, labels)


@pytest.mark.parametrize("na", ["-", "na", "."])
def test_a_dash_is_a_label_only_among_texts(na: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1, 2, 3, 4] * 9, "b": list("xyx") * 12})
    for labels, unlabelled in ((["0", "1", na, "1"], 9), (["yes", "no", na, "no"], 0)):
        found = every_way(frame.assign(ill=labels * 9), tmp_path)
        csv = [found[0], found[2]]  # in Parquet these are texts as they stand
        assert [one.target.unlabelled for one in csv] == [unlabelled] * 2
        assert answers(csv[0]) == answers(csv[1])


CUTS: list[tuple[TargetCut, list[str]]] = [
    (TargetCut("cost", bins=2), ["up to", "above"]),
    (TargetCut("cost", threshold=150), ["up to 150", "above 150"]),
    (TargetCut("cost", bins=3), ["up to", "above", "above"]),
]


@pytest.mark.parametrize(("cut", "begin"), CUTS)
def test_a_target_of_numbers_is_cut_alike_in_every_way(
    cut: TargetCut, begin: list[str], tmp_path: Path
) -> None:
    frame = patients().drop(columns="ill")
    frame.loc[3:8, "cost"] = np.nan
    first, *others = every_way(frame, tmp_path, cut)
    assert [str(name).startswith(head) for name, head in zip(first.classes, begin, strict=True)]
    assert first.target.unlabelled == 6
    for one in others:
        assert one.classes.tolist() == first.classes.tolist() and answers(one) == answers(first)
    low = frame["cost"] <= first.target.cuts[0]
    assert first.sizes[0] == low.sum()
    if cut.bins:
        assert max(first.sizes) - min(first.sizes) <= 3
    elif len(first.classes) == 2:
        kept = frame.dropna(subset="cost")
        labels = np.where(kept["cost"] <= 150, "a", "b")
        plain = RuleClassifier().fit(kept[["age", "smoker"]], labels)
        assert plain.rules_["b"] == first.rule_list.rule_of[1]


def test_files_are_cut_in_python(tmp_path: Path) -> None:
    patients().drop(columns="ill").to_csv(tmp_path / "t.csv", index=False)
    with pytest.warns(UserWarning, match="ignored"):
        found = RuleClassifier().fit_files(tmp_path / "t.csv", "cost", threshold=150)
    assert found.classes_.tolist() == ["up to 150", "above 150"]
    answer = found.predict(patients().drop(columns=["ill", "cost"]))
    assert set(answer) == {"up to 150", "above 150"}


def test_unlabelled_rows_are_told_in_python(tmp_path: Path) -> None:
    frame = patients()[["age", "smoker", "ill"]]
    frame.to_csv(tmp_path / "t.csv", index=False)
    with pytest.warns(UserWarning, match="20 rows without a label left out"):
        RuleClassifier().fit_files(tmp_path / "t.csv", "ill")
