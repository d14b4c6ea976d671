"""Rules to read: what the baseline, G-NRI and our own model say of seven public tables."""

from collections.abc import Sequence

from gnri.rules.syntax import render
from gnri.symmetry.audit_report import jaccard
from studies.benchmarks.fitted import FoldLearner
from studies.benchmarks.learners import accuracy_of, learner_named, one_thread, weights_of
from studies.benchmarks.one_against_rest import one_against_rest
from studies.benchmarks.public_tables import parts_of, split, table
from studies.markdown import distinct
from studies.paper.baseline_networks import CONDITIONS
from studies.paper.networks import inducer_of
from studies.paper.rule_quality import parse_dnf, targets_in
from studies.results import Row, Rows
from studies.study import Context, Piece, Settings, Study

DIFFERENT = 0.5  # rules that share fewer literals are called substantially different, as there


def pieces(settings: Settings) -> Sequence[Piece]:
    """Return a piece for each table and network or learner."""
    answering: list[tuple[str, str | int]] = [(name, settings.seed) for name in settings.conditions]
    answering += [(name, "") for name in settings.learners]
    return [
        {"set": name, "condition": condition, "seed": seed}
        for name in settings.sets
        for condition, seed in answering
    ]


def measure(piece: Piece, context: Context) -> list[Row]:
    """Return the rule of the second of two classes: by number, in words, and how it does."""
    settings = context.protocol.section("rule_examples")
    condition = str(piece["condition"])
    encoded, _ = table(str(piece["set"]), context.data_dir)
    shown, hidden = parts_of(encoded, *split(encoded.codes, settings.fold))
    learner: FoldLearner
    if condition in CONDITIONS:
        inducer = inducer_of(context, condition, piece["seed"])
        learner = one_against_rest(lambda episode: inducer.export(episode).rule)
        checkpoint = inducer.sha256
    else:
        learner, checkpoint = learner_named(condition), weights_of(condition)
    with one_thread():
        fitted = learner(*shown)
    rule = fitted.rules[0]
    texts = ("", "") if rule is None else (str(rule), render(rule, encoded.schema.names))
    found: Row = {"fold": settings.fold, "accuracy": accuracy_of(fitted, hidden), "rule": texts[0]}
    return [found | {"words": texts[1], "checkpoint": checkpoint}]


def page(rows: Rows, _: Context) -> list[str]:
    """Return the rules of each table below each other."""
    tables = ([row for row in rows if row["set"] == name] for name in distinct(rows, "set"))
    return [_of_table(some) for some in tables]


def _of_table(rows: Rows) -> str:
    rules = {row["condition"]: parse_dnf(row["rule"]) if row["rule"] else None for row in rows}
    lines = [f"## {rows[0]['set']}\n"]
    if {"nri", "gnri"} <= set(rules):
        share = jaccard(rules["nri"], rules["gnri"])
        verdict = "substantially different" if share < DIFFERENT else "alike"
        lines.append(f"nri and gnri: {verdict}, Jaccard of their literals {share:.2f}.\n")
    for row in rows:
        mark = " ✓" * targets_in(row["set"], rules[row["condition"]])
        said = f"`{row['words']}`{mark}" if row["words"] else "no rule"
        lines.append(f"- {row['condition']} ({100 * float(row['accuracy']):.1f}): {said}")
    return "\n".join(lines) + "\n"


STUDY = Study("rule_examples", pieces, measure, page, on_cpu=True)
