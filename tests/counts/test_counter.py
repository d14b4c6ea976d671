"""A counter counts no more than it must."""

import numpy as np
import pytest

from gnri.counts import block as on_block
from gnri.counts.block import Block, make_block
from gnri.counts.blocks import MemoryBlocks
from gnri.counts.counter import Counter
from gnri.rules.row_expression import cover


def test_of_an_atom_without_missing_cells_one_literal_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Atom 1 has missing cells, and of atom 2 only one literal is asked for."""
    truth = np.array([[1, 0, 0, 1], [0, 1, 1, 0], [1, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 1]], bool)
    asked: list[list[int]] = []
    slow = on_block.counts

    def spied(block: Block, where: list, literals: np.ndarray) -> np.ndarray:
        asked.append(literals.tolist())
        return slow(block, where, literals)

    monkeypatch.setattr(on_block, "counts", spied)
    counter, literals = Counter(MemoryBlocks([make_block([truth])])), np.arange(5)
    expected = truth[:, truth[4]].sum(axis=1)
    for _ in range(2):
        assert counter.counts([cover([4])], literals)[0, 0].tolist() == expected.tolist()
    assert [some for some in asked if some] == [[0, 1, 2, 3, 4], [0, 2, 3, 4]]
