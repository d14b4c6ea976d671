"""Plots and notebook HTML of a fitted classifier."""

import re
from html.parser import HTMLParser

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from sklearn import config_context

from gnri.classifier import RuleClassifier
from gnri.errors import GnriError
from gnri.report import inspection
from tests.estimator.tables import mushrooms, sizes

mpl.use("Agg")

HOSTILE = {"odor": "<script>alert(1)</script>", "spore": "$x_{ & \\frac$", "height": '"\n\x1b[2J'}


TAGS = {"div", "style", "p", "b", "table", "thead", "tbody", "tr", "th", "td", "span"}


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    pyplot.close("all")


def hostile(form: str = "dnf") -> RuleClassifier:
    """Rules of columns and classes whose names mean something to HTML, TeX or a terminal."""
    frame, labels = mushrooms(80, seed=1)
    names = labels.map({"poisonous": "<b>$bad_", "edible": "&amp;good$"})
    return RuleClassifier(form=form).fit(frame.rename(columns=HOSTILE), names)


class Tags(HTMLParser):
    """The tags of a page, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.names.append(tag)

    def handle_data(self, data: str) -> None:
        self.words += data


@pytest.mark.parametrize("form", ["dnf", "scorecard"])
def test_a_notebook_shows_the_rule_with_its_evidence(form: str) -> None:
    found = hostile(form)
    text = found._repr_html_()
    page = Tags(text)
    assert set(page.names) <= TAGS
    assert HOSTILE["odor"] in page.words and "<b>$bad_" in page.words
    assert not re.search(r"https?:|url\(|src=|href=", text)
    (rule,) = found.statistics_
    for clause in rule.clauses if form == "dnf" else ():
        assert f"{clause.figures.covered:,}" in page.words and clause.text in page.words
    assert f"true on {rule.figures.covered} of 80 training rows" in page.words
    assert found._repr_mimebundle_()["text/html"] == text


def test_without_a_fit_scikit_learn_shows_its_parameters() -> None:
    unfitted = RuleClassifier(max_clauses=3)
    assert "max_clauses" in unfitted._repr_html_() and "gnri-rules" not in unfitted._repr_html_()
    assert "gnri-rules" not in unfitted._repr_mimebundle_()["text/html"]
    with config_context(display="text"):
        assert not hasattr(hostile(), "_repr_html_")
        assert set(hostile()._repr_mimebundle_()) == {"text/plain"}


def test_without_a_rule_a_notebook_says_why() -> None:
    frame = pd.DataFrame({"a": [0, 1] * 8, "b": [0, 0, 1, 1] * 4})
    found = RuleClassifier(form="dnf").fit(frame, frame["a"] ^ frame["b"])
    assert "There is no rule" in found._repr_html_()
    for plot in (found.plot_rule, found.plot_path, found.plot_coverage):
        with pytest.raises(GnriError, match=r"there (is|are) no"):
            plot()


def lengths(ax) -> list[float]:
    return [patch.get_width() for patch in ax.patches]


def test_clauses_are_bars_of_their_rows() -> None:
    found = hostile()
    _, given = pyplot.subplots()
    ax = found.plot_rule(ax=given)
    assert ax is given
    (rule,) = found.statistics_
    hits = [clause.figures.hits for clause in rule.clauses]
    others = [clause.figures.covered - clause.figures.hits for clause in rule.clauses]
    assert lengths(ax) == [0, *hits, 0, *others]
    ax.figure.canvas.draw()  # a dollar sign in a name begins no formula


def test_points_are_bars_of_their_cells() -> None:
    found = hostile("scorecard")
    ax = found.plot_rule()
    drawn = {round(width, 1) for width in lengths(ax)}
    said = {float(n) for n in re.findall(r": (-?[\d.]+)(?= \||$)", found.to_text(), re.MULTILINE)}
    assert said - drawn <= {0.5 * n for n in said} and drawn - {0} <= said  # cells without rows
    ax.figure.canvas.draw()
    with pytest.raises(GnriError, match="draws clauses, and there are none"):
        found.plot_coverage()


@pytest.mark.parametrize("table", [mushrooms, sizes])
def test_coverage_has_a_strip_for_each_clause(table) -> None:
    frame, labels = table(60, seed=0)
    found = RuleClassifier(form="dnf").fit(frame, labels)
    ax = found.plot_coverage()
    clauses = [clause for rule in found.statistics_ for clause in rule.clauses]
    rows = np.zeros(len(clauses) + 1)
    for bar in ax.patches:
        rows[round(bar.get_y() + bar.get_height() / 2)] += bar.get_width()
    wrong = int((found.predict(frame) != labels).sum())
    assert rows.tolist() == [*(clause.figures.covered for clause in clauses), wrong]
    ax.figure.canvas.draw()


def test_a_path_is_a_line() -> None:
    frame, labels = mushrooms(60, seed=0)
    found = RuleClassifier(form="dnf").fit(frame, labels)
    ax, path = found.plot_path(2), found.path(2)
    training, held_out, majority = ax.get_lines()
    assert held_out.get_xdata().tolist() == path["conditions"].tolist()
    assert held_out.get_ydata().tolist() == (100 * path["held_out"]).tolist()
    assert training.get_ydata().tolist() == (100 * path["training"]).tolist()
    assert majority.get_ydata()[0] == 100 * path["majority"][0]


def test_without_matplotlib_one_line_says_what_to_install(monkeypatch) -> None:
    found = hostile()
    monkeypatch.setattr(inspection, "find_spec", lambda name: None)
    for plot in (found.plot_rule, found.plot_coverage, found.plot_path):
        with pytest.raises(GnriError, match=re.escape("pip install 'gnri[plots]'")):
            plot()
