"""A folder of evidence about a rule: made from a table, checked on another copy of it.

Everything is done on the rows in an order that depends on their contents alone, so a copy with its
rows or columns in another order gives the same files, byte for byte.
"""

import json
import platform
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from gnri.atomic_write import write_atomically
from gnri.data.sources import TableSource, feature_names
from gnri.data.table import Table, check_has
from gnri.errors import GnriError, escape, shorten
from gnri.estimator.cross_validation import Validation, count_answers, estimate
from gnri.estimator.fitting import Fitted, fit
from gnri.estimator.settings import FitSettings
from gnri.estimator.summary import summarize
from gnri.estimator.trials import find_trials
from gnri.formats import render
from gnri.formats.conditions import format_value
from gnri.formats.text import ending_lines
from gnri.model.load import BUNDLED, load_model
from gnri.report.batch import column_cells
from gnri.report.facts import audit_trials
from gnri.report.stability import measure_stability
from gnri.report.templates import render_template
from gnri.rules.documents import to_json

Progress = Callable[..., None]

MANIFEST, README = "manifest.json", "README.md"
CONTENTS = {
    README: "this page",
    "rule.json": "the rule for programs, with counts and ranges of the training rows",
    "rule.txt": "the rule in words",
    "rule.sql": "the rule as a query",
    "data.json": "what identifies the table, without its rows",
    "model.json": "the weights, the settings and the versions",
    "validation.json": "cross-validation",
    "evidence.json": "the rows that each clause or line covers, and how many are right",
    "stability.json": "how often each condition returns when the rows are drawn anew",
    "groups.json": "the answers in each group of rows",
    "symmetry.json": "random changes that must not matter, and whether the rule followed",
    MANIFEST: "the options, and the SHA-256 of each file",
}
"""The files of a dossier, and what is in them; groups.json only where a group was named."""

MOST_GROUPS = 50


@dataclass(frozen=True, slots=True)
class DossierOptions:
    """The options of a dossier: they and the table determine all of it but the versions."""

    target: str
    ignore: tuple[str, ...] = ()
    group: str | None = None
    resamples: int = 100
    seed: int = 0
    model: str = "guided"
    refine: bool = True
    form: str = "auto"
    na_values: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.model not in BUNDLED:
            raise GnriError(
                f"a dossier is for others to check, so its model is one of {', '.join(BUNDLED)}; "
                f"got {shorten(self.model)}"
            )
        for name in ("resamples", "seed"):
            value = getattr(self, name)
            if type(value) is not int or not 0 <= value <= 10_000:
                raise GnriError(f"{name} must be a whole number from 0 to 10000, got {value!r}")

    @property
    def settings(self) -> FitSettings:
        """The settings of the fit."""
        return FitSettings(model=self.model, refine=self.refine, form=self.form)


def identify_table(table: Table, options: DossierOptions) -> tuple[Table, dict[str, Any]]:
    """Return the table in an order that depends on its rows alone, and what identifies it.

    The columns are those that are learnt from, the target and the group. The hash is one of all
    rows together: a hash of a single column of few values could be guessed.
    """
    ignored = set(options.ignore) - {options.group}
    for name in (options.target, *options.ignore, *([options.group] if options.group else [])):
        check_has(name, list(table), table.origin)
    names = sorted(name for name in table if name not in ignored)
    cells = {name: column_cells(table[name]) for name in names}
    rows = zip(*(map(_plain, cells[name]) for name in names), strict=True)
    digests = [sha256(json.dumps(row).encode()).digest() for row in rows]
    order = sorted(range(table.rows), key=digests.__getitem__)
    whole = sha256(json.dumps(names).encode())
    for row in order:
        whole.update(digests[row])
    columns = [
        {
            "name": name,
            "kind": str(table[name].decided_kind),
            "missing": sum(cell is None for cell in cells[name]),
            "distinct": len(set(cells[name]) - {None}),
        }
        for name in names
    ]
    found = table.select(names).take(np.array(order, np.intp))
    facts = {"rows": table.rows, "columns": columns, "sha256": whole.hexdigest()}
    return replace(found, origin="the table"), facts


def _plain(cell: Any) -> Any:
    """Return a cell such that files of all kinds have the same: numbers as floats."""
    number = isinstance(cell, int | float) and not isinstance(cell, bool)
    return float(cell) + 0.0 if number else cell


def make_dossier(table: Table, options: DossierOptions, report: Progress) -> dict[str, bytes]:
    """Return the content of each file of a dossier, by its name."""
    ordered, identity = identify_table(table, options)
    source = TableSource.of(ordered)
    source = replace(source, names=[one for one in source.names if one not in options.ignore])
    feature_names(source, options.target)
    report("looking for the rule")
    fitted = fit(source, options.target, options.settings)
    if sum(fitted.sizes) < ordered.rows:
        raise GnriError("a dossier is about rows with a label; leave out the rows without one")
    report("cross-validating")
    measured = estimate(fitted)
    validation = None if isinstance(measured, str) else measured
    sizes = dict(zip(map(str, fitted.classes.tolist()), fitted.sizes, strict=True))
    documents: dict[str, Any] = {
        "data.json": identity | {"target": options.target, "classes": sizes},
        "model.json": _describe_model(options),
        "validation.json": _describe_validation(measured),
        "evidence.json": [_without_rows(one.as_dict()) for one in fitted.statistics],
        "stability.json": measure_stability(source, fitted, options, report),
        "symmetry.json": _audit(fitted, options.seed, report),
    }
    if options.group is not None:
        cells = column_cells(ordered[options.group])
        documents["groups.json"] = _measure_groups(fitted, validation, cells, options.group)
    files = {
        "rule.json": to_json(fitted.rule_list, fitted.training_summary(validation)),
        **write_rules(fitted.minimized),
        **{name: json.dumps(one, indent=1, allow_nan=False) for name, one in documents.items()},
    }
    files[README] = write_readme(fitted, options.target, documents)
    found = {name: f"{text.rstrip()}\n".encode() for name, text in sorted(files.items())}
    manifest = {
        "format": "gnri-dossier",
        "version": 1,
        "options": asdict(options),
        "files": {name: sha256(data).hexdigest() for name, data in found.items()},
    }
    return {**found, MANIFEST: f"{json.dumps(manifest, indent=1)}\n".encode()}


def write_rules(rule_list: Any) -> dict[str, str]:
    """Return the files that write the rule in other forms."""
    return {
        "rule.txt": render(rule_list, "text"),
        "rule.sql": render(rule_list, "sql", table="data"),
    }


def write_readme(fitted: Fitted, target: str, documents: Mapping[str, Any]) -> str:
    """Return the page, as Markdown."""
    data = documents["data.json"]
    rule = [*summarize(fitted.statistics).split("\n"), "", *ending_lines(fitted.minimized)]
    return render_template(
        "dossier.md.j2",
        target=target,
        data=data,
        columns=len(fitted.columns),
        sizes=", ".join(f"{name} {size:,}" for name, size in data["classes"].items()),
        rule=[escape(line) for text in rule for line in text.split("\n")],
        validation=documents["validation.json"],
        stability=documents["stability.json"],
        groups=documents.get("groups.json"),
        symmetry=documents["symmetry.json"],
        files=[one for one in CONTENTS.items() if one[0] in documents or one[0] != "groups.json"],
        as_text=escape_markdown,
    )


def escape_markdown(text: str) -> str:
    """Return text that Markdown shows as it is."""
    return re.sub(r"[|`*_<>\[\]]", r"\\\g<0>", escape(text))


def write_dossier(files: Mapping[str, bytes], folder: Path) -> None:
    """Write the files, each whole or not at all, and the manifest last."""
    try:
        folder.mkdir(exist_ok=True)
        for name in sorted(files, key=lambda name: name == MANIFEST):
            write_atomically(folder / name, files[name])
    except OSError as error:
        raise GnriError(f"the dossier cannot be written to {folder}: {error.strerror}") from None


def _describe_model(options: DossierOptions) -> dict[str, Any]:
    return {
        "name": options.model,
        "sha256": load_model(options.model).sha256,
        "refine": options.refine,
        "form": options.form,
        "versions": {
            "gnri": version("gnri"),
            "numpy": version("numpy"),
            "python": platform.python_version(),
        },
    }


def _describe_validation(found: Validation | str) -> dict[str, Any]:
    """Return the figures of cross-validation, or why there are none."""
    if isinstance(found, str):
        return {"skipped": found}
    counts = count_answers(found.codes, found.answers, len(found.classes))
    shares = asdict(found.shares) if found.imbalanced else {}
    return {
        "folds": len(found.folds),
        "accuracy": found.accuracy,
        "by_fold": found.by_fold,
        "majority": found.majority,
        "classes": [str(label) for label in found.classes.tolist()],
        "confusion": counts.tolist(),
        **shares,
    }


def _without_rows(card: dict[str, Any]) -> dict[str, Any]:
    """Return statistics without the numbers of rows, which depend on their order."""
    for clause in card["clauses"]:
        del clause["provenance"]
    return card


def _audit(fitted: Fitted, seed: int, report: Progress) -> dict[str, Any]:
    trials = find_trials(fitted)
    if not trials.tasks:
        return {"skipped": "no class has a rule", "seed": seed}
    audited = audit_trials(trials, seed, partial(report, "checking the symmetries"))
    found: dict[str, Any] = json.loads(audited.to_json())
    return found


def _measure_groups(
    fitted: Fitted, validation: Validation | None, cells: Sequence[Any], name: str
) -> dict[str, Any]:
    """Return for each group and class the rows, those answered so, and those that are right.

    The answers are those of cross-validation, or on the training rows where there is none.
    """
    texts = np.array(["(empty)" if one is None else _name(one) for one in cells], object)
    values = sorted(set(texts.tolist()))
    if len(values) > MOST_GROUPS:
        raise GnriError(
            f"groups are the values of a column, at most {MOST_GROUPS}, but {shorten(name)} has "
            f"{len(values)}; name another column"
        )
    _, codes = fitted.rows()
    answers = fitted.answers if validation is None else validation.answers
    assert answers is not None, "the table is in memory"
    groups = []
    for value in values:
        there = texts == value
        counts = count_answers(codes[there], answers[there], len(fitted.classes))
        groups.append(
            {"group": value, "rows": int(there.sum()), "classes": _by_class(fitted, counts)}
        )
    what = "training rows" if validation is None else "cross-validation"
    return {"column": name, "answers": what, "groups": groups}


def _name(cell: Any) -> str:
    return cell if isinstance(cell, str) else format_value(cell)


def _by_class(fitted: Fitted, counts: Any) -> dict[str, dict[str, Any]]:
    sizes = (counts.sum(axis=1), counts.sum(axis=0), counts.diagonal())
    figures = zip(fitted.classes.tolist(), *(one.tolist() for one in sizes), strict=True)
    return {
        str(label): {
            "members": members,
            "selected": selected,
            "right": right,
            "selection_rate": selected / int(counts.sum()),
            "precision": right / selected if selected else None,
            "recall": right / members if members else None,
        }
        for label, members, selected, right in figures
    }
