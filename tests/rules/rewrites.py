"""Other writings of the same function: what a comparison of rules has to see through."""

from itertools import product
from random import Random

from gnri.rules.dnf import Literal, SignedDNF


def rewritten(rule: SignedDNF, atoms: int, random: Random, steps: int = 3) -> SignedDNF:
    """An equivalent rule, after `steps` random rewritings."""
    for _ in range(steps):
        rule = random.choice(_REWRITINGS)(rule, Literal(random.randrange(atoms)), random)
    return rule


def complement_written_out(rule: SignedDNF) -> SignedDNF:
    """The same function with the other sign: one literal of each clause, negated."""
    picks = product(*[[~literal for literal in clause] for clause in rule.clauses])
    return SignedDNF({frozenset(pick) for pick in picks}, not rule.positive)


def _expand(rule: SignedDNF, literal: Literal, random: Random) -> SignedDNF:
    """Shannon: a clause c becomes c & x | c & ~x."""
    if not rule.clauses:
        return rule
    chosen = random.choice(sorted(rule.clauses, key=sorted))
    halves = {chosen | {literal}, chosen | {~literal}}
    return SignedDNF((rule.clauses - {chosen}) | halves, rule.positive)


def _add_absorbed(rule: SignedDNF, literal: Literal, random: Random) -> SignedDNF:
    if not rule.clauses:
        return rule
    chosen = random.choice(sorted(rule.clauses, key=sorted))
    return SignedDNF(rule.clauses | {chosen | {literal}}, rule.positive)


def _add_consensus(rule: SignedDNF, literal: Literal, random: Random) -> SignedDNF:
    """Every p & q for clauses x & p and ~x & q."""
    left = [clause - {literal} for clause in rule.clauses if literal in clause]
    right = [clause - {~literal} for clause in rule.clauses if ~literal in clause]
    return SignedDNF(rule.clauses | {p | q for p in left for q in right}, rule.positive)


def _add_contradiction(rule: SignedDNF, literal: Literal, random: Random) -> SignedDNF:
    return SignedDNF(rule.clauses | {frozenset({literal, ~literal})}, rule.positive)


def _change_sign(rule: SignedDNF, literal: Literal, random: Random) -> SignedDNF:
    size = 1
    for clause in rule.clauses:
        size *= len(clause)
    return complement_written_out(rule) if size <= 200 else rule


_REWRITINGS = (_expand, _add_absorbed, _add_consensus, _add_contradiction, _change_sign)
