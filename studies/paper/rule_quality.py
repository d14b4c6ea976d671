"""How small, steady and right exported rules are, beside learners that write rules themselves.

The networks' rules stand in the rows of `capability`; here trees, RIPPER and Bayesian rule lists
are fitted to the same folds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from time import process_time

import numpy as np

from gnri.estimator.baselines import Fitted
from gnri.rules.dnf import Literal, SignedDNF
from studies.benchmarks.measuring import one_thread, sizes
from studies.benchmarks.real import table
from studies.benchmarks.results import Row
from studies.paper.bayesian import fit_rule_list
from studies.paper.capability import parts_of, written
from studies.paper.monks_targets import MONKS, clause_f1
from studies.paper.protocol import Protocol
from studies.paper.rule_quality_report import tables
from studies.paper.study import Piece, Place, Study
from studies.paper.table_learners import rules_by

BAYESIAN = "rule list"


@dataclass(frozen=True)
class Settings:
    """[rule_quality] of the protocol."""

    sets: tuple[str, ...]
    folds: tuple[int, ...]
    seeds: tuple[int, ...]
    learners: tuple[str, ...]  # every fold with every seed
    slow: tuple[str, ...]  # every fold with the first seed, and the first fold with the others
    too_slow: tuple[str, ...]  # tables that the slow ones are not asked
    rule_lists: tuple[str, ...]  # tables of two classes for Bayesian rule lists, first fold


def pieces(protocol: Protocol) -> Sequence[Piece]:
    """A piece for each fit."""
    settings = protocol.read("rule_quality", Settings)
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
    return [
        {"learner": name, "set": table, "fold": fold, "seed": seed}
        for name, table, fold, seed in asked
    ]


def measure(piece: Piece, place: Place) -> list[Row]:
    """Accuracy and size of one fit; `rhat` is how far the chains of a rule list are apart."""
    encoded, checksum = table(str(piece["set"]), place.data_dir)
    shown, (values, codes) = parts_of(encoded, int(piece["fold"]))
    rhat: float | str = ""
    fitted: Fitted | None
    with one_thread():
        start = process_time()
        if piece["learner"] == BAYESIAN:
            fitted, rhat = fit_rule_list(*shown, seed=int(piece["seed"]))
        else:
            fitted = rules_by(str(piece["learner"]), int(piece["seed"]))(*shown)
        seconds = round(process_time() - start, 2)
    counted = {"clauses": "", "literals": ""} if fitted is None else sizes(fitted)
    rules = fitted.rules if fitted else []
    found: Row = {
        "accuracy": round(float(np.mean(fitted.predict(values) == codes)), 6) if fitted else "",
        "clauses": counted["clauses"],
        "literals": counted["literals"],
        "rhat": rhat,
        "seconds": seconds,
        "clause_f1": _clause_f1(str(piece["set"]), rules),
        "reads": written([_reads(rule) for rule in rules]),
        "data": checksum,
    }
    return [found]


def _clause_f1(name: str, rules: Sequence[SignedDNF | None]) -> float | str:
    return round(clause_f1(name, rules[0]), 6) if name in MONKS and rules else ""


def _reads(rule: SignedDNF | None) -> SignedDNF:
    """The literals of a rule, each a clause of its own: a whole tree would burst its cell."""
    clauses = frozenset() if rule is None else rule.clauses
    return SignedDNF([literal] for literal in frozenset[Literal]().union(*clauses))


STUDY = Study(
    name="rule_quality",
    says="size, steadiness and clauses of rules beside CART and RIPPER (tab:real-summary b)",
    pieces=pieces,
    measure=measure,
    tables=tables,
    on_cpu=True,
)
