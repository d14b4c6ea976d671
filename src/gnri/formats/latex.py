"""A classifier as a LaTeX list, for a paper or a report."""

from collections.abc import Iterable

from gnri.data.schema import Scalar, Schema
from gnri.formats.conditions import Condition, Range, conditions, spell
from gnri.formats.expression import Flag, Member
from gnri.formats.text import ending_lines, no_rule_line, outline
from gnri.rules.dnf import Literal
from gnri.rules.rule_list import RuleList

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    # Alone in braces, these cannot join into a dash or an inverted mark.
    "-": "{-}",
    "?": "{?}",
    "!": "{!}",
    ",": "{,}",
    "[": "{[}",
    "]": "{]}",
}


def to_latex(ruleset: RuleList) -> str:
    """Return nested lists; they need amsmath, T1 fonts and, beyond ASCII, a Unicode engine.

    >>> from gnri.rules.dnf import SignedDNF
    >>> from gnri.data.schema import Above
    >>> rule = SignedDNF([[(0, True)]])
    >>> schema = Schema((Above("body_mass", 30.0),))
    >>> print(to_latex(RuleList.binary(schema, ("low", "high"), rule)))
    \\begin{itemize}
      \\item \\textbf{high} if
      \\begin{itemize}
        \\item $\\text{body\\_mass} > 30$
      \\end{itemize}
      \\item otherwise \\textbf{low}
    \\end{itemize}
    """
    outlines = [outline(ruleset, step, _bold, _clause) for step in ruleset.steps]
    items = [line for said in outlines for line in _item(said)]
    ends = [no_rule_line(ruleset.classes[kind], _bold) for kind in ruleset.without_rule]
    items += [f"\\item {words}" for words in ends + ending_lines(ruleset, _bold)]
    return "\n".join(_list(items))


def escape(text: str) -> str:
    """Return text that LaTeX prints as it stands; invisible characters are shown by their code.

    >>> print(escape("50% of $x_1"))
    50\\% of \\$x\\_1
    """
    # LaTeX swallows a space after a space, and one at the end of a line.
    return "".join(map(_escaped, text)).replace("  ", " \\ ") or "{}"


def number(value: float) -> str:
    """Return a number as it stands in a formula."""
    mantissa, e, exponent = repr(value).partition("e")
    mantissa = mantissa.removesuffix(".0")
    return f"{mantissa}\\times 10^{{{int(exponent)}}}" if e else mantissa


def _item(said: list[str]) -> list[str]:
    head, *clauses = said
    inner = _list([f"\\item {words}" for words in clauses]) if clauses else []
    return [f"\\item {head}", *inner]


def _list(items: list[str]) -> list[str]:
    return ["\\begin{itemize}", *(f"  {line}" for line in items), "\\end{itemize}"]


def _clause(schema: Schema, literals: Iterable[Literal]) -> str:
    return " and ".join(f"${_formula(item)}$" for item in conditions(schema, literals)) or "always"


def _formula(condition: Condition) -> str:
    column = _text(condition.column)
    match condition:
        case Range(_, lower, None) if lower is not None:
            return f"{column} > {number(lower)}"
        case Range(_, lower, upper):
            start = "" if lower is None else f"{number(lower)} < "
            return f"{start}{column}" + ("" if upper is None else f" \\leq {number(upper)}")
        case Member(_, (value,), positive):
            return f"{column} {'=' if positive else chr(92) + 'neq'} {_value(value)}"
        case Member(_, values, positive):
            listed = ", ".join(map(_value, values))
            return f"{column} {chr(92)}{'in' if positive else 'notin'} \\{{{listed}\\}}"
        case Flag(_, positive):
            return column if positive else f"\\neg {column}"


def _value(value: Scalar) -> str:
    if isinstance(value, bool | str):
        return _text(spell(value) if isinstance(value, bool) else value)
    return number(value)


def _bold(label: Scalar) -> str:
    shown = label if isinstance(label, str) else spell(label)
    return f"\\textbf{{{escape(shown)}}}"


def _text(text: str) -> str:
    return f"\\text{{{escape(text)}}}"


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    return character if character.isprintable() else f"{{[}}U+{ord(character):04X}{{]}}"
