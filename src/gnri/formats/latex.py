"""A rule list as a LaTeX list, for a paper or a report."""

from gnri.data.schema import Scalar
from gnri.formats.conditions import Notation, spell
from gnri.formats.text import ending_lines, no_rule_lines, outline
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


def to_latex(rule_list: RuleList) -> str:
    r"""Return nested lists; they need amsmath, T1 fonts and, beyond ASCII, a Unicode engine.

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
    items = [line for step in rule_list.steps for line in _item(outline(rule_list, step, _LATEX))]
    ends = no_rule_lines(rule_list, _LATEX) + ending_lines(rule_list, _LATEX)
    return "\n".join(_list(items + [f"\\item {words}" for words in ends]))


def escape(text: str) -> str:
    r"""Return text that LaTeX prints as it stands; invisible characters are shown by their code.

    >>> print(escape("50% of $x_1"))
    50\% of \$x\_1
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


_LATEX = Notation(
    label=_bold,
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
    },
    formula="${}$",
)
