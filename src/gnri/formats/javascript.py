"""Write a rule list as an ES module, for pages and for servers that run JavaScript.

A missing cell is undefined there, of which JavaScript finds every comparison but `!==` false.
"""

import json
from collections.abc import Sequence

from gnri.data.schema import Above, Scalar, Schema, column_kinds, values_of
from gnri.formats.expression import Points, Test, express_step
from gnri.formats.language import Language
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
    language = _language(cells)
    labels = [_literal(rule_list.classes[step.answer]) for step in rule_list.steps]
    conditions = [express_step(rule_list, step) for step in rule_list.steps]
    if rule_list.most_points_win and isinstance(first := conditions[0], Points):
        cards = first, *(first.others or ())
        totals = [f"  {language.total(card)} - ({card.bound})," for card in cards]
        lines += ["const totals = [", *totals, "];"]
        lines.append(f"return [{', '.join(labels)}][totals.indexOf(Math.max(...totals))];")
    else:
        for condition, label in zip(conditions, labels, strict=True):
            lines.append(f"if ({language.write(condition)}) return {label};")
        lines.append(f"return {_literal(rule_list.classes[rule_list.default])};")
    body = "\n".join(f"  {line}" for line in lines)
    head, row = (_HEAD, "row") if cells else ("", "")
    return f"{head}{_COMMENT}\nexport function predict({row}) {{\n{body}\n}}\n"


def _has_empty_value(schema: Schema, column: str) -> bool:
    """Return whether empty text is one of the categories of a column."""
    atoms = [atom for atom in schema.atoms if atom.column == column]
    return any("" in values_of(atom) for atom in atoms if not isinstance(atom, Above))


def _language(cells: dict[str, str]) -> Language:
    words = {"and": ("&&", "true"), "or": ("||", "false"), "+": ("+", "0")}
    return Language(lambda test, bracket: _test(test, cells[test.column], bracket), _choose, words)


def _test(test: Test, cell: str, bracket: bool) -> str:
    atom, positive = test.atom, test.positive
    if isinstance(atom, Above):
        return f"{cell} {'>' if positive else '<='} {_literal(atom.cut)}"
    values = list(map(_literal, values_of(atom)))
    if len(values) == 1:
        same = f"{cell} {'=' if positive else '!'}== {values[0]}"
    else:
        same = f"{'' if positive else '!'}[{', '.join(values)}].includes({cell})"
    if positive:
        return same
    return f"({cell} !== undefined && {same})" if bracket else f"{cell} !== undefined && {same}"


def _choose(cases: Sequence[tuple[str, float]], missing: float) -> str:
    ways = [f"{test} ? {_literal(points)} : " for test, points in cases]
    return f"({''.join(ways)}{_literal(missing)})"


def _literal(value: Scalar) -> str:
    """Return a value as a literal; no text in it can end the element `script` of a page."""
    if isinstance(value, bool | str):
        return json.dumps(value).replace("<", "\\u003c")
    if isinstance(value, int):
        return f"{value}n" if abs(value) > _SAFE else str(value)
    return repr(value).removesuffix(".0")
