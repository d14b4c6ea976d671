"""The guided network: it must treat literals alike, and each table by itself."""

from functools import cache
from importlib.resources import as_file, files
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from gnri.model import checkpoint
from gnri.model.guided.architecture import (
    LITERAL_FEATURES,
    PAIR_FEATURES,
    STEP_FEATURES,
    Counts,
    GuidedConfig,
    Step,
    literal_features,
    pair_features,
    step_features,
)
from studies.training.modules import GuidedModule

CONFIG = GuidedConfig(width=16, layers=2, heads=2, pair_width=6, pooled=3, anchors=5)


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@cache
def network() -> GuidedModule:
    with torch.random.fork_rng([]):
        torch.manual_seed(0)
        return GuidedModule(CONFIG).double()


def whole(high: int, shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    return torch.randint(0, high, shape, generator=generator).double()


def asked(batch: int, literals: int, anchors: int, seed: int) -> tuple[Counts, Step]:
    """Counts and states that some table might have."""
    generator = seeded(seed)
    places = [torch.randperm(literals, generator=generator)[:anchors] for _ in range(batch)]
    counts = Counts(
        whole(30, (batch, literals, 2), generator),
        whole(20, (batch, literals, anchors, 2), generator),
        torch.stack(places),
        30 + whole(30, (batch, 2), generator),
    )
    banned = torch.rand(batch, literals, generator=generator) < 0.2
    step = Step(
        whole(20, (batch, literals, 4, 2), generator),
        20 + whole(20, (batch, 4, 2), generator),
        whole(4, (batch, 2), generator),
        banned,
    )
    return counts, step


def answers(counts: Counts, step: Step) -> tuple[Tensor, Tensor, Tensor]:
    net = network()
    with torch.no_grad():
        tokens = net.tokens(counts)
        noise = net.noise_logit(tokens, counts.anchors)
        return (
            net.beliefs(tokens),
            noise,
            net.actions(net.policy_tokens(tokens), step, counts.sizes),
        )


def close(first: Tensor, second: Tensor, tolerance: float = 1e-9) -> bool:
    return torch.allclose(first.double(), second.double(), rtol=0, atol=tolerance)


ROUNDED = 2e-6
"""The policy answers in float32: what is one step apart there differs by no more."""


@given(st.integers(0, 2**32), st.integers(2, 9), st.data())
def test_answers_move_with_the_literals(seed: int, literals: int, data: st.DataObject) -> None:
    order = torch.tensor(data.draw(st.permutations(range(literals))))
    counts, step = asked(2, literals, min(5, literals), seed)
    moved = Counts(
        counts.literals[:, order],
        counts.pairs[:, order],
        order.argsort()[counts.anchors],
        counts.sizes,
    )
    stepped = Step(step.literals[:, order], step.totals, step.place, step.banned[:, order])
    beliefs, noise, actions = answers(counts, step)
    moved_beliefs, moved_noise, moved_actions = answers(moved, stepped)
    assert close(moved_beliefs, beliefs[:, order])
    assert close(moved_noise, noise)
    assert close(moved_actions[:, :-1], actions[:, order], ROUNDED)
    assert close(moved_actions[:, -1], actions[:, -1], ROUNDED)


@given(st.integers(0, 2**32), st.permutations(range(5)))
def test_the_order_of_the_anchors_plays_no_part(seed: int, order: list[int]) -> None:
    counts, step = asked(2, 7, 5, seed)
    moved = counts._replace(pairs=counts.pairs[:, :, order], anchors=counts.anchors[:, order])
    beliefs, noise, actions = answers(counts, step)
    moved_beliefs, moved_noise, moved_actions = answers(moved, step)
    assert close(moved_beliefs, beliefs)
    assert close(moved_noise, noise)
    assert close(moved_actions, actions, ROUNDED)


def test_a_table_is_answered_the_same_alone_and_among_others() -> None:
    counts, step = asked(6, 8, 5, 1)
    together = answers(counts, step)
    for table in range(6):
        place = slice(table, table + 1)
        alone = answers(Counts(*(part[place] for part in counts)), Step(*(s[place] for s in step)))
        for one, many in zip(alone, together, strict=True):
            assert close(one, many[place], ROUNDED)


def test_literals_that_look_the_same_are_believed_the_same() -> None:
    counts, step = asked(1, 6, 4, 2)
    for part in (counts.literals, counts.pairs, step.literals, step.banned):
        part[:, 1] = part[:, 0]
    counts = counts._replace(anchors=torch.tensor([[2, 3, 4, 5]]))
    beliefs, _, actions = answers(counts, step)
    assert close(beliefs[:, 0], beliefs[:, 1])
    assert close(actions[:, 0], actions[:, 1], ROUNDED) or step.banned[0, 0]


def test_what_the_clause_holds_is_never_put_in_again() -> None:
    counts, step = asked(5, 8, 5, 3)
    actions = answers(counts, step)[2]
    assert torch.equal(actions[:, :-1] == -torch.inf, step.banned)
    assert actions[:, -1].isfinite().all()


def test_every_part_of_the_question_counts() -> None:
    """A network that overlooks the pairs, the state or the sizes would pass what is above."""
    counts, step = asked(3, 8, 5, 4)
    beliefs, noise, actions = answers(counts, step)
    other, another = asked(3, 8, 5, 5)
    for name in ("literals", "pairs", "anchors", "sizes"):
        changed = answers(counts._replace(**{name: getattr(other, name)}), step)
        assert not close(changed[0], beliefs, 1e-4)
        assert not close(changed[1], noise, 1e-4)
    for name in ("literals", "totals", "place"):
        changed = answers(counts, step._replace(**{name: getattr(another, name)}))
        assert close(changed[0], beliefs)
        assert not close(changed[2], actions, 1e-4)


def test_features_are_finite_where_counts_are_none_or_all() -> None:
    for low, high in [(0, 0), (0, 9), (9, 0), (9, 9)]:
        sizes = torch.tensor([[float(low), float(high)]])
        for counts in (torch.zeros(1, 3, 2), sizes[:, None].expand(1, 3, 2)):
            pairs, step = (
                counts[:, :, None].expand(1, 3, 2, 2),
                counts[:, :, None].expand(1, 3, 4, 2),
            )
            totals, place = sizes[:, None].expand(1, 4, 2), torch.zeros(1, 2)
            literal = literal_features(counts, sizes)
            pair = pair_features(pairs, counts, counts[:, :2], sizes)
            taken = step_features(step, totals, sizes, place)
            assert literal.shape == (1, 3, LITERAL_FEATURES)
            assert pair.shape == (1, 3, 2, PAIR_FEATURES)
            assert taken.shape == (1, 3, STEP_FEATURES)
            for features in (literal, pair, taken):
                assert features.isfinite().all()
                assert features.abs().max() < 20


def test_features_of_a_small_table_by_hand() -> None:
    """3 of 4 target rows and 1 of 2 others: rates, odds and the independence of a pair."""
    counts, sizes = torch.tensor([[[3.0, 1.0]]]).double(), torch.tensor([[4.0, 2.0]]).double()
    literal = literal_features(counts, sizes)[0, 0]
    assert literal[:3].tolist() == [0.75, 0.5, 0.25]
    assert literal[3].exp().item() == pytest.approx(3.5 / 1.5)
    assert literal[4].exp().item() == pytest.approx(1.5 / 1.5)
    assert literal[9].exp().item() == pytest.approx(2)
    pairs = torch.tensor([[[[2.0, 1.0]]]]).double()
    pair = pair_features(pairs, counts, torch.tensor([[[2.0, 2.0]]]).double(), sizes)[0, 0, 0]
    assert pair[:3].tolist() == [0.5, 0.5, 0.0]
    assert pair[6].item() == pytest.approx(2 / 4 - 3 / 4 * 2 / 4)
    assert pair[7].item() == pytest.approx(1 / 2 - 1 / 2 * 2 / 2)


def test_names_and_shapes_are_those_of_the_bundled_weights() -> None:
    def expected(model: dict[str, Any], condition: str) -> dict[str, tuple[int, ...]]:
        assert condition == "guided"
        found = GuidedModule(GuidedConfig(**model)).state_dict()
        return {name: tuple(part.shape) for name, part in found.items()}

    with as_file(files("gnri") / "weights" / "guided") as folder:
        found = checkpoint.load(folder, expected=expected)
    assert GuidedConfig(**found.model_config) == GuidedConfig()
