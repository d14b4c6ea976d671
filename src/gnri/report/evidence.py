"""What speaks for the rules: where they apply, where they are right, and what does not matter."""

import numpy as np

from gnri.data.schema import Scalar
from gnri.estimator.statistics import Figures
from gnri.formats.conditions import spell
from gnri.report.coverage import coverage_picture, drawn_clauses, numbered_clauses
from gnri.report.facts import Confusion, Facts, Verdict
from gnri.report.html import Markup, clipped, element, table
from gnri.report.summary import interval, percent

MOST_CLASSES = 12
"""A table of more classes would not fit the page; then the most frequent mistakes are listed."""
MISTAKES = 20
LONGEST = 40


def coverage(facts: Facts) -> list[Markup]:
    """Which clause covers which rows."""
    drawn, clauses = drawn_clauses(facts.cards), numbered_clauses(facts.cards)
    if not clauses:
        return []
    left_out = ""
    if len(drawn) < len(clauses):
        left_out = f" Of {len(clauses)} clauses, the {len(drawn)} that cover most are drawn."
    caption = element(
        "figcaption",
        element("span", "covered, and of the class the clause is for", class_="key hit"),
        " ",
        element("span", "covered, but of another class", class_="key miss"),
        f" Training rows from left to right, by class, then by the clauses that cover them; the "
        f"darker, the more of the rows at that place are covered.{left_out}",
    )
    return [
        element("h2", "Which clause covers which rows"),
        element("figure", coverage_picture(facts), caption),
    ]


def confusions(facts: Facts) -> list[Markup]:
    """How often the answer is right, on each set of rows."""
    found = [element("h2", "How often the answer is right")]
    for one in facts.confusions:
        found += [element("h3", one.title), element("p", f"{_accuracy(one)} {one.note}")]
        found.append(_confusion(one, facts.ruleset.classes))
    return found


def symmetry(facts: Facts) -> list[Markup]:
    """The check of the promise on this table."""
    found = [element("h2", "What does not matter")]
    if isinstance(facts.symmetry, str):
        return [*found, element("p", facts.symmetry)]
    rows = [
        [element("td", one.change), element("td", one.promise), _verdict(one)]
        for one in facts.symmetry
    ]
    return [
        *found,
        element(
            "p",
            "The training table was changed at random in each of these ways, the rules were "
            "induced anew, and compared with the rules above, literal for literal. A column means "
            "here one yes-or-no question of those above.",
        ),
        table(["change", "what must come out", "what came out"], rows),
    ]


def _accuracy(one: Confusion) -> str:
    right, rows = int(np.trace(one.counts)), int(one.counts.sum())
    figures = Figures(rows, right, rows, rows)
    return f"Right on {right:,} of {rows:,} rows: {percent(right / rows)} % ({interval(figures)})."


def _confusion(one: Confusion, classes: tuple[Scalar, ...]) -> Markup:
    names = [spell(label) for label in classes]
    if len(names) > MOST_CLASSES:
        return _mistakes(one, names)
    rows = [
        [
            element("td", name, class_="name"),
            *(_cell(int(count), i == j) for j, count in enumerate(one.counts[i])),
            element("td", f"{int(one.counts[i].sum()):,}", class_="number"),
            element("td", f"{percent(_share(one, i))} %", class_="number"),
        ]
        for i, name in enumerate(names)
    ]
    answers = [f"answered {clipped(name, LONGEST)}" for name in names]
    return table(["class of the row", *answers, "rows", "found"], rows)


def _mistakes(one: Confusion, names: list[str]) -> Markup:
    wrong = one.counts.copy()
    np.fill_diagonal(wrong, 0)
    worst = np.argsort(-wrong, axis=None, kind="stable")[:MISTAKES]
    pairs = [divmod(int(i), len(names)) for i in worst if wrong.flat[i]]
    rows = [
        [
            element("td", names[i], class_="name"),
            element("td", names[j], class_="name"),
            _cell(int(wrong[i, j]), False),
        ]
        for i, j in pairs
    ]
    return table(["class of the row", "answered instead", "rows"], rows)


def _share(one: Confusion, i: int) -> float | None:
    rows = int(one.counts[i].sum())
    return int(one.counts[i, i]) / rows if rows else None


def _cell(count: int, right: bool) -> Markup:
    kind = "right" if right else "wrong"
    return element("td", f"{count:,}", class_=f"number {kind}" if count else "number")


def _verdict(one: Verdict) -> Markup:
    if one.kept is None:
        return element("td", "nothing is promised: negations=False")
    if one.kept:
        return element("td", "\u2713 exactly that", class_="kept")
    return element("td", "\u2717 something else", class_="broken")
