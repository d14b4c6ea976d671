import numpy as np
import pytest
import torch

from gnri.errors import RecipeError
from studies.training.coin_tables import PriorConfig, Sample, _distinct, fresh_rows, rules, sample


def drawn(config: PriorConfig, size: int, seed: int = 0) -> Sample:
    return sample(config, size, generator=torch.Generator().manual_seed(seed))


def shown(tensor: torch.Tensor) -> torch.Tensor:
    return tensor[tensor != 0]


def test_labels_are_the_hidden_rules_own() -> None:
    found = drawn(PriorConfig(), 200)
    for index, rule in enumerate(rules(found)):
        episode = found.batch.episode(index)
        labelled = episode.labels != 0
        assert np.array_equal(rule.evaluate(episode.values)[labelled], episode.labels[labelled])


def test_fresh_rows_are_labelled_by_the_same_rule() -> None:
    found = drawn(PriorConfig(atoms=(2, 9)), 100)
    values, labels = fresh_rows(found, 40, generator=torch.Generator().manual_seed(1))
    assert values.shape == (100, 40, 9)
    for index, rule in enumerate(rules(found)):
        assert np.array_equal(rule.evaluate(values[index].numpy()), labels[index].numpy())
    assert torch.equal((values != 0).all(1).sum(1), found.atoms)


def test_sizes_cover_their_ranges_and_the_rest_is_padding() -> None:
    found = drawn(PriorConfig(), 3000)
    values, labels = found.batch.values, found.batch.labels
    atoms, rows = (values != 0).any(1).sum(1), (labels != 0).sum(1)
    assert set(atoms.tolist()) == set(range(6, 13))
    assert set(rows.tolist()) == set(range(24, 49))
    cells = (values != 0).sum((1, 2))
    assert torch.equal(cells, atoms * rows)  # a full rectangle: nothing outside, nothing missing
    assert torch.equal(atoms, found.atoms)
    assert not found.clauses[torch.arange(12) >= atoms[:, None, None].expand(-1, 6, 1)].any()


def test_clauses_and_literals_are_uniform_in_number() -> None:
    found = drawn(PriorConfig(), 20000)
    sizes = found.clauses.sum((2, 3))
    counts = (sizes > 0).sum(1)
    assert counts.bincount(minlength=7)[1:] == pytest.approx([20000 / 6] * 6, rel=0.06)
    lengths = sizes[sizes > 0].bincount(minlength=5)[1:]
    assert lengths == pytest.approx([int(lengths.sum()) / 4] * 4, rel=0.03)
    assert found.clauses.sum(-1).max() == 1  # an atom and its negation never share a clause
    # 3.5 of 6 clauses, 2.5 literals each, over 12 columns and two polarities
    share = 3.5 / 6 * 2.5 / 12 / 2
    assert found.clauses.float().mean((0, 1, 2)) == pytest.approx([share] * 2, rel=0.02)


def test_literals_are_capped_at_the_atoms_there_are() -> None:
    found = drawn(PriorConfig(atoms=(1, 3), literals=(4, 4)), 500)
    sizes = found.clauses.sum((2, 3))
    assert torch.equal(sizes.amax(1), found.atoms)
    assert torch.equal(sizes, torch.where(sizes > 0, found.atoms[:, None], 0))


def test_distinct_choices_are_uniform_over_sets() -> None:
    picks = _distinct(torch.full((60000,), 5), 3, torch.Generator().manual_seed(0))
    ordered = picks.sort(1).values
    assert (ordered.diff(dim=1) > 0).all()
    assert picks.min() == 0
    assert picks.max() == 4
    counts = picks @ torch.tensor([25, 5, 1])
    assert counts.bincount()[counts.unique()] == pytest.approx([1000] * 60, rel=0.15)


def test_values_and_labels_have_the_known_rates() -> None:
    found = drawn(PriorConfig(), 20000)
    assert shown(found.batch.values).float().mean() == pytest.approx(0, abs=2e-3)
    rate = (shown(found.batch.labels) > 0).double().mean()
    assert rate == pytest.approx(0.566, abs=0.01)  # the mean measured on the reference generator


def test_label_noise_touches_labels_alone() -> None:
    found = drawn(PriorConfig(label_noise=0.2), 5000)
    assert torch.equal((found.batch.values == 0).all(2), found.batch.labels == 0)
    turned = [
        rule.evaluate(episode.values[labelled]) != episode.labels[labelled]
        for rule, episode in zip(rules(found), map(found.batch.episode, range(1500)), strict=False)
        for labelled in [episode.labels != 0]
    ]
    assert np.concatenate(turned).mean() == pytest.approx(0.2, abs=0.01)


def test_spurious_columns_stand_last_and_follow_the_label_one_way_then_the_other() -> None:
    found = drawn(PriorConfig(spurious=3, rows=(40, 40)), 5000)
    assert found.batch.values.shape[2] == 15
    index = torch.arange(5000)
    for offset in (1, 2, 3):
        agrees = found.batch.values[index, :, found.atoms - offset] == found.batch.labels
        assert agrees[:, :20].double().mean() == pytest.approx(0.3, abs=0.01)
        assert agrees[:, 20:].double().mean() == pytest.approx(0.7, abs=0.01)
    for rule, atoms in zip(rules(found), found.atoms.tolist(), strict=True):
        assert max(rule.atoms) < atoms - 3
    own = found.batch.values[:, :, 0]
    assert shown(own).float().mean() == pytest.approx(0, abs=0.01)


def test_a_thousand_atoms_are_drawn_like_six() -> None:
    found = drawn(PriorConfig(atoms=(1024, 1024)), 32)
    assert found.batch.values.shape == (32, 48, 1024)
    for index, rule in enumerate(rules(found)):
        episode = found.batch.episode(index)
        rows = episode.labels != 0
        assert np.array_equal(rule.evaluate(episode.values)[rows], episode.labels[rows])
    assert len({atom for rule in rules(found) for atom in rule.atoms}) > 150


def test_a_generator_in_the_same_state_draws_the_same() -> None:
    first, again, other = (drawn(PriorConfig(spurious=2), 50, seed) for seed in (3, 3, 4))
    assert torch.equal(first.batch.values, again.batch.values)
    assert torch.equal(first.clauses, again.clauses)
    assert not torch.equal(first.batch.values, other.batch.values)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"atoms": (0, 3)}, "prior.atoms must be 1 <= low <= high"),
        ({"rows": (9, 3)}, "prior.rows"),
        ({"label_noise": 1.0}, "prior.label_noise must be in"),
        ({"spurious": -1}, "prior.spurious"),
    ],
)
def test_impossible_settings_are_refused(setting: dict, message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        PriorConfig(**setting)
