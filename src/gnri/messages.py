"""Column names as they stand in a rule text: plain, or quoted as a JSON string."""

import json
import re
from collections.abc import Sequence
from difflib import get_close_matches

from gnri.errors import RuleError

RESERVED = frozenset({"true", "false"})
PLAIN = r'[^\s&|~()"\\]++'
QUOTED = r'"(?:[^"\\]|\\.)*+"'

_SURROGATE = re.compile("[\ud800-\udfff]")
_CANDIDATES = 2_000
_LONGEST = 80


def check_names(names: Sequence[str]) -> list[str]:
    """The names as a list; a `RuleError` unless they are distinct strings that can be encoded."""
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
    """The name as written in a rule: bare if it reads back as one word, else a JSON string.

    >>> print(quote("odor=foul"), quote("true"), quote("cap color"))
    odor=foul "true" "cap color"
    """
    if re.fullmatch(PLAIN, name) and name.isprintable() and name not in RESERVED:
        return name
    return f'"{"".join(map(_escaped, name))}"'


def unquote(word: str) -> str | None:
    """The name that a bare or quoted word stands for; None if its escapes are wrong."""
    if not word.startswith('"'):
        return word
    if "\\" not in word and word.isprintable():
        return word[1:-1]
    try:
        name: str = json.loads(word)
    except ValueError:
        return None
    return name


def closest(name: str, names: Sequence[str]) -> str | None:
    """The known name most like `name`, looked for at bounded cost."""
    near = [known for known in names if abs(len(known) - len(name)) <= 3 and len(known) <= _LONGEST]
    return next(iter(get_close_matches(name[:_LONGEST], near[:_CANDIDATES], n=1)), None)


def shorten(thing: object) -> str:
    """How a value is shown in a message, cut where it is long."""
    shown = ascii(thing[:_LONGEST] if isinstance(thing, str | list) else thing)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}..."


def counted(number: int, thing: str) -> str:
    """A number of things in words.

    >>> counted(1, "row"), counted(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _escaped(character: str) -> str:
    # Invisible characters are escaped, so that what is printed is what is read.
    if character.isprintable() and character not in '"\\':
        return character
    return json.dumps(character)[1:-1]
