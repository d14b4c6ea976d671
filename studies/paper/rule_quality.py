"""How small, steady and right exported rules are, beside learners that write rules themselves."""

import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations, product
from statistics import mean
from time import process_time

import numpy as np

from gnri.errors import RuleSyntaxError
from gnri.rules.dnf import Literal, SignedDNF, multiply_out
from gnri.rules.scorecard import Scorecard
from gnri.rules.simplify import simplify
from gnri.rules.syntax import parse, render
from gnri.symmetry.audit_report import jaccard
from studies.benchmarks.fitted import Fitted, FoldLearner
from studies.benchmarks.learners import accuracy_of, learner_named, one_thread, weights_of
from studies.benchmarks.one_against_rest import one_against_rest, rule_learner
from studies.benchmarks.public_tables import parts_of, split, table
from studies.benchmarks.rule_learners import fit_rule_list
from studies.datasets import load
from studies.markdown import distinct, markdown, mean_figures
from studies.paper import PUBLISHED
from studies.paper.baseline_networks import CONDITIONS
from studies.paper.capability import rules_cell
from studies.paper.networks import SHIPPED, inducer_of
from studies.results import Row, Rows
from studies.study import Context, Piece, Settings, Study

BAYESIAN = "rule list"


def pieces(settings: Settings) -> Sequence[Piece]:
    """Return a piece for each fit."""
    asked = [
        (name, table, fold, seed)
        for name in (*settings.learners, *settings.slow)
        for table in settings.sets
        for seed in settings.seeds
        for fold in settings.folds
        if name in settings.learners or seed == settings.seeds[0] or fold == settings.folds[0]
        if name in settings.learners or table not in settings.too_slow
    ]
    first = settings.folds[0], settings.seeds[0]
    asked += [(BAYESIAN, table, *first) for table in settings.rule_lists]
    return [dict(zip(("learner", "set", "fold", "seed"), one, strict=True)) for one in asked]


def measure(piece: Piece, context: Context) -> list[Row]:
    """Measure one fit; `rhat` is how far the chains of a rule list are apart."""
    name, seed = str(piece["set"]), int(piece["seed"])
    encoded, checksum = table(name, context.data_dir)
    shown, hidden = parts_of(encoded, *split(encoded.codes, int(piece["fold"])))
    rhat: float | str = ""
    fitted: Fitted | None
    with one_thread():
        start = process_time()
        if piece["learner"] == BAYESIAN:
            fitted, rhat = fit_rule_list(*shown, seed=seed)
        else:
            fitted = rule_learner(str(piece["learner"]), seed)(*shown)
        seconds = round(process_time() - start, 2)
    rules = [rule for rule in fitted.rules if not isinstance(rule, Scorecard)] if fitted else []
    found: Row = dict.fromkeys(("accuracy", "clauses", "literals", "clause_f1"), "")
    if fitted:
        found["accuracy"], counted = accuracy_of(fitted, hidden), fitted.sizes()
        found |= {size: counted[size] for size in ("clauses", "literals")}
    if rules and name in MONKS:
        found["clause_f1"] = round(clause_f1(name, rules[0]), 6)
    reads = rules_cell([_reads(rule) for rule in rules])
    return [found | {"rhat": rhat, "seconds": seconds, "reads": reads, "data": checksum}]


def _reads(rule: SignedDNF | None) -> SignedDNF:
    """Return the literals of a rule as clauses: a whole tree would burst its cell."""
    clauses = frozenset() if rule is None else rule.clauses
    return SignedDNF([literal] for literal in frozenset[Literal]().union(*clauses))


NETWORKS = ("nri", "gnri", "guided+refine")
CONVERGED = 1.05  # chains whose Gelman-Rubin figure is below this are taken to have met
LINES = {
    "accuracy, %": "accuracy",
    "clauses": "clauses",
    "literals": "literals",
    "Jaccard between seeds": "seed_jaccard",
    "clause F1, MONK's": "clause_f1",
}


def page(rows: Rows, context: Context) -> list[str]:
    """Return a column for each learner, the paper's figure behind ours."""
    groups = group_rows(context)
    found = {name: quality(some) for name, some in groups.items()}
    body = [[line, *(_cell(found, name, key) for name in found)] for line, key in LINES.items()]
    body.append(["tables", *(str(len({row["set"] for row in groups[name]})) for name in found)])
    body.append(["fits", *(str(len(groups[name])) for name in found)])
    return [markdown(["", *found], body), _rule_lists([row for row in rows if row["rhat"]])]


def group_rows(context: Context) -> dict[str, Rows]:
    """Return the rows of each network and learner, one shape for both studies."""
    rows = []
    for row in context.rows("capability"):
        if row["condition"] in NETWORKS and row["seed"] != SHIPPED:
            name, read = row["set"], row["rules"]
            f1 = str(clause_f1(name, rules_in(read)[0])) if name in MONKS else ""
            shared = {"learner": row["condition"], "accuracy": row["voted"]}
            rows.append(row | shared | {"reads": read, "clause_f1": f1})
    rows += [row for row in context.rows("rule_quality") if not row["rhat"]]
    return {
        name: [row for row in rows if row["learner"] == name] for name in distinct(rows, "learner")
    }


def quality(rows: Rows) -> dict[str, float | None]:
    """Return the figures of one learner, the mean over tables of the mean of each."""
    figures: dict[str, float | None] = {"seed_jaccard": seed_jaccard(rows)}
    for name in ("accuracy", "clauses", "literals", "clause_f1"):
        found, scale = means_by_set(rows, name), 100 if name == "accuracy" else 1
        figures[name] = scale * mean(found.values()) if found else None
    return figures


def seed_jaccard(rows: Rows) -> float | None:
    """Return the mean share of literals of two seeds' rules for the same fold and class."""
    fits: dict[tuple[str, str], list[list[SignedDNF | None]]] = defaultdict(list)
    for row in rows:
        fits[row["set"], row["fold"]].append(rules_in(row["reads"]))
    by_set: dict[str, list[float]] = defaultdict(list)
    for (name, _), found in fits.items():
        for one, other in combinations(found, 2):
            by_set[name].append(mean(jaccard(*pair) for pair in zip(one, other, strict=True)))
    return mean(map(mean, by_set.values())) if by_set else None


def rules_in(cell: str) -> list[SignedDNF | None]:
    """Return the rules that a cell holds, None where a class has none."""
    return [None if text is None else parse_dnf(text) for text in json.loads(cell)]


def parse_dnf(text: str) -> SignedDNF:
    """Return the DNF that a text stands for; raise if it is a scorecard."""
    rule = parse(text)
    if isinstance(rule, Scorecard):
        raise RuleSyntaxError("expected a rule of clauses, got a scorecard")
    return rule


def means_by_set(rows: Rows, column: str) -> dict[str, float]:
    """Return the mean of a column for each table that has it."""
    return {name: value for (name, _), value in mean_figures(rows, "set", "set", column).items()}


def _cell(found: dict[str, dict[str, float | None]], name: str, key: str) -> str:
    ours = found[name][key]
    digits = {"accuracy": 1, "clauses": 2, "literals": 2}.get(key, 3)
    said = "-" if ours is None else f"{ours:.{digits}f}"
    paper = PUBLISHED["quality"].get(name)
    return f"{said} / {paper[key]:.{digits}f}" if paper else said


def _rule_lists(rows: Rows) -> str:
    """Return what became of Bayesian rule lists, which the paper could not make converge."""
    if not rows:
        return ""
    met = [row for row in rows if float(row["rhat"]) < CONVERGED]
    body = []
    for row in rows:
        cells = ["-"] * 3  # where the package found no list
        if row["accuracy"]:
            accuracy, length = 100 * float(row["accuracy"]), float(row["clauses"])
            cells = [f"{accuracy:.1f}", f"{length:.0f}", f"{float(row['rhat']):.3f}"]
        body.append([row["set"], *cells, f"{float(row['seconds']):.0f}"])
    return (
        "Bayesian rule lists, which the paper reports as not converging on any fold: one fold "
        f"of {len(rows)} tables with the settings of the package imodels; the chains met "
        f"(Gelman-Rubin below {CONVERGED}) on {len(met)} of {len(rows)}; where there "
        "are dashes it found no condition to begin a list with, and failed.\n\n"
        + markdown(["table", "accuracy, %", "rules", "Gelman-Rubin", "seconds"], body)
    )


MONKS = ("monks-1", "monks-2", "monks-3")


def clause_f1(name: str, rule: SignedDNF | None) -> float:
    """Return clauses found that are the problem's own, against those found and those there are."""
    wanted, found = _targets(name), _said(rule)
    return 2 * len(wanted & found) / (len(wanted) + len(found))


def targets_in(name: str, rule: SignedDNF | None) -> int:
    """Count the problem's own clauses in a rule; none for a table that is no MONK's."""
    return len(_targets(name) & _said(rule)) if name in MONKS else 0


def positive_form(rule: SignedDNF) -> SignedDNF:
    """Return the rule as an OR of clauses: a complement is multiplied out."""
    found = multiply_out(rule, sys.maxsize, simplify)
    assert found is not None, "there is no limit"
    return found


def _said(rule: SignedDNF | None) -> frozenset[bytes]:
    """Return of each clause, which robots it covers; none of a clause that covers no robot."""
    if rule is None:
        return frozenset()
    robots, _ = table("monks-1-all", None)
    clauses = (SignedDNF([clause]) for clause in positive_form(rule).clauses)
    masks = (clause.evaluate(robots.values) == 1 for clause in clauses)
    return frozenset(mask.tobytes() for mask in masks if mask.any())


@lru_cache(maxsize=3)
def _targets(name: str) -> frozenset[bytes]:
    """Return the clauses of the published rules; monks-2 has one for each pair of attributes."""
    cells = np.array(load("monks-1-all").rows)
    head, body, _, holding, jacket, _ = cells.T
    if name == "monks-1":
        masks = [(head == shape) & (body == shape) for shape in "123"] + [jacket == "1"]
    elif name == "monks-2":
        first = cells == "1"
        two = first.sum(1) == 2
        masks = [first[:, i] & first[:, j] & two for i, j in combinations(range(6), 2)]
    else:
        masks = [(jacket == "3") & (holding == "1"), (jacket != "4") & (body != "3")]
    return frozenset(mask.tobytes() for mask in masks)


DIFFERENT = 0.5  # rules that share fewer literals are called substantially different, as there


def example_pieces(settings: Settings) -> Sequence[Piece]:
    """Return a piece for each table and network or learner."""
    answering: list[tuple[str, str | int]] = [(name, settings.seed) for name in settings.conditions]
    answering += [(name, "") for name in settings.learners]
    return [
        {"set": name, "condition": condition, "seed": seed}
        for name, (condition, seed) in product(settings.sets, answering)
    ]


def measure_example(piece: Piece, context: Context) -> list[Row]:
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


def examples_page(rows: Rows, _: Context) -> list[str]:
    """Return the rules of each table below each other."""
    lines = []
    for name in distinct(rows, "set"):
        here = [row for row in rows if row["set"] == name]
        rules = {row["condition"]: parse_dnf(row["rule"]) if row["rule"] else None for row in here}
        lines.append(f"## {name}\n")
        if {"nri", "gnri"} <= set(rules):
            share = jaccard(rules["nri"], rules["gnri"])
            verdict = "substantially different" if share < DIFFERENT else "alike"
            lines.append(f"nri and gnri: {verdict}, Jaccard of their literals {share:.2f}.\n")
        for row in here:
            mark = " ✓" * targets_in(name, rules[row["condition"]])
            said = f"`{row['words']}`{mark}" if row["words"] else "no rule"
            lines.append(f"- {row['condition']} ({100 * float(row['accuracy']):.1f}): {said}")
        lines[-1] += "\n"
    return lines


STUDY = Study("rule_quality", page, pieces, measure, on_cpu=True)
EXAMPLES_STUDY = Study("rule_examples", examples_page, example_pieces, measure_example, on_cpu=True)
