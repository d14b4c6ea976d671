"""Small readers of Prolog and LaTeX, to check what is exported without either installed."""

import re

from gnri.formats.latex import _ESCAPES

PROLOG = re.compile(
    r"""(?P<space>\s+|%[^\n]*)
      | (?P<quoted>'(?:[^'\\\n]|\\['\\]|\\x[0-9a-f]+\\)*')
      | (?P<number>-?\d+(?:\.\d+(?:e[+-]?\d+)?)?)
      | (?P<end>\.(?=\s|$))
      | (?P<variable>[A-Z_]\w*)
      | (?P<atom>[a-z]\w*)
      | (?P<symbol>[(),]|;|:-|->|\\\+|\\==|=\\=|=:=|==|=<|>|=|/)""",
    re.VERBOSE,
)
ESCAPE = re.compile(r"\\x([0-9a-f]+)\\|\\(['\\])")
COMMANDS = {
    *("begin", "end", "item", "mid", "textbf", "text", "leq", "neq", "in", "notin", "neg", "times"),
    *(escape[1:-2] for escape in _ESCAPES.values() if escape.startswith("\\text")),
}
LATEX = re.compile(r"\\(?P<command>[a-z]+)|\\(?P<symbol>.)|(?P<special>[{}$&#%_^~])", re.DOTALL)


def prolog_tokens(program: str) -> list[tuple[str, str]]:
    """The tokens of a program, as (kind, text); raises at anything that is none."""
    found, place = [], 0
    while place < len(program):
        token = PROLOG.match(program, place)
        assert token, f"no Prolog token at {program[place : place + 40]!r}"
        if token.lastgroup != "space":
            found.append((str(token.lastgroup), token.group()))
        place = token.end()
    return found


def prolog_clauses(program: str) -> list[list[tuple[str, str]]]:
    """The tokens of each clause; brackets must close and the last clause must end."""
    clauses: list[list[tuple[str, str]]] = [[]]
    for token in prolog_tokens(program):
        if token[0] == "end":
            words = [text for kind, text in clauses[-1] if kind == "symbol"]
            assert words.count("(") == words.count(")")
            clauses.append([])
        else:
            clauses[-1].append(token)
    assert clauses.pop() == []
    return clauses


def prolog_strings(program: str) -> list[str]:
    """The text of each quoted atom, with its escapes undone."""
    clauses = prolog_clauses(program)
    return [unquoted(text) for clause in clauses for kind, text in clause if kind == "quoted"]


def unquoted(atom: str) -> str:
    """The text of a quoted atom."""
    return ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else found[2], atom[1:-1])


def latex_faults(source: str) -> list[str]:
    """Commands we never write, and braces, environments or formulas that do not close."""
    faults, depth, formula, opened = [], 0, False, 0
    for token in LATEX.finditer(source):
        if token["command"]:
            opened += {"begin": 1, "end": -1}.get(token["command"], 0)
            if token["command"] not in COMMANDS:
                faults.append(f"unknown \\{token['command']}")
        elif token["special"] == "$":
            formula = not formula
        elif token["special"]:
            depth += {"{": 1, "}": -1}.get(token["special"], 0)
            allowed = token["special"] in "{}" or (formula and token["special"] == "^")
            faults += [] if allowed and depth >= 0 else [f"bare {token['special']}"]
        elif token["symbol"] not in "{}$&#%_ ":
            faults.append(f"unknown \\{token['symbol']}")
    return faults + ["something stays open"] * (depth != 0 or formula or opened != 0)


def unescaped_latex(escaped: str) -> str:
    """The text that an escaped one prints."""
    if escaped == "{}":
        return ""
    back = {escape: character for character, escape in _ESCAPES.items()}
    back["\\ "] = " "
    unit = "|".join(re.escape(escape) for escape in sorted(back, key=len, reverse=True))
    token = re.compile(
        rf"\{{\[\}}U\+(?P<code>[0-9A-F]{{4,6}})\{{\]\}}|(?P<unit>{unit})|(?P<bare>.)"
    )
    found, place = [], 0
    while place < len(escaped):
        match = token.match(escaped, place)
        assert match, escaped[place:]
        place = match.end()
        if match["bare"]:
            assert match["bare"] not in _ESCAPES
        code = match["code"]
        found.append(chr(int(code, 16)) if code else back.get(match["unit"]) or match["bare"])
    return "".join(found)
