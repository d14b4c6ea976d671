"""The rules in words, and the card of each."""

from collections.abc import Sequence
from itertools import count

from gnri.estimator.statistics import ClauseCard, Figures, RuleCard
from gnri.formats.conditions import spell
from gnri.formats.text import ending_lines
from gnri.messages import counted
from gnri.report.facts import Facts
from gnri.report.html import Markup, clipped, element, table
from gnri.report.summary import HEAD, LEGEND, headline, interval, percent, summary

LONGEST = 60
MOST_ROWS = 400
"""So many ranges of row numbers are listed for a clause."""


def title(facts: Facts) -> list[Markup]:
    """What the page is about, in a line."""
    clauses = sum(len(card.clauses) for card in facts.cards)
    literals = sum(rule.size for rule in facts.ruleset.rules if rule is not None)
    classes = [clipped(spell(label), LONGEST) for label in facts.ruleset.classes]
    rows, columns = len(facts.codes), len(facts.columns)
    return [
        element("h1", "Rules that tell ", _listed(classes)),
        element(
            "p",
            f"{counted(rows, 'training row')}, {counted(columns, 'column')}; "
            f"{counted(len(facts.cards), 'rule')} of {counted(clauses, 'clause')} and "
            f"{counted(literals, 'literal')} in all.",
            class_="soft",
        ),
    ]


def rules(facts: Facts) -> list[Markup]:
    """The rules as a person would say them."""
    return [
        element("h2", "The rules"),
        *(_rule(card) for card in facts.cards),
        element("div", "\n".join(ending_lines(facts.ruleset)), class_="ending"),
    ]


def cards(facts: Facts) -> list[Markup]:
    """A table for each rule: its clauses, and how each does on the training rows."""
    counter = count(1)
    found = [
        element("h2", "The evidence for each clause"),
        element(
            "p",
            "Counted on the training rows, the very rows that the clauses were found on. The "
            "bar is the 95 % interval of the precision by Wilson, and its tick the share of the "
            "class among all rows.",
        ),
        element("p", f"{LEGEND}; lift: how much likelier that class is there.", class_="soft"),
    ]
    for card in facts.cards:
        found.append(element("h3", headline(card) + (" …" if card.clauses else "")))
        if card.clauses:
            numbered = {next(counter): clause for clause in card.clauses}
            rows = [_clause_row(clause, number) for number, clause in numbered.items()]
            sentences = (f"{line[0].upper()}{line[1:]}. " for line in summary(card))
            found.append(table(["", f"clause for {clipped(card.target, LONGEST)}", *HEAD], rows))
            found += [element("p", *sentences), _provenance(numbered)]
    return found


def _rule(card: RuleCard) -> Markup:
    head, *lines = card.text.split("\n")
    clauses = [clause.text for clause in card.clauses] or [line.strip() for line in lines]
    items = [
        element("li", element("span", "or ") if i else Markup(), words)
        for i, words in enumerate(clauses)
    ]
    body = [element("ul", *items)] if items else []
    return element("div", element("strong", head), *body, class_="rule")


def _clause_row(card: ClauseCard, number: int) -> list[Markup]:
    figures = card.figures
    lift = "-" if figures.lift is None else f"{figures.lift:.2f}"
    return [
        element("td", str(number), class_="number"),
        element("td", card.text, class_="clause"),
        *(
            element("td", f"{count:,}", class_="number")
            for count in (figures.covered, card.unique, figures.hits)
        ),
        element("td", f"{percent(figures.precision)} %", class_="number"),
        element("td", interval(figures), _interval_picture(figures)),
        element("td", lift, class_="number"),
    ]


def _interval_picture(figures: Figures) -> Markup:
    """A track from 0 to 100 %, the interval on it, the precision, and the base rate as a tick."""
    low, high = figures.interval
    base, point = figures.base, figures.precision
    dot = [] if point is None else [element("circle", cx=_x(point), cy=9, r=3.4, class_="point")]
    return element(
        "svg",
        element("rect", x=_x(0), y=7, width=_x(1, 0), height=4, class_="track"),
        element("rect", x=_x(low), y=6, width=_x(high - low, 0), height=6, class_="range"),
        element("line", x1=_x(base), x2=_x(base), y1=2, y2=16, class_="base"),
        *dot,
        viewBox="0 0 120 18",
        class_="interval",
        role="img",
        aria_label=f"from {percent(low)} to {percent(high)} %",
    )


def _x(share: float, start: float = 4) -> str:
    return f"{start + share * 112:.1f}"


def _provenance(numbered: dict[int, ClauseCard]) -> Markup:
    """Which rows each clause covers, folded away; for people the first row of a table is row 1."""
    lines = (
        element("p", element("strong", f"{number}: "), _ranges((clause.rows + 1).tolist()))
        for number, clause in numbered.items()
    )
    return element("details", element("summary", "Which rows, counted from 1"), *lines)


def _ranges(rows: list[int]) -> str:
    """Row numbers in order, neighbours joined.

    >>> _ranges([0, 1, 2, 7])
    '0-2, 7'
    """
    starts = [row for i, row in enumerate(rows) if not i or rows[i - 1] != row - 1]
    ends = [row for i, row in enumerate(rows) if i == len(rows) - 1 or rows[i + 1] != row + 1]
    pairs = list(zip(starts, ends, strict=True))
    said = [str(a) if a == b else f"{a}-{b}" for a, b in pairs[:MOST_ROWS]]
    more = f", and {len(pairs) - MOST_ROWS} more ranges" if len(pairs) > MOST_ROWS else ""
    return (", ".join(said) or "none") + more


def _listed(names: Sequence[str], most: int = 6) -> str:
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more classes apart"
    return f"{', '.join(names[:-1])} and {names[-1]} apart"
