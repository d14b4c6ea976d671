"""Accuracy of frozen networks on the nineteen public tables, five folds and eight seeds."""

import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import product
from statistics import mean

import numpy as np
from numpy.typing import NDArray

from gnri.data.schema import Above
from gnri.episode import Episode
from gnri.estimator.cross_validation import Codes
from gnri.rules.dnf import SignedDNF
from gnri.rules.scorecard import AnyRule
from studies.benchmarks.fitted import Fitted
from studies.benchmarks.learners import accuracy_of, learner_of_seed, one_thread, weights_of
from studies.benchmarks.one_against_rest import one_against_rest
from studies.benchmarks.public_tables import Part, parts_of, split, table
from studies.datasets import encode, load
from studies.markdown import below_majority, distinct, markdown, mean_figures
from studies.paper import LEFT_OUT, NOT_ORIGINAL, PUBLISHED
from studies.paper.baseline_networks import CONDITIONS, ConditionInducer, export_of
from studies.paper.networks import SHIPPED, WIDE, inducer_of, signal
from studies.results import Row, Rows
from studies.study import Context, Piece, Settings, Study, pieces_of


def pieces(settings: Settings) -> Sequence[Piece]:
    """Return a piece for each table and network or learner, all of one table together."""
    answering: list[tuple[str, str | int]] = [(name, "") for name in settings.learners]
    seeded = (*settings.reordered, *settings.conditions)
    answering += [(name, seed) for name in seeded for seed in settings.seeds]
    answering += [(name, SHIPPED) for name in settings.shipped + (WIDE,) * bool(settings.shipped)]
    return [
        {"set": name, "condition": condition, "seed": seed}
        for name, (condition, seed) in product(settings.sets, answering)
    ]


def measure(piece: Piece, context: Context) -> list[Row]:
    """Return a row for each fold."""
    encoded, checksum = table(str(piece["set"]), context.data_dir)
    facts: Row = {"atoms": encoded.values.shape[1], "classes": int(encoded.codes.max()) + 1}
    figures_of, facts["checkpoint"] = answering(context, str(piece["condition"]), piece["seed"])
    with one_thread():
        return [
            {"fold": fold, **facts}
            | figures_of(*parts_of(encoded, *split(encoded.codes, fold)))
            | {"data": checksum}
            for fold in context.protocol.section("capability").folds
        ]


def answering(
    context: Context, condition: str, seed: str | int
) -> tuple[Callable[[Part, Part], Row], str]:
    """Return what learns from rows and is scored on others, and the checksum of its weights."""
    if condition in CONDITIONS:
        inducer = inducer_of(context, condition, seed)
        return partial(_of_network, inducer), inducer.sha256
    learner = learner_of_seed(condition, seed)
    return lambda shown, hidden: _figures(learner(*shown), hidden), weights_of(condition)


def rules_cell(rules: Sequence[AnyRule | None]) -> str:
    """Return rules as a cell: their texts in a JSON list, null where there is none."""
    return json.dumps([None if rule is None else str(rule) for rule in rules]) if rules else ""


def _of_network(inducer: ConditionInducer, shown: Part, hidden: Part) -> Row:
    """Return figures on rows held out, of several classes by the highest soft score."""
    condition, read = inducer.condition, []

    def rule_of(episode: Episode) -> SignedDNF | None:
        read.append(inducer(episode))
        return export_of(condition)(read[-1], episode).rule

    row = _figures(one_against_rest(rule_of)(*shown), hidden)
    if len(read) > 1:
        signals = np.stack([signal(condition, scores, hidden[0]) for scores in read])
        row["accuracy"] = round(float(np.mean(highest(signals, shown[1]) == hidden[1])), 6)
    return row


def highest(signals: NDArray[np.int64], codes: Codes) -> Codes:
    """Return the class of the highest signal in each row; of equal ones the larger, the earlier.

    `signals` is (classes, rows), the classes those of the training `codes` in order.

    >>> highest(np.array([[1, 5], [1, 7]]), np.array([0, 4, 4]))
    array([4, 4])
    """
    classes, sizes = np.unique(codes, return_counts=True)
    order = np.argsort(-sizes, kind="stable")
    return classes[order][signals[order].argmax(0)]


def _figures(fitted: Fitted, hidden: Part) -> Row:
    accuracy, counted = accuracy_of(fitted, hidden), fitted.sizes()
    figures: Row = {"accuracy": accuracy, "voted": accuracy}
    figures |= {size: counted[size] for size in ("clauses", "literals")}
    return figures | {"rules": rules_cell(fitted.rules)}


def measure_cuts(piece: Piece, context: Context) -> list[Row]:
    """Return a row for each fold, with medians of the whole table and of its training rows."""
    settings = context.protocol.section("fold_cuts")
    name, condition = str(piece["set"]), str(piece["condition"])
    dataset, rows = load(name, context.data_dir), list[Row]()
    seed = SHIPPED if condition in CONDITIONS else ""
    figures_of, checkpoint = answering(context, condition, seed)
    codes = encode(dataset).codes
    with one_thread():
        for fold, cuts in product(settings.folds, CUTS):
            places = split(codes, fold)
            encoded = encode(dataset, None if cuts == WHOLE else places[0])
            accuracy = figures_of(*parts_of(encoded, *places))["accuracy"]
            cut = sum(isinstance(atom, Above) for atom in encoded.schema.atoms)
            own: Row = {"fold": fold, "cuts": cuts, "cut_atoms": cut}
            rows.append({**own, "accuracy": accuracy, "checkpoint": checkpoint})
    return rows


WHOLE, FOLD = CUTS = ("whole table", "training rows")


def cuts_page(rows: Rows, _: Context) -> list[str]:
    """Return the accuracy of each learner with both kinds of cuts, and what they differ by."""
    columns, sets = distinct(rows, "condition", ("gnri",)), distinct(rows, "set")
    atoms = {row["set"]: row["cut_atoms"] for row in rows}
    found = {
        cuts: means([row | {"seed": ""} for row in rows if row["cuts"] == cuts]) for cuts in CUTS
    }

    def cell(column: str, names: Sequence[str]) -> str:
        whole, fold = (mean(found[cuts][name, column] for name in names) for cuts in CUTS)
        return f"{whole:.2f} / {fold:.2f} ({fold - whole:+.2f})"

    body = [[name, atoms[name], *(cell(column, [name]) for column in columns)] for name in sets]
    body.append(["**mean**", "", *(cell(column, sets) for column in columns)])
    return [markdown(["table", "atoms that are cuts", *columns], body)]


PAPER = PUBLISHED["capability"]
NETWORKS = ("nri", "eqarch", "gnri")
LEARNERS = ("majority", "logistic", "cart")
BUNDLED = {name: f"{name}, {SHIPPED}" for name in ("gnri", WIDE)}
OURS = (*BUNDLED.values(), "guided", "guided+refine")

Means = dict[tuple[str, str], float]  # accuracy in % by table and condition, over folds and seeds


def means(rows: Rows, column: str = "accuracy") -> Means:
    """Return the mean of a column for each table and condition; bundled weights are left out."""
    kept = [row for row in rows if row["seed"] != SHIPPED]
    found = mean_figures(kept, "set", "condition", column)
    return {key: 100 * value for key, value in found.items()}


def page(rows: Rows, _: Context) -> list[str]:
    """Return accuracy by table and condition, the paper's figure behind ours."""
    bundled = [row for row in rows if row["seed"] == SHIPPED]
    bundled = [row | {"seed": "", "condition": BUNDLED[row["condition"]]} for row in bundled]
    found, sets = means(rows) | means(bundled), distinct(rows, "set")
    return [
        _accuracies(found, sets),
        _anchors(found, sets),
        _below_majority(found, sets),
        _several_classes(rows, sets),
    ]


def _accuracies(found: Means, sets: Sequence[str]) -> str:
    columns = [c for c in (*LEARNERS, *NETWORKS, *OURS) if any(c == name for _, name in found)]

    def cell(column: str, names: Sequence[str]) -> str:
        measured = [found[name, column] for name in names if (name, column) in found]
        ours = f"{mean(measured):.1f}" if measured else "-"
        if 0 < len(measured) < len(names):
            return f"{ours} ({len(measured)} of {len(names)})"
        if column in OURS:
            return ours
        return f"{ours} / {mean(PAPER[name][column] for name in names):.1f}"

    body = [[name, *(cell(column, [name]) for column in columns)] for name in sets]
    body.append(["**mean**", *(cell(column, sets) for column in columns)])
    return markdown(["table", *columns], body)


def far_anchors(found: Means, sets: Iterable[str]) -> list[tuple[str, str, float]]:
    """Return anchors more than a point from the paper's on tables that are the paper's own."""
    gaps = [
        (name, column, found[name, column] - PAPER[name][column])
        for column in LEARNERS
        for name in sets
        if name not in NOT_ORIGINAL and (name, column) in found
    ]
    return [(name, column, gap) for name, column, gap in gaps if abs(gap) > 1]


def _anchors(found: Means, sets: Sequence[str]) -> str:
    if not any(column in LEARNERS for _, column in found):
        return ""
    far = [f"{column} on {name} ({gap:+.1f})" for name, column, gap in far_anchors(found, sets)]
    said = ", ".join(far) or "none"
    return f"Anchors more than a point from the paper's, on the tables that are its own: {said}.\n"


def _below_majority(found: Means, sets: Sequence[str]) -> str:
    measured = {column for _, column in found}
    below = below_majority(found, sets, [c for c in (*NETWORKS, *OURS) if c in measured])
    lines = [f"- {column}: {', '.join(names) or 'none'}\n" for column, names in below.items()]
    title = "Tables on which always answering the majority is better:\n\n"
    return "".join([title, *lines]) if lines else ""


def _several_classes(rows: Rows, sets: Sequence[str]) -> str:
    """Return the two ways to join the rules of several classes."""
    several = {row["set"] for row in rows if int(row["classes"]) > 2}
    soft, voted = means(rows), means(rows, "voted")
    body = [
        [name, column, f"{soft[name, column]:.1f}", f"{voted[name, column]:.1f}"]
        for name in sets
        if name in several
        for column in NETWORKS
        if (name, column) in soft
    ]
    if not body:
        return ""
    return (
        "Of several classes the table above takes that of the highest soft score, as we read the "
        "paper. Answered by the exported rules alone, each class by how often its rule was "
        "right:\n\n" + markdown(["table", "condition", "soft score", "exported rules"], body)
    )


Lift = tuple[int, float, float]  # tables, their mean lift in points, and by the paper's figures


def lifts_of(rows: Rows) -> dict[str, float]:
    """Return G-NRI's accuracy less the baseline's on each table, in points."""
    found = means(rows)
    return {
        name: found[name, "gnri"] - found[name, "nri"]
        for name in distinct(rows, "set")
        if (name, "gnri") in found and (name, "nri") in found
    }


def by_width(context: Context, without: str = "") -> dict[tuple[int, int], Lift]:
    """Return the number of tables of each class of widths, our mean lift and the paper's own."""
    rows = context.rows("capability")
    atoms = {row["set"]: int(row["atoms"]) for row in rows}
    lifts = {name: lift for name, lift in lifts_of(rows).items() if name != without}
    found: dict[tuple[int, int], Lift] = {}
    for least, most in context.protocol.section("lift").widths:
        here = [name for name in lifts if least <= atoms[name] <= most]
        theirs = [PAPER[name]["gnri"] - PAPER[name]["nri"] for name in here]
        if here:
            ours = mean(lifts[name] for name in here)
            found[least, most] = len(here), ours, mean(theirs)
    return found


def lift_page(_: Rows, context: Context) -> list[str]:
    """Return lifts with the table that the paper leaves out, and without it."""
    parts = []
    for without in ("", LEFT_OUT):
        body = []
        for (least, most), (tables, ours, paper) in by_width(context, without).items():
            known = PUBLISHED["lift"].get(f"{least}-{most}") if without else None
            printed = f"{known['points']:+.2f}" if known else "-"
            lifts = [f"{ours:+.2f}", printed, f"{paper:+.2f}"]
            body.append([f"{least} to {most}", str(tables), *lifts])
        title = f"Without {without}, as the paper has it" if without else "All tables"
        head = ["atoms", "tables", "ours", "printed", "from its figures"]
        parts += [f"## {title}\n", markdown(head, body)] if body else []
    return parts


STUDY = Study("capability", page, pieces, measure, on_cpu=True)
CUTS_STUDY = Study(
    "fold_cuts",
    cuts_page,
    lambda s: pieces_of(set=s.sets, condition=s.conditions),
    measure_cuts,
    on_cpu=True,
)
LIFT_STUDY = Study("lift", lift_page, derived=True)
