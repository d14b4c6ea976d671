"""What is committed is drawn from the committed rows."""

from pathlib import Path
from statistics import mean

import pytest

from studies import plotting
from studies.paper import studies
from studies.study import Context, load_protocol

COMMITTED = Path(__file__).parents[3] / "results"
NAMES = tuple(studies())
BY_GNRI = ("prediction", "gnri")


def held() -> Context:
    return Context(COMMITTED, protocol=load_protocol())


@pytest.mark.parametrize("name", NAMES)
def test_tables_are_drawn_from_the_rows(name: str) -> None:
    for stem, text in studies()[name].tables(held()).items():
        assert (COMMITTED / f"{stem}.md").read_text(encoding="utf-8") == text


@pytest.mark.parametrize("name", NAMES)
def test_figures_are_drawn_from_the_rows(name: str, tmp_path: Path) -> None:
    with plotting.figure_style():
        for stem, figure in studies()[name].figures(held()).items():
            plotting.save(figure, tmp_path, stem)
            assert (tmp_path / f"{stem}.svg").stat().st_size > 1000
            assert (COMMITTED / "figures" / f"{stem}.svg").exists()


def test_the_points_of_the_scaling_curves_are_means_over_the_seeds() -> None:
    figure = studies()["scaling"].figures(held())["scaling"]
    rows = held().rows("scaling")
    for axes, column in zip(figure.get_axes(), ("support_accuracy", "fresh_fidelity"), strict=True):
        lines = {str(line.get_label()): line for line in axes.get_lines()}
        for condition in ("nri", "gnri", "majority"):
            line = lines[plotting.look_of(condition).label]
            for atoms, point in zip(line.get_xdata(), line.get_ydata(), strict=True):
                found = [
                    float(row[column])
                    for row in rows
                    if (row["condition"], int(row["atoms"])) == (condition, atoms)
                    and row["seed"] != "shipped"
                ]
                assert point == pytest.approx(mean(found))


def test_the_points_of_the_drift_curves_are_shares_of_pairs() -> None:
    figure = studies()["drift"].figures(held())["drift"]
    rows = [row for row in held().rows("drift") if (row["by"], row["variant"]) == BY_GNRI]
    pairs, equal = (sum(int(row[column]) for row in rows) for column in ("pairs", "equal"))
    top, bottom = (figure.get_axes()[place].get_lines()[0] for place in (0, 2))
    assert sum(bottom.get_ydata()) == pairs
    shares = zip(top.get_ydata(), bottom.get_ydata(), strict=True)
    assert sum(share * count for share, count in shares) == pytest.approx(equal)


@pytest.mark.parametrize("name", NAMES)
def test_every_row_says_where_it_came_from(name: str) -> None:
    for row in held().rows(name):
        assert all(row[key] for key in ("protocol", "commit", "machine", "date"))
