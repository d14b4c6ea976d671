"""Ten tables of two classes with few positive rows: balanced accuracy, and a floor for precision.

Of each source in KEEL's collection of imbalanced tables that has one with 1 to 12 % positive rows,
the one with the most of them; of these the ten with the most. Car is left out, as settings were
chosen on it.
"""

import warnings
from collections.abc import Callable, Iterator
from functools import lru_cache
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.classifier import RuleClassifier
from gnri.data.binarizer import Binarizer
from gnri.data.frames import from_frame
from gnri.data.table import Table
from gnri.errors import GnriError
from gnri.estimator.cross_validation import Codes
from studies import read_data
from studies.benchmarks.learners import one_thread
from studies.benchmarks.public_tables import FOLDS, split
from studies.benchmarks.rule_learners import fit_ripper, imported
from studies.benchmarks.user_tables import numbers
from studies.datasets.keel import load_imbalanced
from studies.markdown import grid, markdown, percent
from studies.results import Row, Rows
from studies.study import Context, measure, pieces_of

TABLES = (
    *("page-blocks0", "yeast3", "shuttle-c0-vs-c4", "kr-vs-k-zero-one_vs_draw", "vowel0"),
    *("abalone-17_vs_7-8-9-10", "kddcup-guess_passwd_vs_satan", "winequality-red-4", "flare-F"),
    "led7digit-0-2-4-5-6-7-8-9_vs_1",
)
COUNTS = ("hits", "missed", "false_alarms", "rejected")
FLOOR = 0.8
LEAVES = 16

Answers = NDArray[np.bool_]
Answer = Callable[[Table, Codes, Table], Answers]  # rows, their classes, and rows to answer


def measure_imbalance(names: list[str], context: Context, folds: list[int]) -> Rows:
    """Measure a row for each table, fold and learner, in imbalance.csv; return them all."""
    pieces: list[Row] = [{**p} for p in pieces_of(set=TABLES, fold=folds, learner=names)]
    return measure("imbalance", pieces, _measure, context)


@lru_cache(maxsize=2)
def _load(name: str) -> tuple[Table, Codes]:
    frame, positive = load_imbalanced(name)
    return from_frame(frame).decide(), positive.astype(np.intp)


def _measure(task: Row, _: Context) -> Row:
    table, codes = _load(str(task["set"]))
    shown, hidden = split(codes, int(task["fold"]))
    refused, found = 0, np.zeros(len(hidden), bool)
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of other packages
        start = process_time()
        try:
            answer = LEARNERS[str(task["learner"])]
            found = answer(table.take(shown), codes[shown], table.take(hidden))
        except GnriError as error:
            if "cannot be reached" not in str(error):
                raise
            refused = 1
        seconds = process_time() - start
    true = codes[hidden] == 1
    sides = (true & found, true & ~found, ~true & found, ~true & ~found)
    figures: Row = dict(zip(COUNTS, (int(side.sum()) for side in sides), strict=True))
    return figures | {"refused": refused, "seconds": round(seconds, 2)}


def _ours(**settings: Any) -> Answer:
    def answer(rows: Table, codes: Codes, others: Table) -> Answers:
        model = RuleClassifier(**settings).fit(rows, codes)
        return np.asarray(model.predict(others) == 1)

    return answer


def _fit_tree(rows: Table, codes: Codes) -> Callable[[Table], NDArray[np.float64]]:
    from sklearn.tree import DecisionTreeClassifier

    encode = numbers(rows)
    model = DecisionTreeClassifier(
        max_leaf_nodes=LEAVES, class_weight="balanced", random_state=0
    ).fit(encode(rows), codes)
    return lambda others: model.predict_proba(encode(others))[:, 1]


def _tree_at_floor(rows: Table, codes: Codes, others: Table) -> Answers:
    """Answer by the lowest threshold with the wanted precision on rows held out, in five folds."""
    shares = np.empty(len(codes))
    for fold in range(5):
        shown, hidden = split(codes, fold)
        shares[hidden] = _fit_tree(rows.take(shown), codes[shown])(rows.take(hidden))
    for threshold in np.unique(shares):
        answered = shares >= threshold
        if codes[answered].mean() >= FLOOR:
            return _fit_tree(rows, codes)(others) >= threshold
    raise GnriError(f"precision {FLOOR} cannot be reached")


def _figs(rows: Table, codes: Codes, others: Table) -> Answers:
    encode = numbers(rows)
    weights = np.where(codes == 1, (codes == 0).sum() / codes.sum(), 1.0)
    model = imported("imodels").FIGSClassifier(max_rules=LEAVES - 1, random_state=0)
    model.fit(encode(rows), codes, sample_weight=weights)
    return np.asarray(model.predict(encode(others))) == 1


def _ripper(rows: Table, codes: Codes, others: Table) -> Answers:
    binarizer = Binarizer().fit(rows)
    rule = fit_ripper(binarizer.transform(rows), codes == 1)
    return rule.evaluate(binarizer.transform(others)) == 1


LEARNERS: dict[str, Answer] = {
    "gnri": _ours(objective="balanced_accuracy"),
    "gnri-weighted": _ours(class_weight="balanced"),
    "tree": lambda rows, codes, others: _fit_tree(rows, codes)(others) > 0.5,
    "figs": _figs,
    "ripper": _ripper,
    "gnri-floor": _ours(min_precision=FLOOR),
    "tree-floor": _tree_at_floor,
}
BALANCED = ("gnri", "gnri-weighted", "tree", "figs", "ripper")


def report(rows: Rows) -> str:
    """Return the page: balanced accuracy, then precision and recall with a floor."""
    sums = dict(_add_up(rows))
    sets = [name for name in TABLES if any(key[0] == name for key in sums)]
    learners = [name for name in BALANCED if any(key[1] == name for key in sums)]
    shares = {
        key: (hits / (hits + missed) + right / (right + false)) / 2
        for key, (hits, missed, false, right, _) in sums.items()
    }
    body = grid(shares, sets, learners, percent)
    others = [name for name in learners if not name.startswith("gnri")]
    folds = len({row["fold"] for row in rows})
    so_far = [f"Measured so far: {folds} of the five folds.\n"] if folds < FOLDS else []
    heading = read_data("studies.benchmarks", "pages.toml")["imbalance"]
    parts = [heading, *so_far, "## Balanced accuracy, %\n", markdown(["set", *learners], body)]
    for ours in (name for name in learners if name.startswith("gnri")):
        whole = [one for one in sets if all((one, name) in shares for name in [ours, *others])]
        best = sum(all(shares[one, ours] >= shares[one, name] for name in others) for one in whole)
        said = f"`{ours}` is at or above {', '.join(others)} on {best} of {len(whole)} tables.\n"
        parts.append(said)
    parts += _floors(sums, sets)
    return "\n".join(parts)


def _floors(sums: dict[tuple[str, str], NDArray[np.int64]], sets: list[str]) -> Iterator[str]:
    names = ("gnri-floor", "tree-floor")
    body, kept, more, answered = [], 0, 0, 0
    for one in (one for one in sets if all((one, name) in sums for name in names)):
        cells, figures = [one], []
        for name in names:
            hits, missed, false, _, refused = sums[one, name].tolist()
            precision = hits / (hits + false) if hits + false else None
            figures.append((precision, hits / (hits + missed)))
            cells += ["-" if precision is None else percent(precision), percent(figures[-1][1])]
            cells.append(str(refused))
        (precision, recall), (_, other) = figures
        answered += precision is not None
        kept += precision is not None and precision >= 0.75
        more += recall > other
        body.append(cells)
    head = ["set", *(f"{who}: {what}" for who in ("gnri", "tree") for what in FIGURES)]
    yield f"## At a floor of {FLOOR:g} for precision\n"
    yield (
        f"`min_precision={FLOOR:g}`, and the balanced tree at the lowest threshold with that "
        "precision on rows held out. In a fold in which the floor cannot be reached the learner "
        "refuses, and no row is answered as positive.\n"
    )
    yield markdown(head, body)
    yield (
        f"Precision on unseen rows is 75 % or more on {kept} of the {answered} tables with an "
        f"answer ({len(body)} in all), and recall above the tree's on {more}.\n"
    )


FIGURES = ("precision, %", "recall, %", "folds refused")


def _add_up(rows: Rows) -> Iterator[tuple[tuple[str, str], NDArray[np.int64]]]:
    """Yield the sums of the counts of each table and learner."""
    for key in dict.fromkeys((row["set"], row["learner"]) for row in rows):
        own = [row for row in rows if (row["set"], row["learner"]) == key]
        yield key, np.array([[int(row[n]) for n in (*COUNTS, "refused")] for row in own]).sum(0)
