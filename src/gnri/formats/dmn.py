"""Write a rule list as DMN 1.3, the standard of decision tables that business-rule engines run.

A clause is a row of tests in FEEL. A missing cell is null, of which FEEL finds every comparison not
true; where a row is for cells that may be missing, its tests name null. A scorecard, or a rule that
holds where all of its clauses are false, is a decision of its own, which the last one reads.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from xml.etree import ElementTree as ET

from gnri.data.kinds import ColumnKind
from gnri.data.schema import Above, IsTrue, OneOf, Scalar, column_kinds
from gnri.formats.expression import Case, Or, Points, Test, express, find_tests
from gnri.rules.rule_list import RuleList

_NAMESPACE = "https://www.omg.org/spec/DMN/20191111/MODEL/"
_TYPES: dict[object, str] = {
    **{ColumnKind.NUMBER: "number", ColumnKind.CATEGORY: "string", ColumnKind.FLAG: "boolean"},
    **{str: "string", bool: "boolean", int: "number", float: "number"},
}
_OWN_NAMES = r"(?:column|points|holds)_\d+|prediction"
_RESERVED = (
    "and between context date duration else every external false for function if in instance item "
    "list not null of or range return satisfies some then time true"
)
_PLAIN_NAME = re.compile(rf"(?!(?:{_OWN_NAMES}|{_RESERVED.replace(' ', '|')})$)[A-Za-z]\w*", re.A)
_NOT_PLAIN = re.compile(r'["\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff]')
_NOT_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")

Entries = dict[tuple[str, int], str]
"""The tests of a row by input; a column that needs two tests is an input twice."""


@dataclass
class _Table:
    """A decision table; a row is its entries, where others are `-`, and its output."""

    name: str
    kind: str
    policy: dict[str, str]
    rows: list[tuple[Entries, str]] = field(default_factory=list)


_FIRST = {"hitPolicy": "FIRST"}
_SUM = {"hitPolicy": "COLLECT", "aggregation": "SUM"}


def to_dmn(rule_list: RuleList) -> str:
    """Return a document with the decision `prediction`, whose inputs are the columns.

    A column whose name FEEL could misread is called column_0, column_1, ...; its label is its name.
    """
    kinds = column_kinds(rule_list.schema.atoms)
    names = {
        column: column if _PLAIN_NAME.fullmatch(column) else f"column_{i}"
        for i, column in enumerate(rule_list.columns)
    }
    types = {name: _TYPES[kinds[column]] for column, name in names.items()}
    root = ET.Element(
        "definitions", xmlns=_NAMESPACE, id="rules", name="rules", namespace="urn:gnri:rules"
    )
    for column, name in names.items():
        label = _NOT_XML.sub(_escape, column)
        data = ET.SubElement(root, "inputData", id=f"input_{name}", name=name, label=label)
        ET.SubElement(data, "variable", name=name, typeRef=types[name])
    for table in _tables(rule_list, names):
        _add_decision(root, table, types)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _tables(rule_list: RuleList, names: dict[str, str]) -> list[_Table]:
    """Return the tables, the last of which gives the class."""
    helpers = list[_Table]()
    last = _Table("prediction", _TYPES[type(rule_list.classes[0])], _FIRST)
    for i, step in enumerate(rule_list.steps):
        label = _literal(rule_list.classes[step.answer])
        expression = express(step.rule, rule_list.schema, step.truth)
        if isinstance(expression, Points):
            wins = rule_list.most_points_win
            start = -expression.bound if wins else 0
            helpers.append(_points_table(f"points_{i}", expression.cases, start, names))
            others = ", ".join(f"points_{j}" for j in range(i + 1, len(rule_list.steps)))
            least = f"max({others})" if wins else _number(expression.bound)
            test = f"{'>=' if expression.above else '<='} {least}" if others or not wins else "-"
            last.rows.append(({(f"points_{i}", 0): test}, label))
        elif isinstance(expression, Or):
            last.rows += [(_entries(find_tests(part), names), label) for part in expression.parts]
        elif all(len(find_tests(part)) == 1 for part in expression.parts):
            last.rows.append((_entries(find_tests(expression), names), label))
        else:
            # Not true where some clause is true or unknown: where each of its literals is.
            helpers.append(_Table(f"holds_{i}", "boolean", _FIRST))
            for part in expression.parts:
                possible = [Test(test.atom, not test.positive) for test in find_tests(part)]
                helpers[-1].rows.append((_entries(possible, names, or_null=True), "false"))
            helpers[-1].rows.append(({}, "true"))
            last.rows.append(({(f"holds_{i}", 0): "true"}, label))
    if not rule_list.most_points_win:
        last.rows.append(({}, _literal(rule_list.classes[rule_list.default])))
    return [*helpers, last]


def _points_table(name: str, cases: Sequence[Case], start: int, names: dict[str, str]) -> _Table:
    """Return the table whose rows that apply add up to the points of a scorecard."""
    rows: list[tuple[Entries, float]] = [({}, start)]
    for case in cases:
        if case.column is None:  # half where the clause is not false, and half where it is true
            tests = find_tests(case.tests[0][0])
            rows += [(_entries(tests, names, or_null), case.missing) for or_null in (True, False)]
            continue
        earlier = list[Test]()  # the first test that holds has the points, and all rows are added
        for expression, points in case.tests:
            (test,) = find_tests(expression)
            left = [Test(one.atom, not one.positive) for one in earlier if not _differ(one, test)]
            rows.append((_entries([test, *left], names), points))
            if isinstance(test.atom, Above):  # of a column that may have codes
                earlier = [one for one in earlier if isinstance(one.atom, OneOf)]
            earlier.append(test)
        rows.append(({(names[case.column], 0): "null"}, case.missing))
    kept = [(entries, _number(points)) for entries, points in rows if points or not entries]
    return _Table(name, "number", _SUM, kept)


def _differ(one: Test, other: Test) -> bool:
    """Return whether two tests of a column plainly never hold together."""
    if one.positive and isinstance(one.atom, OneOf) and isinstance(other.atom, OneOf):
        values, others = set(one.atom.values), set(other.atom.values)
        return values.isdisjoint(others) if other.positive else values <= others
    return one.atom == other.atom and one.positive != other.positive


def _entries(tests: Sequence[Test], names: dict[str, str], or_null: bool = False) -> Entries:
    """Return the row for where all tests are true or, with `or_null`, true or unknown.

    >>> tests = [Test(Above("age", cut), cut < 40) for cut in (30.0, 45.0)]
    >>> _entries(tests, {"age": "age"}), _entries(tests, {"age": "age"}, or_null=True)
    ({('age', 0): '(30..45]'}, {('age', 0): 'null, (30..45]'})
    """
    entries: Entries = {}
    for column in dict.fromkeys(test.column for test in tests):
        own = [test for test in tests if test.column == column]
        cuts = {
            sign: [t.atom.cut for t in own if isinstance(t.atom, Above) and t.positive == sign]
            for sign in (True, False)
        }
        low, up = max(cuts[True], default=None), min(cuts[False], default=None)
        if low is not None and up is not None and low < up:
            found = [f"({_number(low)}..{_number(up)}]"]
        else:
            found = [f"> {_number(low)}"] if low is not None else []
            found += [f"<= {_number(up)}"] if up is not None else []
        found = [f"null, {one}" if or_null else one for one in found]
        found += [
            _value_test(t.atom, t.positive, or_null) for t in own if not isinstance(t.atom, Above)
        ]
        entries |= {(names[column], i): text for i, text in enumerate(found)}
    return entries


def _value_test(atom: OneOf | IsTrue, positive: bool, or_null: bool) -> str:
    values = [_literal(v) for v in (atom.values if isinstance(atom, OneOf) else (True,))]
    listed = ", ".join(["null"] * (or_null == positive) + values)
    return listed if positive else f"not({listed})"


def _add_decision(root: ET.Element, table: _Table, types: dict[str, str]) -> None:
    """Add a decision with its table; what it reads are columns or the decisions before it."""
    places = dict.fromkeys(place for entries, _ in table.rows for place in entries)
    inputs = sorted(places, key=lambda place: [*types, place[0]].index(place[0]))
    decision = ET.SubElement(root, "decision", id=table.name, name=table.name)
    ET.SubElement(decision, "variable", name=table.name, typeRef=table.kind)
    for i, name in enumerate(dict.fromkeys(name for name, _ in inputs)):
        needed = ET.SubElement(decision, "informationRequirement", id=f"{table.name}_reads_{i}")
        if name in types:
            ET.SubElement(needed, "requiredInput", href=f"#input_{name}")
        else:
            ET.SubElement(needed, "requiredDecision", href=f"#{name}")
    body = ET.SubElement(decision, "decisionTable", {"id": f"{table.name}_table"} | table.policy)
    for name, _ in inputs:
        kind = types.get(name, "boolean" if name.startswith("holds_") else "number")
        clause = ET.SubElement(body, "input")
        _add_text(ET.SubElement(clause, "inputExpression", typeRef=kind), name)
    ET.SubElement(body, "output", name=table.name, typeRef=table.kind)
    for entries, output in table.rows:
        rule = ET.SubElement(body, "rule")
        for place in inputs:
            _add_text(ET.SubElement(rule, "inputEntry"), entries.get(place, "-"))
        _add_text(ET.SubElement(rule, "outputEntry"), output)


def _add_text(element: ET.Element, text: str) -> None:
    ET.SubElement(element, "text").text = text


def _literal(value: Scalar) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{_NOT_PLAIN.sub(_escape, value)}"' if isinstance(value, str) else _number(value)


def _escape(match: re.Match[str]) -> str:
    return f"\\{match[0]}" if match[0] in '"\\' else f"\\U{ord(match[0]):06x}"


def _number(value: float) -> str:
    """Return a number in digits alone, since FEEL has no exponents.

    >>> _number(30.0), _number(-2.5e-7), _number(1e22)
    ('30', '-0.00000025', '10000000000000000000000')
    """
    text = f"{Decimal(repr(value)):f}"
    return text.rstrip("0").removesuffix(".") if "." in text else text
