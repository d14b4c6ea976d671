"""The rules that the page sends back, perhaps edited."""

from collections.abc import Mapping
from typing import Any

from gnri.rules.dnf import Literal, SignedDNF
from gnri.web.asked import only, part
from gnri.web.large import Large
from gnri.web.refusal import Refusal
from gnri.web.work.learnt import Learnt, Rules

MOST_CLAUSES, MOST_LITERALS = 240, 5_000
"""Of all rules together. The search ends at 24 clauses a rule; where rules that were learnt here
have more in all, so may those that come back."""


def rules_of(asked: Mapping[str, Any], learnt: Learnt) -> Rules:
    """The rules of the request; those of the model if it has none."""
    if "rules" not in asked:
        return learnt.printed
    _check_brackets(asked, learnt)
    given = part(asked, "rules", list)
    if len(given) != len(learnt.printed):
        raise Refusal(422, f"'rules' must be {len(learnt.printed)}, got {len(given)}")
    clauses = [clause for rule in given if rule is not None for clause in _clauses(rule)]
    came, most = (len(clauses), sum(map(len, clauses))), _most(learnt)
    if came[0] > most[0] or came[1] > most[1]:
        raise _too_large(most, f"{came[0]:,} and {came[1]:,}")
    return tuple(None if rule is None else _rule(rule, learnt) for rule in given)


def place_of(asked: Mapping[str, Any], rules: Rules) -> tuple[int, int, int]:
    """The place of a literal: its rule, its clause, and the literal in that."""
    which, clause, literal = (part(asked, name, int) for name in ("rule", "clause", "literal"))
    clauses = [] if not 0 <= which < len(rules) else getattr(rules[which], "clauses", [])
    sizes = sorted(map(len, clauses))
    if not 0 <= clause < len(sizes) or not 0 <= literal < sizes[clause]:
        raise Refusal(422, "there is no literal at this place of the rules")
    return which, clause, literal


def _check_brackets(asked: Mapping[str, Any], learnt: Learnt) -> None:
    """Refuse far too many rules before anything is made of them: a bracket opens each literal,
    each clause, the clauses of each rule, and the rules.
    """
    most = _most(learnt)
    if isinstance(asked, Large):
        brackets = asked.json("rules").count(b"[")
        if brackets > sum(most) + len(learnt.printed) + 1:
            raise _too_large(most, "more")


def _most(learnt: Learnt) -> tuple[int, int]:
    own = [clause for rule in learnt.printed if rule is not None for clause in rule.clauses]
    return max(MOST_CLAUSES, len(own)), max(MOST_LITERALS, sum(map(len, own)))


def _too_large(most: tuple[int, int], came: str) -> Refusal:
    clauses, literals = most
    return Refusal(
        422,
        f"'rules' may have {clauses:,} clauses and {literals:,} literals in all, got {came}; drop "
        "some",
    )


def _rule(given: Any, learnt: Learnt) -> SignedDNF:
    atoms = len(learnt.schema.atoms)
    clauses = [[_literal(item, atoms) for item in clause] for clause in _clauses(given)]
    return SignedDNF(clauses, part(given, "positive", bool))


def _clauses(given: Any) -> list[list[Any]]:
    if not isinstance(given, dict):
        raise Refusal(422, "a rule must be null or an object with 'positive' and 'clauses'")
    only(given, "positive", "clauses")
    clauses: list[Any] = part(given, "clauses", list)
    if not all(isinstance(clause, list) for clause in clauses):
        raise Refusal(422, "a clause must be a list of literals")
    return clauses


def _literal(item: Any, atoms: int) -> Literal:
    if (
        not isinstance(item, list)
        or [type(one) for one in item] != [int, bool]
        or not 0 <= item[0] < atoms
    ):
        raise Refusal(422, f"a literal must be [atom, positive], the atom from 0 to {atoms - 1}")
    return Literal(*item)
