import numpy as np
import pytest

from gnri.errors import GnriError
from studies.benchmarks.posterior import clauses_over, posterior
from studies.training.coin_tables import PriorConfig, fresh_rows, sample
from studies.training.streams import seeded

PRIOR = PriorConfig(atoms=(4, 4), rows=(6, 6))


def test_the_chances_of_all_clauses_make_one() -> None:
    clauses = clauses_over(5)
    assert np.exp(clauses.nats).sum() == pytest.approx(1)
    assert len({tuple(row) for row in clauses.literals.tolist()}) == len(clauses.literals)


def test_it_votes_as_the_rules_of_the_prior_that_fit() -> None:
    """Beside the obvious way: draw rules from the prior, and keep those without an error."""
    task = sample(PRIOR, 1, generator=seeded("task", 4))
    values, labels = task.batch.values[0].numpy(), task.batch.labels[0].numpy()
    drawn = sample(PRIOR, 40_000, generator=seeded("rules"))
    every = np.array(np.meshgrid(*[[-1, 1]] * 4)).reshape(4, -1).T.astype(np.int8)
    said = np.array([_says(clauses, np.concatenate([values, every])) for clauses in drawn.clauses])
    fits = (said[:, : len(values)] == (labels > 0)).all(1)
    assert fits.sum() > 300
    share = said[fits, len(values) :].mean(0)
    clear = np.abs(share - 0.5) > 0.12  # two samples may differ where it is close
    assert clear.sum() > 8
    answers = posterior(values, (labels > 0).astype(np.intp)).predict(every)
    assert ((answers == 1) == (share > 0.5))[clear].all()


def test_it_is_no_worse_than_the_task_allows() -> None:
    generator = seeded("easy")
    prior = PriorConfig(atoms=(6, 6), clauses=(1, 1), rows=(48, 48))
    task = sample(prior, 1, generator=generator)
    fresh, truth = fresh_rows(task, 200, generator=generator)
    fitted = posterior(task.batch.values[0].numpy(), (task.batch.labels[0] > 0).long().numpy())
    assert np.mean(fitted.predict(fresh[0].numpy()) == (truth[0].numpy() > 0)) > 0.95


@pytest.mark.parametrize("shape", [(10, 13), (65, 6)])
def test_what_is_too_large_is_refused(shape: tuple[int, int]) -> None:
    with pytest.raises(GnriError, match="at most 12 atoms and 64 rows"):
        posterior(np.ones(shape, np.int8), np.zeros(shape[0], np.intp))


def _says(clauses: object, values: np.ndarray) -> np.ndarray:
    """Whether a rule of the prior holds on each row."""
    wants = np.asarray(clauses).astype(int)  # (clauses, atoms, 2)
    hits = np.stack([values > 0, values < 0], -1).astype(int)
    met = np.einsum("cas,ras->rc", wants, hits)
    size = wants.sum((1, 2))
    return ((met == size) & (size > 0)).any(1)
