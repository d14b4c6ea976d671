"""Other rules of the same table: at other operating points, on other columns, of each size."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gnri.data.table import Table
from gnri.estimator.aims import Aim, find_points
from gnri.estimator.alternatives import find_alternatives, learn_path
from gnri.estimator.fitting import Fitted
from gnri.formats.text import to_text
from gnri.web import Report
from gnri.web.rule_view import TableFit


def list_points(table: Table, fit: TableFit, report: Report) -> dict[str, Any]:
    """Return precision and recall of a class at each operating point, by rows held out."""
    report(0.1, "learning without each fold")
    fitted = _with_table(table, fit)
    points = find_points(fitted)
    sizes = np.bincount(fitted.learnt_rows()[1], minlength=len(fitted.classes)).tolist()
    own = Aim.read(fitted.settings, fitted.classes, sizes).subject
    labels = [str(label) for label in fitted.classes.tolist()]
    share = fitted.sizes[own] / sum(fitted.sizes)
    return {"class": labels[own], "other": labels[1 - own], "share": share, "points": points}


def list_alternatives(table: Table, fit: TableFit, report: Report) -> dict[str, Any]:
    """Return the rule, and others on other columns that are nearly as good, the best first."""
    found = find_alternatives(_with_table(table, fit), report=_count_rules(report))
    rule = to_text(fit.fitted.minimized)
    return {"rule": rule, "alternatives": [one.as_dict() for one in found]}


def list_path(table: Table, fit: TableFit, report: Report) -> dict[str, Any]:
    """Return the best rule of each number of conditions, from one up to those of the rule."""
    return {"path": learn_path(_with_table(table, fit), report=_count_rules(report))}


def _count_rules(report: Report) -> Callable[[int, int], None]:
    """Return what reports how many rules are done."""
    return lambda done, all_of: report(done / all_of, f"{done} of {all_of} rules cross-validated")


def _with_table(table: Table, fit: TableFit) -> Fitted:
    return replace(fit.fitted, table=fit.labelled(table).cast(fit.kinds))
