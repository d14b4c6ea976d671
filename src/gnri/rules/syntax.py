"""Rules as text, such as `odor=foul | spore=green & ~bruises`, written and read back exactly.

    rule    = body | "~(" body ")" | points   the second is the complement
    body    = "false" | clause { "|" clause }
    clause  = "true" | literal { "&" literal }
    literal = [ "~" ] name
    points  = ( "0" | line { "+" line } ) ">=" number
            | "at least" number "of (" clause { "," clause } ")"
    line    = [ number "*" ] ( literal | "(" clause ")" )

`false` is the rule with no clause, `true` the clause with no literal; so the rule with no clause
and negative sign is `~(false)`, and each rule has a text of its own. The third is a `Scorecard`. A
name is a bare word or a JSON string; without column names it is x0, x1, ...
"""

import json
import re
from collections.abc import Callable, Sequence
from typing import NoReturn, TypeVar

from gnri.errors import RuleError, RuleSyntaxError, closest, shorten
from gnri.rules.dnf import Literal, SignedDNF, sort_literals, sorted_clauses
from gnri.rules.scorecard import Scorecard

T = TypeVar("T")

MAX_LENGTH = 1_000_000
"""A longer text is refused, in characters."""

RESERVED = frozenset({"true", "false"})
PLAIN = r'[^\s&|~()"\\]++'
QUOTED = r'"(?:[^"\\]|\\.)*+"'

_SURROGATE = re.compile("[\ud800-\udfff]")
_TOKEN = re.compile(rf"~\s*+\(|[&|~()]|{QUOTED}|{PLAIN}|\S")
_LIST_TOKEN = re.compile(_TOKEN.pattern.replace(PLAIN, PLAIN.replace("^", "^,")))
_NUMBER = re.compile(r"-?[0-9]{1,7}")
_POINTS = re.compile(rf"\s>=\s*+{_NUMBER.pattern}\s*+\Z")  # the end of a scorecard
_AT_LEAST = re.compile(r"\s*+at\s++least\s++([0-9]{1,7})\s++of\s*+\(")
_TIMES = re.compile(r"(-?[0-9]{1,7})\*(.*)")
_ODD_NAMES = re.compile(r"\+|>=|.*,.*|-?[0-9]+(\*.*)?")  # quoted in a scorecard
_COMPLEMENT = re.compile(r"\s*+~\s*+\(")
_NOT_NAMES = RESERVED | {"", "&", "|", "~", "(", ")", "\\"}
_DEFAULT_NAME = re.compile(r"x(0|[1-9][0-9]{0,17})")


def render(rule: SignedDNF | Scorecard, names: Sequence[str] | None = None) -> str:
    """Return the rule as text, in the names of the columns or as x0, x1, ...

    >>> rule = SignedDNF([[(0, True)], [(1, True), (2, False)]])
    >>> print(render(rule, ["odor=foul", "spore=green", "has bruises"]))
    odor=foul | spore=green & ~"has bruises"
    >>> print(render(Scorecard({(0, True): 1, (1, False): 1, (2, True): 1}, 2)))
    at least 2 of (x0, ~x1, x2)
    """
    words = _words(rule, names)
    if isinstance(rule, Scorecard):
        return _render_points(rule, words)
    clauses = (_render_clause(items, words) or "true" for items in sorted_clauses(rule))
    body = " | ".join(clauses) or "false"
    return body if rule.positive else f"~({body})"


def _render_clause(items: Sequence[Literal], words: dict[int, str]) -> str:
    return " & ".join(words[atom] if positive else f"~{words[atom]}" for atom, positive in items)


def _render_points(card: Scorecard, words: dict[int, str]) -> str:
    words = {
        atom: quote_text(word) if _ODD_NAMES.fullmatch(word) else word
        for atom, word in words.items()
    }
    lines = [(_render_clause(sort_literals(line), words), line, p) for line, p in card.lines]
    if len(lines) > 1 and card.threshold > 0 and all(p == 1 for *_, p in lines):
        return f"at least {card.threshold} of ({', '.join(text for text, *_ in lines)})"
    bodies = [(text if len(line) == 1 else f"({text})", p) for text, line, p in lines]
    terms = [body if p == 1 else f"{p}*{body}" for body, p in bodies]
    return f"{' + '.join(terms) or 0} >= {card.threshold}"


def parse(text: str, names: Sequence[str] | None = None) -> SignedDNF | Scorecard:
    """Return the rule that a text in the form of `render` stands for.

    >>> parse("~(a | ~b)", ["a", "b"]) == ~SignedDNF([[(0, True)], [(1, False)]])
    True
    >>> parse("2*x0 + x1 + ~x2 >= 3").threshold
    3
    """
    if not isinstance(text, str):
        raise RuleSyntaxError(f"a rule text must be a string, got {type(text).__name__}")
    if len(text) > MAX_LENGTH:
        raise RuleSyntaxError(
            f"a rule text may have {MAX_LENGTH} characters, got {len(text)}; "
            "write large rules as JSON"
        )
    known = None if names is None else check_names(names)
    if listed := _AT_LEAST.match(text):
        parser = _Parser(text, known, _LIST_TOKEN, start=listed.end())
        return parser.checklist(int(listed[1]))
    return _Parser(text, known).points() if _POINTS.search(text) else _Parser(text, known).rule()


class _Parser:
    """A parser with one method for each line of the grammar."""

    def __init__(
        self,
        text: str,
        names: list[str] | None,
        tokens: re.Pattern[str] = _TOKEN,
        start: int = 0,
    ) -> None:
        self._names = names
        self._atoms = {name: atom for atom, name in enumerate(names or [])}
        self._length = len(text)
        self._tokens = tokens.finditer(text, start)
        self._may_follow = ""
        self._word = ""
        self._advance()

    def rule(self) -> SignedDNF:
        positive = not _COMPLEMENT.fullmatch(self._word)
        if not positive:
            self._advance()
        clauses = [] if self._accept("false") else self._several(self._clause, "|")
        if not positive and not self._accept(")"):
            self._fail(f"{self._may_follow}')'")
        self._end(self._may_follow if positive else "")
        return SignedDNF(clauses, positive)

    def points(self) -> Scorecard:
        lines = [] if self._accept("0") else self._several(self._line, "+")
        if not self._accept(">="):
            self._fail("'+' or '>='" if lines else "'>='")
        if not _NUMBER.fullmatch(self._word):
            self._fail("a whole number")
        threshold = int(self._word)
        self._advance()
        self._end()
        return Scorecard(lines, threshold)

    def checklist(self, threshold: int) -> Scorecard:
        clauses = self._several(self._clause, ",")
        if not self._accept(")"):
            self._fail("'&', ',' or ')'")
        self._end()
        return Scorecard([(clause, 1) for clause in clauses], threshold)

    def _line(self) -> tuple[list[Literal], int]:
        points = 1
        if found := _TIMES.fullmatch(self._word):
            points = int(found[1])
            if found[2]:
                self._word = found[2]
            else:
                self._advance()
        if not self._accept("("):
            return [self._literal()], points
        literals = self._clause()
        if not self._accept(")"):
            self._fail("'&' or ')'")
        return literals, points

    def _clause(self) -> list[Literal]:
        if self._accept("true"):
            self._may_follow = "'|' or "
            return []
        self._may_follow = "'&', '|' or "
        return self._several(self._literal, "&")

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
        if word == "(":
            self._fail("a column name, as clauses joined by '|' have no parentheses,")
        if word in _NOT_NAMES or word[0] == "~":
            self._fail("a column name (quoted, if it is the name of a column)")
        try:
            return str(json.loads(word)) if word.startswith('"') else word
        except ValueError:
            self._fail("a quoted name with the escapes of a JSON string")

    def _several(self, part: Callable[[], T], separator: str) -> list[T]:
        found = [part()]
        while self._accept(separator):
            found.append(part())
        return found

    def _end(self, may_follow: str = "") -> None:
        if self._word:
            self._fail(f"{may_follow}the end of the rule")

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


def _words(rule: SignedDNF | Scorecard, names: Sequence[str] | None) -> dict[int, str]:
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
