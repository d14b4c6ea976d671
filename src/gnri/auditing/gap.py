"""How far an answer is from the transformed answer, for one episode and one symmetry."""

from dataclasses import dataclass

from gnri.logic.equivalence import equivalent
from gnri.logic.formula import Literal, SignedDNF


@dataclass(frozen=True, slots=True)
class Gap:
    """The comparison of inducer(g(episode)) with g(inducer(episode))."""

    transform: str
    episode_index: int
    equal: bool
    """The two are logically equivalent; two abstentions are equal, one alone is not."""
    identical: bool
    """The two are the same clauses with the same sign."""
    empty_before: bool
    """inducer(episode) reads no atom: an abstention or a constant."""
    empty_after: bool
    """inducer(g(episode)) reads no atom."""
    jaccard: float
    """Shared literals over all literals of the two, see `jaccard`."""
    prediction_drift: float | None = None
    """The largest change of a row's prediction, where the inducer gives predictions."""

    @property
    def empty(self) -> bool:
        """At least one of the two rules is empty."""
        return self.empty_before or self.empty_after

    @property
    def both_empty(self) -> bool:
        return self.empty_before and self.empty_after


def jaccard(left: SignedDNF | None, right: SignedDNF | None) -> float:
    """Literals both rules read over literals either reads; 1 when neither reads any.

    A rule's sign is pushed inwards first (De Morgan), so `x0` and `~(~x0)` read the same literal
    while `x0` and `~(x0)` share none. Clauses do not matter here.

    >>> jaccard(SignedDNF([[(0, True)], [(1, True)]]), ~SignedDNF([[(0, False)]]))
    0.5
    """
    read_left, read_right = _literals(left), _literals(right)
    either = read_left | read_right
    return len(read_left & read_right) / len(either) if either else 1.0


def same(left: SignedDNF | None, right: SignedDNF | None, *, atoms: int) -> bool:
    """Whether two answers mean the same; an abstention means only what another one does."""
    if left is None or right is None:
        return left is right
    return left == right or equivalent(left, right, atoms=atoms)


def is_empty(rule: SignedDNF | None) -> bool:
    """Whether an answer reads no atom."""
    return rule is None or not rule.atoms


def _literals(rule: SignedDNF | None) -> frozenset[Literal]:
    if rule is None:
        return frozenset()
    read = frozenset[Literal]().union(*rule.clauses)
    return read if rule.positive else frozenset(~literal for literal in read)
