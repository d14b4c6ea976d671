"""Rules as text, such as `odor=foul | spore=green & ~bruises`, written and read back exactly.

    rule    = body | "~(" body ")"            the second is the complement
    body    = "false" | clause { "|" clause }
    clause  = "true" | literal { "&" literal }
    literal = [ "~" ] name

`false` is the rule with no clause, `true` the clause with no literal; so the rule with no clause
and negative sign is `~(false)`, and each rule has a text of its own. A name is a bare word or a
JSON string; without column names it is x0, x1, ...
"""

import json
import re
from collections.abc import Sequence
from typing import NoReturn

from gnri.errors import RuleError, RuleSyntaxError
from gnri.messages import closest, shorten
from gnri.rules.dnf import Literal, SignedDNF, sorted_clauses

MAX_LENGTH = 1_000_000
"""A longer text is refused, in characters."""

RESERVED = frozenset({"true", "false"})
PLAIN = r'[^\s&|~()"\\]++'
QUOTED = r'"(?:[^"\\]|\\.)*+"'

_SURROGATE = re.compile("[\ud800-\udfff]")
_TOKEN = re.compile(rf"~\s*+\(|[&|~()]|{QUOTED}|{PLAIN}|\S")
_COMPLEMENT = re.compile(r"\s*+~\s*+\(")
_NOT_NAMES = RESERVED | {"", "&", "|", "~", "(", ")", "\\"}
_DEFAULT_NAME = re.compile(r"x(0|[1-9][0-9]{0,17})")


def render(rule: SignedDNF, names: Sequence[str] | None = None) -> str:
    """Return the rule as text, in the names of the columns or as x0, x1, ...

    >>> rule = SignedDNF([[(0, True)], [(1, True), (2, False)]])
    >>> print(render(rule, ["odor=foul", "spore=green", "has bruises"]))
    odor=foul | spore=green & ~"has bruises"
    """
    words = _words(rule, names)
    clauses = (
        " & ".join(words[atom] if positive else f"~{words[atom]}" for atom, positive in items)
        or "true"
        for items in sorted_clauses(rule)
    )
    body = " | ".join(clauses) or "false"
    return body if rule.positive else f"~({body})"


def parse(text: str, names: Sequence[str] | None = None) -> SignedDNF:
    """Return the rule that a text in the form of `render` stands for.

    >>> parse("~(a | ~b)", ["a", "b"]) == ~SignedDNF([[(0, True)], [(1, False)]])
    True
    """
    if not isinstance(text, str):
        raise RuleSyntaxError(f"a rule text must be a string, got {type(text).__name__}")
    if len(text) > MAX_LENGTH:
        raise RuleSyntaxError(
            f"a rule text may have {MAX_LENGTH} characters, got {len(text)}; "
            "write large rules as JSON"
        )
    return _Parser(text, None if names is None else check_names(names)).rule()


class _Parser:
    """A parser with one method for each line of the grammar."""

    def __init__(self, text: str, names: list[str] | None) -> None:
        self._names = names
        self._atoms = {name: atom for atom, name in enumerate(names or [])}
        self._length = len(text)
        self._tokens = _TOKEN.finditer(text)
        self._may_follow = ""
        self._advance()

    def rule(self) -> SignedDNF:
        positive = not _COMPLEMENT.fullmatch(self._word)
        if not positive:
            self._advance()
        clauses = self._body()
        if not positive and not self._accept(")"):
            self._fail(f"{self._may_follow}')'")
        if self._word:
            self._fail(f"{self._may_follow if positive else ''}the end of the rule")
        return SignedDNF(clauses, positive)

    def _body(self) -> list[list[Literal]]:
        if self._accept("false"):
            return []
        clauses = [self._clause()]
        while self._accept("|"):
            clauses.append(self._clause())
        return clauses

    def _clause(self) -> list[Literal]:
        if self._accept("true"):
            self._may_follow = "'|' or "
            return []
        self._may_follow = "'&', '|' or "
        literals = [self._literal()]
        while self._accept("&"):
            literals.append(self._literal())
        return literals

    def _literal(self) -> Literal:
        positive = not self._accept("~")
        name = self._name()
        if self._names is None:
            if not _DEFAULT_NAME.fullmatch(name):
                self._fail("an atom x0, x1, ... (pass names= to read column names)")
            atom = int(name[1:])
        elif name in self._atoms:
            atom = self._atoms[name]
        else:
            near = closest(name, self._names)
            self._fail("a known column name" if near is None else f"a column such as {quote(near)}")
        self._advance()
        return Literal(atom, positive)

    def _name(self) -> str:
        word = self._word
        if word == '"':
            self._fail("a name that ends with '\"'")
        if word in _NOT_NAMES or word[0] == "~":
            self._fail("a column name (quoted, if it is the name of a column)")
        try:
            return str(json.loads(word)) if word.startswith('"') else word
        except ValueError:
            self._fail("a quoted name with the escapes of a JSON string")

    def _accept(self, word: str) -> bool:
        if self._word != word:
            return False
        self._advance()
        return True

    def _advance(self) -> None:
        self._match = next(self._tokens, None)
        self._word = self._match.group() if self._match else ""

    def _fail(self, expected: str) -> NoReturn:
        start = self._match.start() if self._match else self._length
        came = shorten(self._word) if self._word else "the end of the text"
        raise RuleSyntaxError(f"expected {expected} at character {start + 1}, got {came}") from None


def _words(rule: SignedDNF, names: Sequence[str] | None) -> dict[int, str]:
    """Return how each atom of the rule is written."""
    if names is None:
        return {atom: f"x{atom}" for atom in rule.atoms}
    known = check_names(names)
    largest = max(rule.atoms, default=-1)
    if largest >= len(known):
        raise RuleError(
            f"the rule reads atom x{largest}, but there are {len(known)} names; "
            "pass one name for each column of the table"
        )
    return {atom: quote(known[atom]) for atom in rule.atoms}


def check_names(names: Sequence[str]) -> list[str]:
    """Return the names as a list; raise `RuleError` unless they are distinct Unicode strings."""
    if isinstance(names, str):
        raise RuleError("names must be a sequence of column names, got one string; pass a list")
    seen: set[str] = set()
    for place, name in enumerate(names):
        if not isinstance(name, str):
            raise RuleError(f"names must be strings, got {shorten(name)} at {place}")
        if name in seen:
            raise RuleError(f"names must differ, got {shorten(name)} again at {place}; rename it")
        if _SURROGATE.search(name):
            raise RuleError(f"names must be valid Unicode, got {shorten(name)} at {place}")
        seen.add(name)
    return [str(name) for name in names]


def quote(name: str) -> str:
    """Return the name as written in a rule: bare if it reads back as one word, else in quotes.

    >>> print(quote("odor=foul"), quote("true"), quote("cap color"))
    odor=foul "true" "cap color"
    """
    if re.fullmatch(PLAIN, name) and name.isprintable() and name not in RESERVED:
        return name
    return quote_text(name)


def quote_text(text: str) -> str:
    """Return the text as a JSON string that escapes only quotes and what cannot be seen."""
    return f'"{"".join(map(_escape, text))}"'


def _escape(character: str) -> str:
    if character.isprintable() and character not in '"\\':
        return character
    return json.dumps(character)[1:-1]
