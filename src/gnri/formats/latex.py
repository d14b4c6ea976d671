"""Write a rule list as a LaTeX list, for a paper or a report."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from gnri.data.schema import Scalar
from gnri.formats.conditions import Notation, format_value
from gnri.formats.point_lines import check_scale
from gnri.formats.text import ending_lines, no_rule_lines, outline
from gnri.rules.rule_list import RuleList

_ESCAPES = {
    **{mark: f"\\{mark}" for mark in "{}$&#%_"},
    # Alone in braces, these cannot join into a dash or an inverted mark.
    **{mark: f"{{{mark}}}" for mark in "-?!,[]"},
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
}


def to_latex(rule_list: RuleList, points_scale: Sequence[float] | None = None) -> str:
    r"""Return nested lists; they need amsmath, T1 fonts and, beyond ASCII, a Unicode engine.

    `points_scale` gives points other units, as in `to_text`.

    >>> from gnri.rules.dnf import SignedDNF
    >>> from gnri.data.schema import Above, Schema
    >>> rule = SignedDNF([[(0, True)]])
    >>> schema = Schema((Above("body_mass", 30.0),))
    >>> print(to_latex(RuleList.binary(schema, ("low", "high"), rule)))
    \begin{itemize}
      \item \textbf{high} if
      \begin{itemize}
        \item $\text{body\_mass} > 30$
      \end{itemize}
      \item otherwise \textbf{low}
    \end{itemize}
    """
    lines, notation = [], replace(_LATEX, scale=check_scale(points_scale, rule_list))
    for step in rule_list.steps:
        head, *clauses = outline(rule_list, step, notation)
        lines += [f"\\item {head}", *_list([f"\\item {words}" for words in clauses])]
    ends = no_rule_lines(rule_list, notation) + ending_lines(rule_list, notation)
    return "\n".join(_list(lines + [f"\\item {words}" for words in ends]))


def escape_latex(text: str) -> str:
    r"""Return text that LaTeX prints as it stands; invisible characters are shown by their code.

    >>> print(escape_latex("50% of $x_1"))
    50\% of \$x\_1
    """
    # LaTeX swallows a space after a space, and one at the end of a line.
    return "".join(map(_escape_character, text)).replace("  ", " \\ ") or "{}"


def write_number(value: float) -> str:
    """Return a number as it stands in a formula."""
    mantissa, e, exponent = repr(value).partition("e")
    mantissa = mantissa.removesuffix(".0")
    return f"{mantissa}\\times 10^{{{int(exponent)}}}" if e else mantissa


def _list(lines: list[str]) -> list[str]:
    return ["\\begin{itemize}", *(f"  {line}" for line in lines), "\\end{itemize}"]


def _value(value: Scalar) -> str:
    return _text(value) if isinstance(value, bool | str) else write_number(value)


def _text(value: Scalar, command: str = "text") -> str:
    shown = value if isinstance(value, str) else format_value(value)
    return f"\\{command}{{{escape_latex(shown)}}}"


def _escape_character(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    return character if character.isprintable() else f"{{[}}U+{ord(character):04X}{{]}}"


_LATEX = Notation(
    label=partial(_text, command="textbf"),
    column=_text,
    value=_value,
    operators={
        "<=": r"\leq",
        "!=": r"\neq",
        "in": r"\in",
        "not in": r"\notin",
        "not": r"\neg",
        "{": r"\{",
        "}": r"\}",
        "|": r"$\mid$",
        "%": r"\%",
    },
    formula="${}$",
)
