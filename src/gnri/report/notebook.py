"""Fitted rules as a piece of HTML for notebooks: in words, with the evidence for each clause."""

from importlib.resources import files

from jinja2 import Environment, StrictUndefined

from gnri.estimator.fitting import Fitted
from gnri.estimator.summary import (
    HEAD,
    LEGEND,
    WEIGHTED,
    describe_rule,
    explain_no_rule,
    interval,
    percent,
)
from gnri.formats.text import ending_lines, no_rule_lines, outline
from gnri.report.coverage import measure_lines


def to_html(fitted: Fitted) -> str:
    """Return the rules as HTML that loads nothing; all names are escaped."""
    rules = fitted.minimized
    titles = [outline(rules, step)[0] for step in rules.steps] + no_rule_lines(rules)
    lines = measure_lines(fitted) + [[]] * len(rules.without_rule)
    why = explain_no_rule(fitted.statistics)
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"percent": percent, "interval": interval, "describe": describe_rule}
    text = files("gnri.report").joinpath("notebook.html.j2").read_text(encoding="utf-8")
    return environment.from_string(text).render(
        rules=list(zip(titles, fitted.statistics, lines, strict=True)),
        head=HEAD,
        legend=LEGEND if any(one.form == "dnf" for one in fitted.statistics) else None,
        why=why,
        weighted=WEIGHTED if fitted.copies is not None else None,
        ending=ending_lines(rules),
    )
