"""Rules as JSON documents, with a version, for files and other programs.

    {"format": "gnri-rule", "version": 1, "positive": true,
     "clauses": [[[0, true], [3, false]], [[5, true]]], "names": ["odor=foul", ...]}

A clause is a list of [atom, positive]; `names` may be left out. Anything else is refused.
"""

import json
from collections.abc import Sequence
from typing import Any

from gnri.errors import RuleError
from gnri.rules.dnf import Literal, SignedDNF, sorted_clauses
from gnri.rules.strict_json import COUNT, FLAG, SPACE, STRING, WORD, Kind, listed, wrong
from gnri.rules.syntax import check_names

_LITERAL = rf"\[{SPACE}{COUNT}{SPACE},{SPACE}{FLAG}{SPACE}\]"
FORMS = {
    "format": WORD,
    "version": COUNT,
    "positive": FLAG,
    "clauses": listed(listed(_LITERAL)),
    "names": listed(STRING),
}
KIND = Kind("rule", "gnri-rule", 1, FORMS, optional=("names",))
MAX_ATOM = 10**18 - 1
"""The largest atom that can be saved, the same as in a rule text."""


def to_json(rule: SignedDNF, names: Sequence[str] | None = None) -> str:
    """The rule as a JSON document; the same rule and names always give the same text.

    >>> print(to_json(SignedDNF([[(3, False), (0, True)]])))
    {"format": "gnri-rule", "version": 1, "positive": true, "clauses": [[[0, true], [3, false]]]}
    """
    document: dict[str, Any] = {
        "format": KIND.format,
        "version": KIND.version,
        "positive": rule.positive,
        "clauses": sorted_clauses(rule),
    }
    known = None if names is None else check_names(names)
    _check_atoms(rule, known)
    if known is not None:
        document["names"] = known
    return json.dumps(document)


def from_json(text: str) -> tuple[SignedDNF, list[str] | None]:
    """The rule of a JSON document, and its column names if it has them.

    >>> rule = SignedDNF([[(0, True)]], positive=False)
    >>> from_json(to_json(rule, ["odor=foul"])) == (rule, ["odor=foul"])
    True
    """
    document = KIND.read(text)
    if not isinstance(document["positive"], bool):
        wrong("positive", "true or false", document["positive"])
    clauses = _list(document["clauses"], "clauses")
    rule = SignedDNF((_clause(items, i) for i, items in enumerate(clauses)), document["positive"])
    names = check_names(_list(document["names"], "names")) if "names" in document else None
    _check_atoms(rule, names)
    return rule, names


def _clause(items: Any, i: int) -> list[Literal]:
    return [
        _literal(item, f"clauses[{i}][{j}]") for j, item in enumerate(_list(items, f"clauses[{i}]"))
    ]


def _literal(item: Any, place: str) -> Literal:
    pair = _list(item, place)
    # By type, not isinstance: a JSON true is no atom, and neither is 1.0.
    if [type(part) for part in pair] != [int, bool] or pair[0] < 0:
        wrong(place, "[atom, positive], such as [0, true]", item)
    return Literal(*pair)


def _list(thing: Any, place: str) -> list[Any]:
    if not isinstance(thing, list):
        wrong(place, "a list", thing)
    return thing


def _check_atoms(rule: SignedDNF, names: list[str] | None) -> None:
    largest = max(rule.atoms, default=-1)
    if largest > MAX_ATOM:
        raise RuleError(f"an atom of a rule document is at most {MAX_ATOM}, got a larger one")
    if names is not None and largest >= len(names):
        raise RuleError(
            f"the rule reads atom x{largest}, but there are {len(names)} names; "
            "give one name for each column of the table"
        )
