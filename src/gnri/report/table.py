"""What was made of the columns: the questions asked of each, and what happened to missing cells."""

from gnri.data.schema import Above, Atom, Equals, IsTrue, OneOf
from gnri.formats.conditions import spell
from gnri.messages import counted
from gnri.report.facts import Column, Facts
from gnri.report.html import Markup, element, table

MOST_COLUMNS = 300
"""So many columns that no rule reads are listed."""


def columns(facts: Facts) -> list[Markup]:
    """The cuts and categories of each column; those that rules read come first."""
    read = set(facts.ruleset.columns)
    used = [one for one in facts.columns if one.name in read]
    others = [one for one in facts.columns if one.name not in read]
    found = [
        element("h2", "What was made of the columns"),
        element(
            "p",
            "Each column became yes-or-no questions, without a look at the labels. "
            "These are the columns that the rules read:"
            if used
            else "No rule reads any column.",
        ),
    ]
    if used:
        found.append(_table(used))
    if others:
        more = len(others) - MOST_COLUMNS
        end = [element("p", f"and {more:,} more")] if more > 0 else []
        summary = element("summary", f"{counted(len(others), 'column')} that no rule reads")
        found.append(element("details", summary, _table(others[:MOST_COLUMNS]), *end))
    return found


def missing_cells(facts: Facts) -> list[Markup]:
    """How many there are, and what a missing cell does."""
    counts = {one.name: one.missing for one in facts.columns if one.missing}
    rows, majority = len(facts.codes), spell(facts.ruleset.classes[facts.ruleset.majority])
    if counts:
        cells = sum(counts.values())
        verb = "is" if cells == 1 else "are"
        where = f"in {counted(len(counts), 'column')} of the {rows:,} rows"
        seen = f"{counted(cells, 'cell')} {verb} missing, {where}."
    else:
        seen = "No cell of these columns is missing in the training rows."
    return [
        element("h2", "Missing cells"),
        element(
            "p",
            f"{seen} None was filled in. A missing cell leaves the questions of its column open: "
            "a clause that asks one is neither true nor false, unless something else in it is "
            "false already. Where this leaves no rule to decide, the answer is ",
            element("strong", majority),
            ". A category that no training row had is none of those listed, so that each "
            "question for one of them is answered no.",
        ),
    ]


def _table(listed: list[Column]) -> Markup:
    rows = [
        [
            element("td", spell(one.name), class_="name"),
            element("td", _kind(one.atoms)),
            element("td", _questions(one.atoms), class_="clause"),
            element("td", "-" if one.missing is None else f"{one.missing:,}", class_="number"),
        ]
        for one in listed
    ]
    return table(["column", "holds", "asked", "missing"], rows)


def _kind(atoms: tuple[Atom, ...]) -> str:
    if not atoms:
        return "one value, or none"
    match atoms[0]:
        case Above():
            return "numbers"
        case IsTrue():
            return "true or false"
        case Equals() | OneOf():
            return "categories"


def _questions(atoms: tuple[Atom, ...]) -> str:
    cuts = [spell(atom.cut) for atom in atoms if isinstance(atom, Above)]
    if cuts:
        return f"above {', '.join(cuts)}"
    values = [_values(atom) for atom in atoms if isinstance(atom, Equals | OneOf)]
    if values:
        return ", ".join(values)
    return "is it true" if atoms else "nothing, as it does not vary"


def _values(atom: Equals | OneOf) -> str:
    if isinstance(atom, Equals):
        return spell(atom.value)
    return f"{{{', '.join(map(spell, atom.values))}}}"
