"""Write a rule list as PMML 4.4, the standard of models that scoring engines run.

A rule list is a rule set, whose first rule that holds gives the answer; a scorecard comes before it
as a model of its own. PMML leaves a test of a missing cell unknown, and reads AND and OR as
`predict` does.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree as ET

from gnri.data.kinds import ColumnKind
from gnri.data.schema import Above, OneOf, Scalar, column_kinds
from gnri.errors import RuleError, shorten
from gnri.formats.expression import And, Case, Expression, Or, Points, Test, express, find_tests
from gnri.rules.dnf import SignedDNF
from gnri.rules.rule_list import RuleList, Step

_NOT_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_TYPES = {
    ColumnKind.NUMBER: ("continuous", "double"),
    ColumnKind.CATEGORY: ("categorical", "string"),
    ColumnKind.FLAG: ("categorical", "boolean"),
}
_CLASS_TYPES = {str: "string", bool: "boolean", int: "integer", float: "double"}


def to_pmml(rule_list: RuleList, training: Mapping[str, Any] | None = None) -> str:
    """Return a document whose model predicts the field `prediction`.

    It is a RuleSetModel; with points it is a MiningModel of Scorecards and a RuleSetModel. With a
    summary of the training rows, as in `rules.documents`, each rule says how many rows it covers
    and how many of them are of its class.
    """
    target, *points = _own_names(rule_list)
    root = ET.Element("PMML", {"xmlns": "http://www.dmg.org/PMML-4_4", "version": "4.4"})
    ET.SubElement(ET.SubElement(root, "Header"), "Application", name="gnri")
    kinds = {name: column_kinds(rule_list.schema.atoms)[name] for name in rule_list.columns}
    _add_dictionary(root, rule_list, kinds, target)
    cards = {
        name: expression
        for name, rule in zip(points, rule_list.rules, strict=True)
        if isinstance(expression := express(rule, rule_list.schema, 1), Points)
    }
    if not cards:
        _add_rule_set(root, rule_list, target, points, training)
    else:
        model = ET.SubElement(root, "MiningModel", functionName="classification")
        _add_schema(model, kinds, target)
        chain = ET.SubElement(model, "Segmentation", multipleModelMethod="modelChain")
        for name, card in cards.items():
            start = -card.bound if rule_list.most_points_win else 0
            _add_scorecard(_add_segment(chain), card, name, target, start)
        _add_rule_set(_add_segment(chain), rule_list, target, points, training)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _own_names(rule_list: RuleList) -> list[str]:
    """Return names for the class and for the points of each step that no column has."""
    names = ["prediction", *(f"points_{i}" for i in range(len(rule_list.steps)))]
    while set(names) & set(rule_list.columns):
        names = [f"{name}_" for name in names]
    return names


def _add_dictionary(
    root: ET.Element, rule_list: RuleList, kinds: dict[str, ColumnKind], target: str
) -> None:
    label_type = _CLASS_TYPES[type(rule_list.classes[0])]
    if any(isinstance(label, int) and abs(label) >= 2**31 for label in rule_list.classes):
        label_type = "string"  # some engines hold whole numbers in 32 bits
    types = {_text(column): _TYPES[kind] for column, kind in kinds.items()}
    dictionary = ET.SubElement(root, "DataDictionary")
    for name, (optype, data_type) in (types | {target: ("categorical", label_type)}).items():
        field = ET.SubElement(dictionary, "DataField", name=name, optype=optype, dataType=data_type)
    for label in rule_list.classes:  # of the target, which is the last
        ET.SubElement(field, "Value", value=_text(label))


def _add_schema(
    model: ET.Element, columns: Iterable[str], target: str, usage: str = "target"
) -> None:
    """Add what a model reads: a category never seen is read as it is."""
    schema = ET.SubElement(model, "MiningSchema")
    for column in columns:
        ET.SubElement(schema, "MiningField", name=_text(column), invalidValueTreatment="asIs")
    ET.SubElement(schema, "MiningField", name=target, usageType=usage)


def _add_segment(chain: ET.Element) -> ET.Element:
    segment = ET.SubElement(chain, "Segment", id=str(len(chain)))
    ET.SubElement(segment, "True")
    return segment


def _add_scorecard(parent: ET.Element, points: Points, name: str, target: str, start: int) -> None:
    """Add a model of points; a characteristic ends with the points of a missing cell."""
    model = ET.SubElement(parent, "Scorecard", functionName="regression")
    model.set("initialScore", str(start))
    model.set("useReasonCodes", "false")
    tests = [test for case in points.cases for test, _ in case.tests]
    _add_schema(model, _columns(tests), target, "supplementary")
    field = ET.SubElement(ET.SubElement(model, "Output"), "OutputField", _number_field(name))
    field.set("feature", "predictedValue")
    characteristics = ET.SubElement(model, "Characteristics")
    for i, case in enumerate(points.cases or [Case(None, (), 0)]):
        line_name = f"line_{i}" if case.column is None else _text(case.column)
        line = ET.SubElement(characteristics, "Characteristic", name=line_name)
        for expression, given in [*case.tests, (And(()), case.missing)]:
            part = ET.SubElement(line, "Attribute", partialScore=_text(given))
            part.append(_predicate(expression))


def _number_field(name: str) -> dict[str, str]:
    return {"name": name, "optype": "continuous", "dataType": "double"}


def _columns(expressions: Sequence[Expression]) -> list[str]:
    """Return the columns that expressions read, each once."""
    return list(dict.fromkeys(test.column for one in expressions for test in find_tests(one)))


def _add_rule_set(
    parent: ET.Element,
    rule_list: RuleList,
    target: str,
    points: list[str],
    training: Mapping[str, Any] | None,
) -> None:
    """Add the steps; a rule for each clause, or for the points of a scorecard."""
    rule_set = ET.Element("RuleSet", defaultScore=_text(rule_list.classes[rule_list.default]))
    rule_set.set("defaultConfidence", "1")  # that of any rule
    if training is not None:
        rule_set.set("recordCount", str(training["rows"]))
    ET.SubElement(rule_set, "RuleSelectionMethod", criterion="firstHit")
    read, fields = list[str](), ET.Element("LocalTransformations")
    for i, step in enumerate(rule_list.steps):
        expression = express(step.rule, rule_list.schema, step.truth)
        if isinstance(expression, Points):
            operator = "greaterOrEqual" if expression.above else "lessOrEqual"
            tests = [_comparison(points[i], operator, expression.bound)]
            if rule_list.most_points_win:
                leads = [_add_lead(fields, points[i], other) for other in points[i + 1 :]]
                tests = [_comparison(lead, operator, 0) for lead in leads]
            read.append(points[i])
            parts = [_join("and", tests)]
        else:
            clauses = expression.parts if isinstance(expression, Or) else (expression,)
            read += _columns(clauses)
            parts = [_predicate(clause) for clause in clauses]
        score = _text(rule_list.classes[step.answer])
        for part, rows in zip(parts, _count_records(training, i, step, len(parts)), strict=True):
            attributes = {"id": str(len(rule_set)), "score": score} | rows
            ET.SubElement(rule_set, "SimpleRule", attributes).append(part)
    model = ET.SubElement(
        parent, "RuleSetModel", functionName="classification", algorithmName="gnri"
    )
    _add_schema(model, dict.fromkeys(read), target)
    model.extend([fields] * bool(len(fields)))
    model.append(rule_set)


def _count_records(
    training: Mapping[str, Any] | None, place: int, step: Step, parts: int
) -> list[dict[str, str]]:
    """Return what each of so many parts of a step covers; nothing where that was not counted."""
    if training is None or step.truth < 0:
        return [{}] * parts
    found = training["rules"][place]
    clauses = isinstance(step.rule, SignedDNF) and step.rule.positive
    figures = found["clauses"] if clauses else [found["figures"]]
    if len(figures) != parts:  # a rule that is always false
        return [{}] * parts
    names = {"recordCount": "covered", "nbCorrect": "hits"}
    return [{name: str(one[key]) for name, key in names.items()} for one in figures]


def _add_lead(parent: ET.Element, own: str, other: str) -> str:
    """Add a field, by how many points one is above another; return its name."""
    name = f"{own}_less_{other}"
    field = ET.SubElement(parent, "DerivedField", _number_field(name))
    minus = ET.SubElement(field, "Apply", function="-")
    for one in (own, other):
        ET.SubElement(minus, "FieldRef", field=one)
    return name


def _comparison(field: str, operator: str, value: Scalar) -> ET.Element:
    return ET.Element("SimplePredicate", field=_text(field), operator=operator, value=_text(value))


def _predicate(expression: Expression) -> ET.Element:
    match expression:
        case And(parts) | Or(parts):
            return _join(expression.word, [_predicate(part) for part in parts])
        case Test(Above(column, cut), positive):
            return _comparison(column, "greaterThan" if positive else "lessOrEqual", cut)
        case Test(atom, positive):
            values = atom.values if isinstance(atom, OneOf) else (True,)
            word, operator = ("or", "equal") if positive else ("and", "notEqual")
            return _join(word, [_comparison(atom.column, operator, value) for value in values])


def _join(word: str, parts: list[ET.Element]) -> ET.Element:
    """Return the predicate that all or, with the word `or`, any of the parts are true."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return ET.Element("True" if word == "and" else "False")
    compound = ET.Element("CompoundPredicate", booleanOperator=word)
    compound.extend(parts)
    return compound


def _text(value: Scalar) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and _NOT_XML.search(value):
        raise RuleError(f"XML cannot hold all characters of {shorten(value)}; rename it")
    return str(value)
