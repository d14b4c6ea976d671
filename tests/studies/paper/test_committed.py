"""What is committed is drawn from the committed rows, byte for byte."""

from pathlib import Path

import pytest

from studies.paper import studies
from studies.study import Context, load_protocol, render

COMMITTED = Path(__file__).parents[3] / "results"
NAMES = tuple(studies())


@pytest.mark.parametrize("name", NAMES)
def test_tables_and_figures_are_drawn_from_the_rows(name: str, tmp_path: Path) -> None:
    held = Context(COMMITTED, protocol=load_protocol())

    class Elsewhere(Context):
        def rows(self, name: str) -> list[dict[str, str]]:
            return held.rows(name)

    render(studies()[name], Elsewhere(tmp_path, protocol=held.protocol))
    for drawn in (path for path in tmp_path.rglob("*") if path.is_file()):
        committed = COMMITTED / drawn.relative_to(tmp_path)
        assert drawn.read_bytes() == committed.read_bytes(), f"{committed} is not of its rows"


@pytest.mark.parametrize("name", NAMES)
def test_every_row_says_where_it_came_from(name: str) -> None:
    for row in Context(COMMITTED, protocol=load_protocol()).rows(name):
        assert all(row[key] for key in ("protocol", "commit", "machine", "date"))
