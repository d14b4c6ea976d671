"""A change of whole columns says the same of every row."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gnri.data.schema import Above, Equals, IsTrue, Schema
from gnri.episode import Episode
from gnri.symmetry.transforms import COLUMN_CHANGES, draw_column_change

SCHEMA = Schema(
    (Above("age", 30.0), Above("age", 45.0), IsTrue("smoker"), Equals("odor", "foul")),
)
VALUES = st.lists(
    st.tuples(*[st.sampled_from([-1, 0, 1])] * len(SCHEMA.atoms)), min_size=2, max_size=30
)


@given(VALUES, st.sampled_from(sorted(COLUMN_CHANGES)), st.integers(0, 2**32 - 1))
def test_a_change_says_the_same_of_every_row_in_its_new_words(
    values: list[Any], change: str, seed: int
) -> None:
    """The question at each new place, read by its new name, is true of the row it came from."""
    episode = Episode(values, [1 if i % 2 else -1 for i in range(len(values))])
    drawn = draw_column_change(SCHEMA, episode.rows, change, rng=np.random.default_rng(seed))
    moved = drawn.g(episode)
    assert sorted(drawn.g.atoms) == list(range(episode.atoms))
    for i, name in enumerate(drawn.before):
        new = drawn.after[drawn.g.atoms[i]]
        if change not in ("columns", "everything"):
            opposite = {"age > 30": "age <= 30", "age > 45": "age <= 45"}
            opposite |= {"smoker": "not smoker", "odor = foul": "odor != foul"}
            assert new == (opposite[name] if drawn.g.flips[i] else name)
        for r in range(episode.rows):
            sign = -1 if drawn.g.flips[i] else 1
            value = moved.values[drawn.g.rows[r], drawn.g.atoms[i]]
            assert value == sign * episode.values[r, i]
    assert drawn.g.label == (change in ("labels", "everything"))


def test_columns_move_whole() -> None:
    drawn = draw_column_change(SCHEMA, 3, "columns", rng=np.random.default_rng(3))
    assert drawn.g.atoms[1] == drawn.g.atoms[0] + 1
    assert len({name.split(" ")[1] for name in drawn.after}) == 3
    assert not any("age" in name for name in drawn.after)
