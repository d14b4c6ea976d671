"""The HTML page of a report, and the rules as a piece of HTML for notebooks."""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnri.errors import CheckpointError
from gnri.estimator.cross_validation import count_answers
from gnri.estimator.fitting import Fitted
from gnri.estimator.settings import FitSettings
from gnri.estimator.summary import WEIGHTED, describe_validation
from gnri.formats.conditions import WORDS
from gnri.formats.point_lines import check_scale
from gnri.formats.text import ending_lines, headings
from gnri.report.coverage import find_coverage, measure_lines
from gnri.report.facts import Confusion, Facts, describe_columns
from gnri.report.templates import render_template, write_html

MOST_RANGES = 400  # ranges of row numbers that a clause lists
MISTAKES = 20  # kinds of mistakes that are listed

BINARIZER = ("strategy", "n_bins", "max_categories", "min_frequency", "thresholds")
"""The settings that are parameters of `Binarizer`."""

PACKAGES = ("gnri", "numpy", "scikit-learn")
PYTHON = f"Python {platform.python_version()}"


def page(facts: Facts, points_scale: Sequence[float] | None = None) -> str:
    """Return the page; its content policy forbids scripts and loading."""
    fitted, found = facts.fitted, facts.validation
    rules = fitted.minimized
    notation = replace(WORDS, scale=check_scale(points_scale, rules))
    held_out = None
    if not isinstance(found, str) and rules.steps:
        held_out = count_answers(found.codes, found.answers, len(rules.classes))
    assert fitted.codes is not None and fitted.answers is not None, "as `gather_facts` checks"
    return render_template(
        "page.html.j2",
        facts=facts,
        fitted=fitted,
        training=count_answers(fitted.codes, fitted.answers, len(rules.classes)),
        held_out=held_out,
        folds=0 if isinstance(found, str) else len(found.folds),
        headline=describe_validation(found, fitted),
        columns=describe_columns(fitted),
        points=measure_lines(fitted, notation.scale),
        titles=headings(rules, notation),
        ending=ending_lines(rules, notation),
        coverage=find_coverage(fitted.minimized, fitted.statistics, fitted.codes, fitted.answers),
        constructor=write_constructor(fitted.settings),
        versions=[*(f"{name} {version(name)}" for name in PACKAGES), PYTHON],
        find_mistakes=find_mistakes,
        join_ranges=join_ranges,
    )


def write_page(facts: Facts, path: Path, points_scale: Sequence[float] | None = None) -> Path:
    """Write the page to `path`, whole or not at all, and return the path."""
    return write_html(page(facts, points_scale), path, "report")


def to_html(fitted: Fitted) -> str:
    """Return the rules with the evidence for each clause, as HTML that loads nothing."""
    rules = fitted.minimized
    lines = measure_lines(fitted) + [[]] * len(rules.without_rule)
    return render_template(
        "notebook.html.j2",
        rules=list(zip(headings(rules), fitted.statistics, lines, strict=True)),
        weighted=WEIGHTED if fitted.copies is not None else None,
        ending=ending_lines(rules),
    )


def join_ranges(rows: NDArray[np.intp]) -> str:
    """Return row numbers in order, neighbours joined.

    >>> join_ranges(np.array([0, 1, 2, 7]))
    '0-2, 7'
    """
    if not len(rows):
        return "none"
    gaps = np.flatnonzero(np.diff(rows) != 1)
    firsts, lasts = rows[np.append(0, gaps + 1)], rows[np.append(gaps, -1)]
    pairs = list(zip(firsts.tolist(), lasts.tolist(), strict=True))
    said = [str(a) if a == b else f"{a}-{b}" for a, b in pairs[:MOST_RANGES]]
    more = f", and {len(pairs) - MOST_RANGES} more ranges" if len(pairs) > MOST_RANGES else ""
    return ", ".join(said) + more


def find_mistakes(counts: Confusion) -> list[tuple[int, int, int]]:
    """Return the class, the answer and the count of the most frequent mistakes."""
    wrong = counts - np.diag(np.diag(counts))
    worst = np.argsort(-wrong, axis=None, kind="stable")[:MISTAKES]
    pairs = [divmod(int(i), len(wrong)) for i in worst]
    return [(i, j, int(wrong[i, j])) for i, j in pairs if wrong[i, j]]


def write_constructor(settings: FitSettings) -> str:
    """Return `RuleClassifier(...)` with the arguments that differ from its defaults."""
    changed = {}
    for name, default in ((one.name, one.default) for one in fields(settings)):
        value = getattr(settings, name)
        if type(value) is not type(default) or value != default:
            changed[name] = _argument(value)
    atoms = {name: changed.pop(name) for name in BINARIZER if name in changed}
    if atoms:
        alone = list(atoms) == ["strategy"]
        changed["binarize"] = atoms["strategy"] if alone else _call("Binarizer", atoms)
    order = ("model", "refine", "binarize", *changed)
    return _call("RuleClassifier", {name: changed[name] for name in order if name in changed})


def _call(name: str, arguments: Mapping[str, str]) -> str:
    return f"{name}({', '.join(f'{key}={value}' for key, value in arguments.items())})"


def _argument(value: Any) -> str:
    if isinstance(value, Path):
        return repr(str(value))
    if isinstance(value, Mapping):
        cuts = (
            f"{key!r}: {own if isinstance(own, tuple) else np.asarray(own).tolist()!r}"
            for key, own in value.items()
        )
        return f"{{{', '.join(cuts)}}}"
    if hasattr(value, "sha256"):
        return _model(value)
    return repr(value.item() if isinstance(value, np.generic) else value)


def _model(model: Any) -> str:
    """Return the code that loads a bundled model; any other is called `model`."""
    from gnri.model.load import load_model

    try:
        bundled = load_model(model.name).sha256 == model.sha256
    except CheckpointError:
        bundled = False
    return f"load_model({model.name!r})" if bundled else "model"
