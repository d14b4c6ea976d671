"""Write a rule list as an ES module, for pages and for servers that run JavaScript.

A missing cell is undefined there, of which JavaScript finds every comparison but `!==` false.
"""

import json

from gnri.data.schema import Above, IsTrue, OneOf, Scalar, Schema, column_kinds, values_of
from gnri.formats.expression import And, Expression, Or, Points, Test, express_step
from gnri.rules.rule_list import RuleList

_HEAD = """\
const IS = {
  number: (value) => typeof value === "number",
  category: (value) => typeof value === "string",
  flag: (value) => [true, false, 1, 0].includes(value),
};

function cell(row, name, kind, missing = [null, "", NaN]) {
  const value = Object.hasOwn(row, name) ? row[name] : undefined;
  if (value === undefined || missing.includes(value)) return undefined;
  if (!IS[kind](value)) {
    throw new TypeError(`wrong type in column ${JSON.stringify(name)}: ${String(value)}`);
  }
  return kind === "flag" ? Number(value) : value;
}

"""
_COMMENT = "/** The class of a row; null, undefined, NaN and empty text are missing cells. */"
_SAFE = 2**53 - 1
"""The largest number up to which JavaScript tells whole numbers apart."""


def to_javascript(rule_list: RuleList) -> str:
    r"""Return a module that exports `predict(row)`; a row is an object with the columns.

    null, undefined, NaN and empty text are missing cells, but for empty text where it is a value.

    >>> from gnri.data.schema import Equals, Schema
    >>> from gnri.rules.dnf import SignedDNF
    >>> schema = Schema((Above("age", 30.0), Equals("odor", "foul")))
    >>> rules = RuleList.binary(schema, ("no", "yes"), SignedDNF([[(0, True), (1, False)]]))
    >>> print("\n".join(to_javascript(rules).splitlines()[-7:]))
    /** The class of a row; null, undefined, NaN and empty text are missing cells. */
    export function predict(row) {
      const c0 = cell(row, "age", "number");
      const c1 = cell(row, "odor", "category");
      if (c0 > 30 && (c1 !== undefined && c1 !== "foul")) return "yes";
      return "no";
    }
    """
    schema, kinds = rule_list.schema, column_kinds(rule_list.schema.atoms)
    cells = {name: f"c{i}" for i, name in enumerate(rule_list.columns)}
    lines = [
        f"const {cell} = cell(row, {_literal(name)}, {_literal(kinds[name])}"
        f"{', [null, NaN]' if _has_empty_value(schema, name) else ''});"
        for name, cell in cells.items()
    ]
    labels = [_literal(rule_list.classes[step.answer]) for step in rule_list.steps]
    conditions = [express_step(rule_list, step) for step in rule_list.steps]
    if rule_list.most_points_win and isinstance(first := conditions[0], Points):
        cards = first, *(first.others or ())
        totals = [f"  {_total(card, cells)} - ({card.bound})," for card in cards]
        lines += ["const totals = [", *totals, "];"]
        lines.append(f"return [{', '.join(labels)}][totals.indexOf(Math.max(...totals))];")
    else:
        for condition, label in zip(conditions, labels, strict=True):
            lines.append(f"if ({_condition(condition, cells)}) return {label};")
        lines.append(f"return {_literal(rule_list.classes[rule_list.default])};")
    body = "\n".join(f"  {line}" for line in lines)
    head, row = (_HEAD, "row") if cells else ("", "")
    return f"{head}{_COMMENT}\nexport function predict({row}) {{\n{body}\n}}\n"


def _has_empty_value(schema: Schema, column: str) -> bool:
    """Return whether empty text is one of the categories of a column."""
    atoms = [atom for atom in schema.atoms if atom.column == column]
    return any("" in values_of(atom) for atom in atoms if not isinstance(atom, Above))


def _condition(expression: Expression | Points, cells: dict[str, str], inner: bool = False) -> str:
    """Return the expression in JavaScript: true where it is, else false."""
    match expression:
        case And(()) | Or(()):
            return "true" if isinstance(expression, And) else "false"
        case And(parts) | Or(parts):
            several = len(parts) > 1
            word = " && " if isinstance(expression, And) else " || "
            text = word.join(_condition(part, cells, inner or several) for part in parts)
            return f"({text})" if inner and several else text
        case Points(_, bound, above):
            return f"{_total(expression, cells)} {'>=' if above else '<='} {bound}"
        case Test(atom, positive):
            text = _test(atom, positive, cells[atom.column])
            return f"({text})" if inner and " && " in text else text


def _test(atom: Above | OneOf | IsTrue, positive: bool, cell: str) -> str:
    if isinstance(atom, Above):
        return f"{cell} {'>' if positive else '<='} {_literal(atom.cut)}"
    values = list(map(_literal, values_of(atom)))
    if len(values) == 1:
        same = f"{cell} {'=' if positive else '!'}== {values[0]}"
    else:
        same = f"{'' if positive else '!'}[{', '.join(values)}].includes({cell})"
    return same if positive else f"{cell} !== undefined && {same}"


def _total(points: Points, cells: dict[str, str]) -> str:
    terms = []
    for case in points.cases:
        tests = [f"{_condition(test, cells)} ? {_literal(p)} : " for test, p in case.tests]
        terms.append(f"({''.join(tests)}{_literal(case.missing)})")
    return " + ".join(terms) or "0"


def _literal(value: Scalar) -> str:
    """Return a value as a literal; no text in it can end the element `script` of a page."""
    if isinstance(value, bool | str):
        return json.dumps(value).replace("<", "\\u003c")
    if isinstance(value, int):
        return f"{value}n" if abs(value) > _SAFE else str(value)
    return repr(value).removesuffix(".0")
