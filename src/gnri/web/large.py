"""Requests of JSON, small and large.

Of a large one the form is checked before anything is made of it, and each of its parts is made when
it is asked for. So a request that is refused takes little more memory than its bytes.
"""

import codecs
import io
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from gnri.rules.documents import RepeatedKeyError, parse_json
from gnri.web.json_form import (
    LARGE,
    RULE,
    RULESET,
    SCALAR,
    STRING,
    FormError,
    Part,
    anything,
    keyed,
    keyed_by,
    listed,
    parts,
)
from gnri.web.refusal import Refusal

FORMS = {
    "csv": STRING,
    "rows": listed(keyed(anything(3))),  # in columns that no rule reads anything may stand
    "rules": listed(f"(?:null|{keyed_by(RULE)})"),
    "columns": keyed(keyed(f"(?:{SCALAR}|{listed(SCALAR)})")),
    "ruleset": keyed_by(RULESET),
}
"""The parts that can be large; all others are a word or a number."""

SHORT = 1 << 16
"""Bytes that any other part may have."""

PARTS = 100
"""A large request has fewer."""

_PIECE = re.compile(
    rb"(?:[^\\]{1,64}+|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\.){1,256}+", re.DOTALL
)


def read_json(body: bytes) -> Mapping[str, Any]:
    """The JSON object in a body of UTF-8; a `ValueError` or `RecursionError` if it is no JSON."""
    if len(body) > LARGE:
        return Large(body)
    found = _made(body.decode())
    if not isinstance(found, dict):
        raise Refusal(400, "the request must be a JSON object")
    return found


class Large(Mapping[str, Any]):
    """The parts of a large request by name, each made of its bytes when it is asked for.

    >>> asked = Large(b'{"csv": "a,b\\\\n1,2", "seed": 3}')
    >>> asked["seed"], asked.utf8("csv")
    (3, b'a,b\\n1,2')
    """

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._parts: dict[str, Part] = {}
        try:
            for part in parts(body, FORMS, other=SCALAR):
                self._keep(part)
        except FormError as error:
            if error.name is None:
                raise
            raise Refusal(
                422,
                f"{error.name[:40]!r} does not have its form at byte {error.place + 1} of the "
                f"request, got {error.came!r}",
            ) from None

    def _keep(self, part: Part) -> None:
        if part.name not in FORMS and part.end - part.start > SHORT:
            raise Refusal(422, f"{part.name[:40]!r} must be short")
        if len(self._parts) == PARTS:
            raise Refusal(422, f"a request has fewer than {PARTS} parts")
        if part.name in self._parts:
            raise _repeated()
        self._parts[part.name] = part

    def __getitem__(self, name: str) -> Any:
        return _made(self.json(name))

    def __contains__(self, name: object) -> bool:
        return name in self._parts

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def json(self, name: str) -> bytes:
        """A part as it came."""
        part = self._parts[name]
        return self._body[part.start : part.end]

    def utf8(self, name: str) -> bytes:
        """A part that is a string, in UTF-8: one wide character would make a text of it wide."""
        part = self._parts[name]
        found = io.BytesIO(bytes(part.end - part.start))  # as it grows it would take more
        decoder = codecs.getincrementaldecoder("utf-8")()
        for piece in _PIECE.finditer(self._body, part.start + 1, part.end - 1):
            text: str = json.loads(f'"{decoder.decode(piece[0])}"')
            found.write(text.encode(errors="replace"))
        found.truncate()
        return found.getvalue()


def _made(text: str | bytes) -> Any:
    try:
        return parse_json(text)
    except RepeatedKeyError:
        raise _repeated() from None


def _repeated() -> Refusal:
    return Refusal(400, "a key stands twice in one object of the request; leave one of them out")
