"""What a user knows of a table: each limit is kept, and moves with columns and classes."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnri import RuleClassifier
from gnri.data.encode import encode
from gnri.data.schema import Above, Equals
from gnri.data.table import Table, number_column
from gnri.data.value_counts import count_values
from gnri.errors import GnriError
from gnri.estimator.constraint_options import read_keep
from gnri.estimator.constraints import Constraints
from gnri.estimator.settings import FitSettings
from gnri.estimator.trials import find_trials, learn_task
from gnri.report.facts import check_symmetry
from gnri.rules.dnf import Literal, SignedDNF
from gnri.rules.documents import save_rules
from gnri.rules.scorecard import Scorecard
from gnri.symmetry.table_task import TableTask
from tests.contracts.format_contract import check
from tests.reliability.symmetry_pairs import NAMES, difference, move, renamed, tied_tasks

FORMS = ("dnf", "scorecard", "checklist", "auto")
CODES = (-9, 99)
forms = st.sampled_from(FORMS)
seeds = st.integers(0, 2**16)
few = settings(max_examples=max(3, settings.default.max_examples // 66))
"""Each example takes several fits."""


def people(seed: int, classes: int = 2, rows: int = 60) -> tuple[pd.DataFrame, pd.Series]:
    """Small numbers with ties and codes, a flag and text; few cells are missing."""
    rng = np.random.default_rng(seed)
    age = rng.choice([1.0, 2.0, 3.0, 4.0, *CODES], rows, p=[0.2, 0.2, 0.2, 0.2, 0.1, 0.1])
    frame = pd.DataFrame(
        {
            "age": age,
            "size": rng.integers(0, 5, rows).astype(float),
            "member": rng.random(rows) < 0.5,
            "town": rng.choice(["a", "b", "c"], rows),
        }
    )
    score = (age > 2) * 1 + (frame["size"] > 2) * 1 + frame["member"] * (rng.random(rows) < 0.7)
    score = np.where(rng.random(rows) < 0.1, rng.integers(0, 4, rows), score)
    frame.loc[rng.random(rows) < 0.05, "size"] = np.nan
    kinds = np.minimum(score, classes - 1) if classes > 2 else score > 1
    labels = pd.Series(np.array(["no", "yes", "maybe"])[np.asarray(kinds, int)])
    labels.iloc[:classes] = ["no", "yes", "maybe"][:classes]
    return frame, labels


def never_falls(classifier: RuleClassifier, column: str, label: str, direction: int) -> bool:
    """Whether a larger cell never turns the answer away from a class, whatever the others are."""
    cells = {
        "age": [1.0, 2.0, 3.0, 4.0, 99.0, np.nan],
        "size": [0.0, 1.0, 2.0, 3.0, 4.0, np.nan],
        "member": [True, False],
        "town": ["a", "b", "c", None],
    }
    others = [name for name in cells if name != column]
    ladder = [cell for cell in cells[column] if not pd.isna(cell) and cell not in CODES]
    ladder.sort(key=lambda cell: direction * cell)
    rows = [dict(zip(others, row, strict=True)) for row in product(*(cells[one] for one in others))]
    frames = [pd.DataFrame([{**row, column: cell} for row in rows]) for cell in ladder]
    said = [classifier.predict(frame[list(cells)]) == label for frame in frames]
    return all((low <= high).all() for low, high in pairwise(said))


def reads(classifier: RuleClassifier) -> set[str]:
    return set(classifier.rule_list_.columns)


@few
@given(seeds, forms)
def test_a_forbidden_column_might_as_well_not_be_there(seed: int, form: str) -> None:
    frame, labels = people(seed)
    frame["big"] = frame["size"]  # a twin of a longer name
    frame["id"] = [f"row {i}" for i in range(len(frame))]  # which could not be used anyway
    found = RuleClassifier(form=form, forbid=["size", "id"]).fit(frame, labels)
    without = RuleClassifier(form=form).fit(frame.drop(columns=["size", "id"]), labels)
    assert found.rule_list_ == without.rule_list_
    assert found.fitted_.twins == without.fitted_.twins
    assert {"size", "id"}.isdisjoint({*reads(found), *found.fitted_.twins.values()})


@few
@given(seeds, forms, st.integers(2, 3), st.sampled_from([-1, 1]), st.booleans())
def test_monotone_rules_are_monotone_on_every_pair_of_rows(
    seed: int, form: str, classes: int, direction: int, codes: bool
) -> None:
    frame, labels = people(seed, classes)
    limits = {"size": ("yes", direction), "member": ("yes", 1)}
    found = RuleClassifier(
        form=form, monotone=limits, special={"age": CODES} if codes else None
    ).fit(frame, labels)
    assert never_falls(found, "size", "yes", direction)
    assert never_falls(found, "member", "yes", 1)


def test_an_answer_that_is_not_monotone_is_seen() -> None:
    frame, _ = people(0)
    found = RuleClassifier().fit(frame, np.where(frame["size"] == 2, "yes", "no"))
    assert not never_falls(found, "size", "yes", 1)


def test_a_direction_alone_is_that_of_the_second_class() -> None:
    frame, labels = people(1)
    named = RuleClassifier(monotone={"size": ("yes", 1)}).fit(frame, labels)
    assert named.rule_list_ == RuleClassifier(monotone={"size": 1}).fit(frame, labels).rule_list_
    swapped = labels.map({"yes": "a", "no": "b"})  # so that yes comes first
    moved = RuleClassifier(monotone={"size": ("a", 1)}).fit(frame, swapped)
    assert moved.rules_["b"] == ~named.rules_["yes"]
    assert moved.rule_list_ == RuleClassifier(monotone={"size": -1}).fit(frame, swapped).rule_list_


@few
@given(seeds, forms, st.integers(2, 3))
def test_a_required_column_is_read(seed: int, form: str, classes: int) -> None:
    frame, labels = people(seed, classes)
    try:
        found = RuleClassifier(form=form, require=["town", "size"]).fit(frame, labels)
    except GnriError as error:
        assert "require names column" in str(error) and form != "dnf"
    else:
        assert {"town", "size"} <= set(found.fitted_.minimized.columns)


def test_a_required_column_is_read_at_a_target() -> None:
    frame, labels = people(0)
    small = {"form": "scorecard", "max_lines": 2, "max_literals": 1}
    found = RuleClassifier(**small, objective="f1", require=["size"]).fit(frame, labels)
    assert "size" in found.fitted_.minimized.columns


@pytest.mark.parametrize(("seed", "classes", "most"), [(0, 2, 3), (1, 3, 2), (3, 2, 2)])
def test_a_required_column_takes_the_place_of_another(seed: int, classes: int, most: int) -> None:
    frame, labels = people(seed, classes)
    limits = {"form": "dnf", "max_conditions": most, "class_weight": "balanced"}
    found = RuleClassifier(**limits, require=["town"]).fit(frame, labels)
    assert "town" in found.fitted_.minimized.columns
    assert all(rule.size <= most for rule in found.rule_list_.rules)


@few
@given(seeds, st.sampled_from(["dnf", "auto"]), st.sampled_from(["yes", "no"]))
def test_kept_clauses_stay(seed: int, form: str, label: str) -> None:
    frame, labels = people(seed)
    text = f"{label} if 1.5 < size <= 3.5 and town != b or member and age > 2"
    found = RuleClassifier(form=form, keep=text).fit(frame, labels)
    printed = found.to_text()
    assert "1.5 < size <= 3.5" in printed and "age > 2 and member" in printed
    for rules in (found.rule_list_, found.fitted_.minimized):
        (rule,), atoms = rules.dnfs, rules.schema.atoms
        said = {frozenset((atoms[i], sign) for i, sign in part) for part in rule.clauses}
        wanted = set(map(frozenset, read_keep(text)[0]))
        assert len(wanted) == 2
        assert {frozenset((str(a), s) for a, s in part) for part in said} >= {
            frozenset((str(a), s) for a, s in part) for part in wanted
        }
        assert rule.positive == (label == "yes")


@few
@given(seeds, st.sampled_from(["dnf", "scorecard"]))
def test_a_huge_price_is_like_forbidding(seed: int, form: str) -> None:
    frame, _ = people(seed)
    frame["cheap"] = np.where(frame["member"], 3.0, 1.0)
    labels = pd.Series(np.where(frame["member"] & (frame["age"] > 2), "yes", "no"))
    frame.loc[0, "cheap"] = 3.0  # no twin, and its rule makes an error at most
    found = RuleClassifier(form=form, prices={"member": 1_000_000}).fit(frame, labels)
    assert "member" not in reads(found)
    assert "member" in reads(RuleClassifier(form=form, prices={"cheap": 1_000}).fit(frame, labels))


def test_the_cheaper_twin_is_learnt_from() -> None:
    frame, labels = people(0)
    frame["measured again"] = frame["size"]
    found = RuleClassifier(prices={"size": 2}, form="dnf").fit(frame, labels)
    assert found.fitted_.twins == {"size": "measured again"}
    found = RuleClassifier(require=["measured again"], form="dnf").fit(frame, labels)
    assert found.fitted_.twins == {"size": "measured again"} and "measured again" in reads(found)


@few
@given(seeds, forms, st.integers(2, 3))
def test_codes_are_in_no_range(seed: int, form: str, classes: int) -> None:
    frame, labels = people(seed, classes)
    found = RuleClassifier(form=form, special={"age": CODES}).fit(frame, labels)
    rules = found.fitted_.minimized
    coded = frame.assign(age=99.0)
    for frame in (coded, coded.assign(age=-9.0)):
        values = found.binarizer_.transform(frame)
        for rule in rules.rules:
            for part, _ in rule.lines:
                read = [rules.schema.atoms[i] for i, _ in part]
                above = any(isinstance(atom, Above) and atom.column == "age" for atom in read)
                points = isinstance(rule, Scorecard) and len(part) == 1  # cells, codes among them
                if above and not points:
                    assert not (SignedDNF([part]).evaluate(values) == 1).any()
    cuts = [a.cut for a in found.schema_.atoms if isinstance(a, Above) and a.column == "age"]
    assert all(1 <= cut < 4 for cut in cuts)


def test_a_code_has_points_of_its_own_in_every_format() -> None:
    rng = np.random.default_rng(3)
    age = rng.choice([10.0, 20, 30, 40, 50, -9, 99], 400)
    chance = np.select([age == -9, age == 99, age > 25], [0.9, 0.05, 0.7], 0.2)
    frame = pd.DataFrame({"age": age, "other": rng.integers(0, 9, 400).astype(float)})
    labels = pd.Series(np.where(rng.random(400) < chance, "yes", "no"))
    found = RuleClassifier(form="scorecard", special={"age": CODES}).fit(frame, labels)
    (line,) = [line for line in found.to_text().splitlines() if " age: " in line]
    assert [cell.split(":")[-2].strip() for cell in line.split("|")][:3] == ["-9", "99", "up to 25"]
    columns = {"age": [-9, 99, 10, 25, 26, 98, None], "other": [1] * 7}
    check(found.fitted_.minimized, columns)


def test_thresholds_by_hand_are_the_only_ones() -> None:
    frame, labels = people(5)
    found = RuleClassifier(form="dnf", thresholds={"size": [1.5, 3]}).fit(frame, labels)
    cuts = {a.cut for a in found.schema_.atoms if isinstance(a, Above) and a.column == "size"}
    assert cuts == {1.5, 3.0}
    with pytest.raises(GnriError, match="given twice"):
        from gnri import Binarizer

        twice = Binarizer(thresholds={"size": [1]})
        RuleClassifier(binarize=twice, thresholds={"size": [1]}).fit(frame, labels)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"forbid": ["agee"]}, "forbid names 'agee'.* is it 'age'"),
        ({"forbid": 5}, "forbid must be a list of columns, such as .*, got 5"),
        ({"require": [["age"]]}, "require must be a list of columns"),
        ({"monotone": 5}, "monotone must be a value for each column, got 5"),
        ({"thresholds": {"age": 5}}, "thresholds of 'age' must be one or more finite numbers"),
        ({"thresholds": {"age": ["a"]}}, "thresholds of 'age' must be one or more finite numbers"),
        ({"use": 5}, "use must be a list of columns"),
        ({"use": [5]}, "has no column 5"),
        ({"forbid": "age"}, r"forbid must be a list of columns, such as \['age'\]"),
        ({"forbid": ["age"], "require": ["age"]}, "'age' is named by forbid and by require"),
        ({"forbid": ["age"], "keep": "age > 2"}, "'age' is named by forbid and by keep"),
        ({"forbid": ["age", "size", "member", "town"]}, "forbid leaves no column"),
        ({"monotone": {"town": 1}}, "monotone needs a column of numbers, but 'town' holds cat"),
        ({"monotone": {"age": 2}}, r"monotone must be \+1 or -1 for column 'age'"),
        ({"monotone": {"age": ("often", 1)}}, "monotone names the class 'often'"),
        ({"special": {"town": [1]}}, "special needs a column of numbers"),
        ({"special": {"age": ["x"]}}, "special must be a list of numbers"),
        ({"prices": {"age": 0}}, "prices must be numbers above 0"),
        ({"keep": "town = nowhere"}, "keep has a condition on column 'town'"),
        ({"keep": "age < 2"}, "keep must have conditions such as age > 30"),
        ({"keep": "age > 2", "form": "scorecard"}, "keep needs clauses"),
        ({"keep": "age > 2 or size > 1", "max_clauses": 1}, "keep has 2 of what max_clauses=1"),
        ({"keep": "age > 2 and size > 1", "max_conditions": 1}, "2 of what max_conditions=1"),
        ({"keep": "age > 2", "monotone": {"age": -1}}, "'age' against the direction"),
        ({"keep": " "}, "keep must be a file of rules or the text of one"),
        ({"thresholds": {"town": [1]}}, "only numbers can be cut"),
        ({"monotone": {"age": 1}, "model": "gnri"}, "monotone needs the model 'guided'"),
    ],
)
def test_contradictions_are_one_clear_line(limits: dict[str, Any], message: str) -> None:
    frame, labels = people(0)
    with pytest.raises(GnriError, match=message) as raised:
        RuleClassifier(**limits).fit(frame, labels)
    assert "\n" not in str(raised.value)


def test_several_classes_need_a_name() -> None:
    frame, labels = people(0, classes=3)
    with pytest.raises(GnriError, match="must name the class that larger values of 'age'"):
        RuleClassifier(monotone={"age": 1}).fit(frame, labels)
    with pytest.raises(GnriError, match="keep needs two classes"):
        RuleClassifier(keep="age > 2").fit(frame, labels)


def test_a_rule_is_kept_from_a_file_as_from_its_words(tmp_path: Path) -> None:
    frame, labels = people(2)
    learnt = RuleClassifier(form="dnf", max_clauses=2).fit(frame, labels)
    path = save_rules(learnt.fitted_.minimized, tmp_path / "rule.json")
    later, wrong = people(3)
    found = [RuleClassifier(keep=keep).fit(later, wrong) for keep in (path, learnt.to_text())]
    assert found[0].rule_list_.rules == found[1].rule_list_.rules
    text = "yes if\n    1 < age <= 3 and town in {a, b}\n    or town not in {a, b} and not member"
    ((low, high, towns), (a, b, flag)), _ = read_keep(text)
    assert (low, high) == ((Above("age", 1.0), True), (Above("age", 3.0), False))
    assert towns[0].values == ("a", "b") and flag[1] is False  # type: ignore[union-attr]
    assert (a, b) == ((Equals("town", "a"), False), (Equals("town", "b"), False))


@pytest.mark.parametrize("most", [2, 3])
def test_kept_conditions_count(most: int) -> None:
    frame, labels = people(2)
    found = RuleClassifier(keep="yes if age > 2 and member", max_conditions=most)
    (rule,) = found.fit(frame, labels).rule_list_.dnfs
    assert rule.size <= most


def test_a_path_leaves_out_what_is_too_short_for_the_constraints() -> None:
    frame, labels = people(0)
    found = RuleClassifier(form="dnf", require=["size", "town"]).fit(frame, labels)
    assert found.path(2)["conditions"].min() >= 2


def test_a_rule_with_codes_has_a_path_and_alternatives() -> None:
    frame, labels = people(0)
    found = RuleClassifier(form="dnf", special={"age": CODES}).fit(frame, labels)
    assert found.path()["rule"].iloc[-1] == found.to_text()
    assert all(one.without for one in found.alternatives())


def test_files_in_parts_give_the_same_rules(tmp_path: Path) -> None:
    frame, labels = people(4, rows=200)
    limits = {
        "monotone": {"size": 1},
        "special": {"age": CODES},
        "prices": {"member": 3},
        "forbid": ["town"],
        "keep": "size > 2 and age > 1.5",
    }
    frame.assign(label=labels).to_csv(tmp_path / "table.csv", index=False)
    parts = RuleClassifier(**limits).fit_files(tmp_path / "table.csv", "label", memory="1GB")
    whole = RuleClassifier(**limits).fit(frame, labels)
    assert parts.rule_list_ == whole.rule_list_


def test_the_audit_learns_within_the_limits() -> None:
    frame, labels = people(6)
    limits = {"monotone": {"size": -1}, "special": {"age": CODES}, "prices": {"member": 5}}
    for form in ("dnf", "scorecard"):
        fitted = RuleClassifier(form=form, **limits).fit(frame, labels).fitted_
        assert all(check_symmetry(find_trials(fitted)).values())


def test_without_limits_nothing_is_loaded_or_changed() -> None:
    frame, labels = people(0)
    plain, given = RuleClassifier().fit(frame, labels), RuleClassifier(forbid=[], prices={})
    assert given.fit(frame, labels).rule_list_ == plain.rule_list_
    assert plain.fitted_.constraints is None


def numbers(rng: np.random.Generator, classes: int) -> TableTask:
    """A small table of few different numbers, some of which are codes."""
    rows, size = int(rng.integers(8, 40)), int(rng.integers(2, 5))
    cells = [rng.choice([0.0, 1.0, 2.0, *CODES], rows) for _ in range(size)]
    table = Table({f"c{i}": number_column(f"c{i}", cell) for i, cell in enumerate(cells)})
    codes = (cells[0] > 1) + (cells[1] > 1) * (classes == 3)
    codes = np.where(rng.random(rows) < 0.15, rng.integers(0, classes, rows), codes)
    codes[:classes] = range(classes)
    special = {name: CODES for name in table if rng.random() < 0.5}
    counts, limits = [count_values(one) for one in table.values()], Constraints(special=special)
    schema = FitSettings().learn_atoms(counts, limits)
    return TableTask(schema, encode(schema, table), codes.astype(np.intp), classes)


def limited(task: TableTask, rng: np.random.Generator, keep: bool) -> TableTask:
    """The table with random limits on its columns."""

    def some(share: float) -> list[str]:
        return [name for name in task.schema.columns if rng.random() < share]

    classes = range(task.classes)
    directions = {c: (int(rng.choice(classes)), int(rng.choice([-1, 1]))) for c in some(0.4)}
    prices = {c: Fraction(int(rng.choice([2, 5, 1000]))) for c in some(0.3)}
    bounds = Constraints(directions, tuple(some(0.2)), prices).bind(task.schema, classes)
    hidden = {one.atom for one in bounds.plain}
    free = [Literal(i, s) for i in range(task.atoms) for s in (True, False) if i not in hidden]
    free = [one for one in free if one not in bounds.barred[-1]]
    if keep and free:
        bounds = replace(bounds, kept=SignedDNF([[free[rng.integers(len(free))]]]))
    return replace(task, bounds=bounds)


def move_limits(image: TableTask, names: np.ndarray) -> TableTask:
    """The image with the limits of each class at the new number of the class."""
    if image.bounds is None or image.classes == 2:
        return image  # two classes are swapped by the symmetry
    barred = tuple(image.bounds.barred[i] for i in np.argsort(names))
    return replace(image, bounds=replace(image.bounds, barred=barred))


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("form", FORMS)
def test_limits_move_with_columns_and_classes(form: str, classes: int) -> None:
    """The rule of the changed table, under the changed limits, is the changed rule."""
    tied = tied_tasks(classes, seed=7)
    for number in range(3):
        rng = np.random.default_rng([number, classes, len(form)])
        task = numbers(rng, classes) if number % 2 else next(tied)
        task = limited(task, rng, keep=classes == 2 and form == "dnf" and number > 1)
        image, g, names = move(task, rng)
        image = move_limits(image, names)
        expected = renamed(g(learn_task(task, FitSettings(form=form))), names)
        found = learn_task(image, FitSettings(form=form))
        assert difference(image, expected, found) in ("", NAMES), number
