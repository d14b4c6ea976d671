from pathlib import Path
from typing import NamedTuple

import pytest
import torch
from torch import Tensor, nn

from studies.training import nri_training, run_state
from studies.training.batch import Batch


class Logits(NamedTuple):
    literal_logits: Tensor
    gate_logits: Tensor


class OneLiteral(nn.Module):
    """Always answers x0 when the first row is positive, else not x0."""

    def forward(self, batch: Batch) -> Logits:
        literals = torch.full((len(batch), 1, batch.values.shape[2], 2), -30.0)
        positive = batch.labels[:, 0] > 0
        literals[positive, 0, 0, 0] = literals[~positive, 0, 0, 1] = 30.0
        return Logits(literals, torch.full((len(batch), 1), 30.0))


BATCH = Batch(torch.tensor([[[1], [-1], [-1], [1]]]), torch.tensor([[1, -1, 1, 0]]))


@pytest.mark.parametrize("averaged", [False, True])
def test_support_accuracy_counts_labelled_rows(averaged: bool) -> None:
    network = OneLiteral().train()
    assert nri_training.support_accuracy(network, BATCH, averaged=averaged) == pytest.approx(2 / 3)
    assert network.training


def test_lines_are_appended_read_and_rewound(tmp_path: Path) -> None:
    assert run_state.read_metrics(tmp_path) == []
    for step in (10, 20, 30):
        run_state.append_metrics(tmp_path, {"step": step, "loss": 1.0})
    run_state.rewind_metrics(tmp_path, 20)
    assert [row["step"] for row in run_state.read_metrics(tmp_path)] == [10, 20]
