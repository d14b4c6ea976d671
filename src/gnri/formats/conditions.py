"""Write a clause as conditions on columns, in words or in LaTeX.

Thresholds on one column are joined into a range, such as `30 < age <= 45`, and excluded values into
a list, such as `odor not in {foul, musty}`. A joined condition is true, false or unknown on the
same rows as the AND of its literals. `explain_values` says what the words for values stand for.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from gnri.data.kinds import NUMBER
from gnri.data.schema import Above, Equals, IsTrue, OneOf, Scalar, Schema
from gnri.formats.expression import Test, express_literal
from gnri.rules.dnf import Literal
from gnri.rules.syntax import quote_text

MANY_VALUES = 8
"""A longer list of grouped values is written as how many they are."""


class HowMany(str):
    """A long list of values in few words, such as `53 values`."""

    __slots__ = ()


# Text is written without quotes if it matches this and contains none of the keywords.
_BARE = re.compile(r"\w(?:[\w .,:/%+-]*\w)?")
_KEYWORDS = frozenset({"and", "or", "not", "in", "if", "unless", "otherwise", "always", "never"})


def format_value(value: Scalar) -> str:
    r"""Return a name or value without quotes if it cannot be misread, else quoted and escaped.

    >>> print(*map(format_value, ["cap color", 2.0, "a\nb", "or"]))
    cap color 2 "a\nb" "or"
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return repr(value).removesuffix(".0")
    if _BARE.fullmatch(value) and value.isprintable() and not _KEYWORDS & set(value.split()):
        return value
    return quote_text(value)


def _name(column: str) -> str:
    """Return the name of a column, quoted if it could be read as a number, such as 2."""
    return quote_text(column) if NUMBER.fullmatch(column) else format_value(column)


def _value(value: Scalar) -> str:
    """Return a value; quote text that could be read as a number, a Boolean or a list."""
    if not isinstance(value, str):
        return format_value(value)
    misread = NUMBER.fullmatch(value) or "," in value or value.lower() in ("true", "false")
    return quote_text(value) if misread else format_value(value)


class PointScale(NamedTuple):
    """Units of points: a score, the odds at that score, and the points that double the odds."""

    score: float
    odds: float
    doubling: float


@dataclass(frozen=True, slots=True)
class Notation:
    """How to write classes, columns, values and operators; the defaults are words."""

    label: Callable[[Scalar], str] = format_value
    column: Callable[[str], str] = _name
    value: Callable[[Scalar], str] = _value
    operators: Mapping[str, str] = field(default_factory=dict)  # those not listed stay as they are
    formula: str = "{}"  # what each condition is put into, such as ${}$ in LaTeX
    scale: PointScale | None = None  # of points; None for those of the rules

    def write(self, tests: Sequence[Test]) -> str:
        """Return tests of one column as one condition, such as `30 < age <= 45`.

        They are one test, several thresholds, or several that exclude values.
        """
        column = self.column(tests[0].column)
        cuts = [(one.atom.cut, one.positive) for one in tests if isinstance(one.atom, Above)]
        lowers, uppers = ([cut for cut, above in cuts if above == side] for side in (True, False))
        values = _sorted(v for one in tests if isinstance(one.atom, OneOf) for v in one.atom.values)
        match tests[0]:
            case Test(Above()) if not uppers:
                text = f"{column} > {self.value(max(lowers))}"
            case Test(Above()):
                start = f"{self.value(max(lowers))} < " if lowers else ""
                text = f"{start}{column} {self.operator('<=')} {self.value(min(uppers))}"
            case Test(OneOf(), positive) if len(values) > 1 or isinstance(values[0], HowMany):
                inside = ", ".join(map(self.value, values))
                text = f"{column} {self.operator('in' if positive else 'not in')} "
                text += f"{self.operator('{')}{inside}{self.operator('}')}"
            case Test(OneOf(), positive):
                text = f"{column} {self.operator('=' if positive else '!=')} "
                text += self.value(values[0])
            case Test(IsTrue(), positive):
                text = column if positive else f"{self.operator('not')} {column}"
        return self.formula.format(text)

    def operator(self, word: str) -> str:
        """Return an operator as the notation writes it."""
        return self.operators.get(word, word)


WORDS = Notation()


def write_clause(schema: Schema, literals: Iterable[Literal], notation: Notation = WORDS) -> str:
    """Return the conditions of a clause; the empty clause is `always`.

    >>> schema = Schema((Above("age", 30.0), Above("age", 45.0)))
    >>> write_clause(schema, [Literal(0), Literal(1, False)])
    '30 < age <= 45'
    """
    found: dict[object, list[Test]] = {}
    for literal in sorted(literals):
        test = _name_values(schema, literal)
        joins = isinstance(test.atom, Above) or (isinstance(test.atom, OneOf) and not test.positive)
        key = (type(test.atom), test.column) if joins else literal
        found.setdefault(key, []).append(test)
    return " and ".join(map(notation.write, found.values())) or "always"


def _name_values(schema: Schema, literal: Literal) -> Test:
    """Return the test of a literal in few words: the other of two values has a name."""
    match schema.atoms[literal.atom]:
        case Equals(column, _, other) if other is not None and not literal.positive:
            return Test(OneOf(column, (other,)), True)
        case OneOf(column, values):
            return Test(OneOf(column, shorten_list(values)), literal.positive)
    return express_literal(schema, literal)


def shorten_list(values: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    """Return values or, of too many, only their number."""
    return values if len(values) <= MANY_VALUES else (HowMany(f"{len(values)} values"),)


def explain_values(
    schema: Schema, literals: Iterable[Literal], notation: Notation = WORDS
) -> list[str]:
    """Return what the words for values stand for, where that is not plain.

    >>> schema = Schema((Equals("sex", "male", other="female"),))
    >>> explain_values(schema, [Literal(0, False)])
    ['any sex but male counts as female']
    """

    def write(value: str) -> str:
        return notation.formula.format(value)

    pairs, lists = dict[str, list[str]](), dict[str, None]()
    for literal in sorted(literals):
        atom = schema.atoms[literal.atom]
        column = write(notation.column(atom.column))
        if isinstance(atom, Equals) and atom.other is not None and not literal.positive:
            value, other = (write(notation.value(one)) for one in (atom.value, atom.other))
            pairs.setdefault(f"but {value} counts as {other}", []).append(column)
        if isinstance(atom, OneOf) and len(atom.values) > MANY_VALUES:
            values = ", ".join(write(notation.value(one)) for one in _sorted(atom.values))
            lists[f"{len(atom.values)} values of {column}: {values}"] = None
    return [*(f"any {', '.join(columns)} {words}" for words, columns in pairs.items()), *lists]


def _sorted(values: Iterable[Scalar]) -> tuple[Scalar, ...]:
    """Return the values sorted, without duplicates: numbers first, then text by code point."""
    return tuple(sorted(set(values), key=lambda value: (isinstance(value, str), value)))
