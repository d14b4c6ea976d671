"""Which rule is returned: the same whichever class is called positive, and none where both tie."""

from dataclasses import replace
from functools import cached_property

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnri.counts.problem import Problem
from gnri.episode import Episode
from gnri.induction import candidates, climb_shortest, search_candidates
from gnri.model.guided.candidates import NATS, Candidate, Scorer, choose, shortest
from gnri.model.guided.critic import description_length, share_of
from gnri.model.load import load_model
from gnri.rules.dnf import Literal
from gnri.search.limits import PRICE_UNIT, Limits
from tests.model.cases import fair_episode, random_episode
from tests.model.guided_cases import tie_heavy
from tests.search.slow import covered

GRID = 1 << 20
NOTHING = frozenset()


def candidate(
    rail: int = 0,
    worth: float = 0.5,
    nats: float = 10.0,
    clauses=frozenset({frozenset({0})}),
    says: bytes = b"",
    code: int = 0,
    errors: int = 0,
) -> Candidate:
    """A rule as the judge makes one; by default it says something of its own."""
    length, literals = round(nats * GRID), sum(map(len, clauses))
    key = -round(worth * GRID), length, literals, len(clauses), errors, code
    says = says or repr((rail, key)).encode()
    return Candidate(rail, frozenset(clauses), length, errors, key, says)


def test_the_one_of_most_worth_is_chosen_with_its_lead() -> None:
    rules = [candidate(worth=0.5), candidate(worth=0.75, code=1), candidate(1, worth=0.625)]
    assert choose(rules) == (rules[1], 0.125)
    assert choose(rules[:1]) == (rules[0], 1.0)


def test_one_of_too_long_a_description_is_not_chosen() -> None:
    short = candidate(worth=0.5, nats=10)
    assert choose([short, candidate(worth=0.9, nats=10 + NATS + 0.01)])[0] == short
    just = candidate(worth=0.9, nats=10 + NATS)
    assert choose([short, just])[0] == just


def test_a_rival_that_is_too_long_does_not_count_in_the_lead() -> None:
    rules = [candidate(worth=0.5, nats=10), candidate(worth=0.25, nats=10, code=1)]
    assert choose([*rules, candidate(worth=0.9, nats=99)]) == (rules[0], 0.25)


def test_equal_worth_goes_to_the_shorter_then_to_the_lower_code() -> None:
    first, second = candidate(nats=9, code=5), candidate(nats=10, code=1)
    assert choose([second, first]) == (first, 0.0)
    low, high = candidate(code=1), candidate(code=5)
    assert choose([high, low]) == (low, 0.0)


def test_rails_that_tie_abstain() -> None:
    first, second = candidate(0), candidate(1)
    assert choose([first, second])[0] is None
    assert choose([second, first, candidate(worth=0.1, code=3)])[0] is None
    better = candidate(1, worth=0.75)
    assert choose([first, second, better])[0] == better


def test_of_rules_that_say_the_same_the_simplest_is_returned() -> None:
    """Also where it has less worth, or too long a description to be chosen by itself."""
    two = frozenset({frozenset({0, 1})})
    best = candidate(worth=0.9, clauses=two, says=b"same")
    simple = candidate(worth=0.4, nats=99, says=b"same", code=3)
    other = candidate(worth=0.8, says=b"other")
    chosen, lead = choose([best, simple, other])
    assert chosen == simple
    assert lead == pytest.approx(0.4, abs=1e-5)
    apart = frozenset({frozenset({0}), frozenset({1})})
    assert choose([candidate(clauses=apart, says=b"same"), best])[0] == best


RULES = st.builds(
    candidate,
    rail=st.integers(0, 1),
    worth=st.sampled_from([0.25, 0.5, 0.75]),
    nats=st.sampled_from([1.0, 2.0, 30.0]),
    clauses=st.sampled_from([NOTHING, *(frozenset({frozenset(c)}) for c in ({0}, {1}, {0, 1}))]),
    says=st.sampled_from([b"", b"a", b"b"]),
    code=st.integers(0, 1),
)


@given(st.lists(RULES, min_size=1, max_size=6))
def test_a_label_swap_chooses_the_same_on_the_other_rail(rules) -> None:
    """Also where rules share a key, on one rail or on both, and nothing exchanges them."""
    chosen, lead = choose(by_rail(rules))
    other, same_lead = choose(by_rail([replace(rule, rail=1 - rule.rail) for rule in rules]))
    assert same_lead == lead
    assert other == (None if chosen is None else replace(chosen, rail=1 - chosen.rail))


def by_rail(rules: list[Candidate]) -> list[Candidate]:
    """The rules of the first rail before those of the second, as they are scored."""
    return sorted(rules, key=lambda rule: rule.rail)


def test_rails_that_tie_abstain_whatever_says_the_same_as_one_of_them() -> None:
    both = frozenset({frozenset({0, 1})})
    first, second = candidate(0, clauses=both, says=b"a"), candidate(1, clauses=both, says=b"b")
    assert choose([first, candidate(worth=0.4, says=b"a"), second])[0] is None


@given(
    st.lists(RULES, min_size=1, max_size=6, unique_by=lambda rule: rule.key),
    st.randoms(use_true_random=False),
)
def test_the_order_of_the_candidates_plays_no_part(rules, random) -> None:
    assert choose(random.sample(rules, len(rules))) == choose(rules)


@given(st.lists(RULES, min_size=1, max_size=6))
def test_a_table_that_is_its_own_label_swap_gets_no_rule(rules) -> None:
    """Each rule has an image on the other rail, and what it says is an image too."""
    images = [replace(r, rail=1 - r.rail, says=b"image of " + r.says) for r in rules]
    assert choose([*rules, *images])[0] is None


def judged(episode: Episode) -> Scorer:
    return load_model("guided").scorer(Problem.from_episode(episode))


def answers(episode: Episode, scorer: Scorer, rule: Candidate) -> tuple[bool, ...]:
    """Whether the rule says yes, on each labelled row: a rule of rail 1 where it does not cover."""
    said = covered(episode, scorer.problem.to_rule(rule.rail, rule.clauses))
    return tuple(hit == (rule.rail == 0) for hit in said)


@pytest.mark.parametrize("seed", range(4))
def test_candidates_say_the_same_exactly_if_they_do_on_the_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(12):
        episode = tie_heavy(rng)
        if not Problem.from_episode(episode).is_learnable:
            continue
        scorer = judged(episode)
        rules = candidates(scorer)
        spoken = {answers(episode, scorer, rule): rule.says for rule in rules}
        assert [spoken[answers(episode, scorer, rule)] for rule in rules] == [r.says for r in rules]
        assert len(set(spoken.values())) == len(spoken)


@pytest.mark.parametrize("seed", range(3))
def test_lengths_and_keys_are_those_of_the_rows(seed: int) -> None:
    episode = random_episode(6, 60, seed=seed, missing=0.1)
    scorer = judged(episode)
    labels = [label > 0 for label in episode.labels if label]
    for rule in candidates(scorer):
        said = answers(episode, scorer, rule)
        errors = sum(a != b for a, b in zip(said, labels, strict=True))
        literals = sum(map(len, rule.clauses))
        sizes = sorted(map(len, rule.clauses))
        rows, classes = len(labels), len(scorer.problem.classes)
        share = share_of(sum(labels), rows - sum(labels))
        wanted = description_length(errors, rows, sizes, classes, share)
        assert rule.length == round(wanted * GRID)
        assert rule.key[1:5] == (rule.length, literals, len(rule.clauses), errors)
        assert rule.errors == errors


@pytest.mark.parametrize("seed", range(3))
def test_written_are_the_decoder_s_rules_and_nothing_at_all(seed: int) -> None:
    scorer = judged(random_episode(6, 60, seed=seed))
    written = scorer.written
    for number, proposal in enumerate(scorer.proposals):
        rules = [rule.clauses for rule in written if rule.rail == number]
        assert len(rules) == len(set(rules))
        assert set(rules) == {NOTHING, *proposal.rules}


def slow_starts(scorer: Scorer) -> dict[int, set]:
    """On each rail the shortest, where clauses cost little, and the best of what was written."""
    found = {}
    rows, classes = (
        scorer.problem.rails[0].target + scorer.problem.rails[0].rest,
        scorer.problem.classes,
    )

    def nats(rule: Candidate) -> float:
        sizes = [len(clause) for clause in rule.clauses]
        return description_length(rule.errors, rows, sizes, len(classes))

    for number in (0, 1):
        rules = [r for r in scorer.written if r.rail == number and r.clauses]
        shortest = sorted(rules, key=lambda r: (round(nats(r) * GRID), r.key))[:1]
        best = sorted(rules, key=lambda r: r.key)[:1]
        found[number] = {r.clauses for r in shortest + best}
    return found


def starts_of(scorer: Scorer) -> dict[int, set[frozenset[frozenset[int]]]]:
    return {rail: set(rules) for rail, rules in scorer.starts().items()}


@pytest.mark.parametrize("seed", range(3))
def test_the_search_starts_from_the_shortest_and_the_best(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tables = [tie_heavy(rng) for _ in range(12)]
    values = rng.choice([-1, 1], (80, 4))
    tables.append(Episode(values, np.where(values[:, :3].max(1) > 0, 1, -1)))
    starts = [starts_of(judged(e)) for e in tables if Problem.from_episode(e).is_learnable]
    assert starts == [
        slow_starts(judged(e)) for e in tables if Problem.from_episode(e).is_learnable
    ]
    assert any(len(rules) for found in starts for rules in found.values())


def test_a_search_may_start_from_more_than_is_worth_telling() -> None:
    """A clause that explains 5 more of 2,000 rows: too much in the end, not where one begins."""
    short, long = frozenset({frozenset({0})}), frozenset({frozenset({0}), frozenset({1, 2})})

    class Told(Scorer):
        @cached_property
        def written(self) -> list[Candidate]:
            fewer, more = self._made(long, errors=495, worth=0.4), self._made(short, 500, 0.5)
            return [fewer, more]

        def _made(self, clauses: frozenset, errors: int, worth: float) -> Candidate:
            sizes, classes = sorted(map(len, clauses)), len(self.problem.classes)
            nats = description_length(errors, 2000, sizes, classes, share_of(1000, 1000))
            return candidate(worth=worth, nats=nats, clauses=clauses, errors=errors)

    rng = np.random.default_rng(0)
    episode = Episode(rng.choice([-1, 1], (2000, 12)), np.repeat([1, -1], 1000))
    scorer = Told(load_model("guided").network.critic, Problem.from_episode(episode), [])
    assert starts_of(scorer) == {0: {short, long}, 1: set()}
    assert shortest(scorer.written).clauses == short


def test_a_rail_is_searched_however_long_what_was_written_on_it() -> None:
    """Far beyond the rows it learnt from, the decoder may write well on the wrong rail alone."""
    one, two = frozenset({frozenset({0})}), frozenset({frozenset({0, 1})})

    class Told(Scorer):
        @cached_property
        def written(self) -> list[Candidate]:
            empty = [candidate(rail, worth=0.9, nats=1, clauses=NOTHING) for rail in (0, 1)]
            short = candidate(0, worth=0.5, nats=10, clauses=one)
            best = candidate(0, worth=0.6, nats=15, clauses=two)
            return [*empty, short, best, candidate(1, nats=1000, clauses=two)]

    scorer = Told(
        load_model("guided").network.critic, Problem.from_episode(random_episode(3, 9)), []
    )
    assert starts_of(scorer) == {0: {one, two}, 1: {two}}


def cost(rule: Candidate, price: int) -> int:
    return PRICE_UNIT * rule.errors + price * sum(map(len, rule.clauses))


@pytest.mark.parametrize("seed", range(4))
def test_the_shortest_of_each_rail_is_searched_on_from_at_its_own_price(seed: int) -> None:
    scorer = judged(random_episode(12, 300, seed=seed))
    rules = search_candidates(scorer)
    found = climb_shortest(scorer, rules)
    assert found[: len(rules)] == rules
    said = [min((r for r in rules if r.rail == rail), key=lambda r: r.length) for rail in (0, 1)]
    begun = [rule for rule in said if rule.clauses]
    assert [rule.rail for rule in found[len(rules) :]] == [rule.rail for rule in begun]
    for before, after in zip(begun, found[len(rules) :], strict=True):
        price = round(scorer.literal_price(before) * PRICE_UNIT)
        less = [(after.rail, after.clauses - {clause}) for clause in after.clauses]
        less += [
            (after.rail, after.clauses - {clause} | {clause - {literal}})
            for clause in after.clauses
            for literal in clause
        ]
        assert cost(after, price) <= cost(before, price)
        assert all(cost(rule, price) >= cost(after, price) for rule in scorer.score(less))


def test_one_climb_more_finds_what_is_left_of_a_planted_rule() -> None:
    scorer = judged(fair_episode(6, 200))
    part = frozenset({frozenset({scorer.problem.index()[Literal(2, False)]})})
    *_, found = climb_shortest(scorer, scorer.score([(0, NOTHING), (1, NOTHING), (0, part)]))
    assert str(scorer.problem.to_rule(found.rail, found.clauses)) == "~x2 | x0 & x1"


def test_candidates_are_what_was_written_and_what_the_search_made_of_it() -> None:
    added = 0
    for seed in range(5):
        scorer = judged(random_episode(8, 60, seed=seed))
        rules = {(rule.rail, rule.clauses) for rule in candidates(scorer)}
        written = {(rule.rail, rule.clauses) for rule in scorer.written}
        assert written <= rules
        assert {rail for rail, _ in rules - written} <= set(scorer.starts())
        added += len(rules - written)
    assert added > 0


def test_candidates_keep_to_the_limits() -> None:
    scorer = judged(random_episode(8, 60))
    free, bound = candidates(scorer), candidates(scorer, Limits(max_clauses=1, max_literals=2))
    assert any(len(c.clauses) > 1 or any(len(x) > 2 for x in c.clauses) for c in free)
    assert all(len(c.clauses) <= 1 and all(len(x) <= 2 for x in c.clauses) for c in bound)
