"""Accuracy of frozen networks on the nineteen public tables, five folds and eight seeds."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gnri.estimator.baselines import Codes, Fitted, Values
from gnri.model.nri.config import CONDITIONS
from gnri.model.nri.nri import Inducer
from gnri.rules.dnf import SignedDNF
from studies.benchmarks.learners import weights_of
from studies.benchmarks.measuring import one_thread, sizes
from studies.benchmarks.real import split, table
from studies.benchmarks.results import Row
from studies.datasets import Encoded
from studies.paper.against_rest import against_the_rest
from studies.paper.answering import Reader, highest, inducer_of, signal
from studies.paper.capability_report import figures, tables
from studies.paper.checkpoints import SHIPPED
from studies.paper.protocol import Protocol
from studies.paper.study import Piece, Place, Study
from studies.paper.table_learners import fitted_by


@dataclass(frozen=True)
class Settings:
    """[capability] of the protocol."""

    sets: tuple[str, ...]
    folds: tuple[int, ...]
    conditions: tuple[str, ...]
    seeds: tuple[int, ...]
    shipped: tuple[str, ...]  # conditions whose bundled weights are measured, too
    learners: tuple[str, ...]  # fitted to each table
    reordered: tuple[str, ...]  # the same, fitted once for each seed


Part = tuple[Values, Codes]


def pieces(protocol: Protocol) -> Sequence[Piece]:
    """A piece for each table and network or learner, all of one table together."""
    settings = protocol.read("capability", Settings)
    answering: list[tuple[str, str | int]] = [(name, "") for name in settings.learners]
    seeded = (*settings.reordered, *settings.conditions)
    answering += [(name, seed) for name in seeded for seed in settings.seeds]
    answering += [(name, SHIPPED) for name in settings.shipped]
    return [
        {"set": name, "condition": condition, "seed": seed}
        for name in settings.sets
        for condition, seed in answering
    ]


def measure(piece: Piece, place: Place) -> list[Row]:
    """A row for each fold."""
    settings = place.protocol.read("capability", Settings)
    name, condition = str(piece["set"]), str(piece["condition"])
    encoded, checksum = table(name, place.data_dir)
    facts: Row = {"atoms": encoded.values.shape[1], "classes": int(encoded.codes.max()) + 1}
    inducer = inducer_of(place, condition, piece["seed"]) if condition in CONDITIONS else None
    checkpoint = weights_of(condition) if inducer is None else inducer.sha256
    rows: list[Row] = []
    with one_thread():
        for fold in settings.folds:
            shown, hidden = parts_of(encoded, fold)
            if inducer is None:
                found = _fitted(fitted_by(condition, piece["seed"])(*shown), hidden)
            else:
                found = _of_network(inducer, shown, hidden)
            rows.append({"fold": fold, **facts, **found, "data": checksum})
    return [row | {"checkpoint": checkpoint} for row in rows]


def parts_of(encoded: Encoded, fold: int) -> tuple[Part, Part]:
    """Rows and classes to learn from, and those to be scored on."""
    shown, hidden = split(encoded.codes, fold)
    return (
        (encoded.values[shown], encoded.codes[shown]),
        (encoded.values[hidden], encoded.codes[hidden]),
    )


def written(rules: Sequence[SignedDNF | None]) -> str:
    """Rules as they stand in a cell: their texts in a JSON list, null where there is none."""
    return json.dumps([None if rule is None else str(rule) for rule in rules]) if rules else ""


def _of_network(inducer: Inducer, shown: Part, hidden: Part) -> Row:
    """The exported rules on rows held out.

    Of more than two classes that of the highest soft score of its rule is answered; `voted` is
    the accuracy of the exported rules alone.
    """
    reader = Reader(inducer)
    fitted = against_the_rest(reader.rule)(*shown)
    row = _fitted(fitted, hidden)
    if len(reader.scores) > 1:
        read = [signal(inducer.condition, scores, hidden[0]) for scores in reader.scores]
        row["accuracy"] = _share(highest(np.stack(read), shown[1]), hidden[1])
    return row


def _fitted(fitted: Fitted, hidden: Part) -> Row:
    accuracy = _share(fitted.predict(hidden[0]), hidden[1])
    counted = sizes(fitted)
    return {
        "accuracy": accuracy,
        "voted": accuracy,
        "clauses": counted["clauses"],
        "literals": counted["literals"],
        "rules": written(fitted.rules),
    }


def _share(said: Codes, codes: Codes) -> float:
    return round(float(np.mean(said == codes)), 6)


STUDY = Study(
    name="capability",
    says="accuracy on the nineteen public tables (tab:capability, tab:realdata-perds)",
    pieces=pieces,
    measure=measure,
    tables=tables,
    figures=figures,
    on_cpu=True,
)
