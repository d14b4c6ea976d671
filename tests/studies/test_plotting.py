"""Figures: files without dates, and names that do not run into each other."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studies import plotting


def _draw(folder: Path) -> None:
    with plotting.figure_style():
        figure = plotting.blank()
        axes = figure.subplots()
        for shift, name in enumerate(plotting.LOOKS):
            runs = {n: [0.5 + shift / 50, 0.6 + shift / 50] for n in (6, 12, 1024)}
            plotting.curve(axes, runs, name)
        plotting.widths(axes, (6, 12, 1024))
        plotting.name_ends(axes)
        plotting.save(figure, folder, "sketch")


def test_a_figure_is_saved_without_its_date(tmp_path: Path) -> None:
    _draw(tmp_path)
    assert all((tmp_path / f"sketch.{ending}").stat().st_size > 1000 for ending in plotting.ENDINGS)
    assert b"<dc:date>" not in (tmp_path / "sketch.svg").read_bytes()


def test_the_figure_style_ends_where_it_began() -> None:
    from matplotlib import rcParams

    before = dict(rcParams)
    with plotting.figure_style():
        assert rcParams["axes.spines.top"] is False
    assert dict(rcParams) == before


def test_what_has_no_look_is_grey() -> None:
    assert plotting.look_of("forest").colour == plotting.MUTED
    assert len({(look.colour, look.line) for look in plotting.LOOKS.values()}) == len(
        plotting.LOOKS
    )


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12).map(sorted))
@settings(max_examples=200)
def test_names_keep_apart_and_in_order(heights: list[float]) -> None:
    found = plotting.spread_out(heights, 0.05)
    assert all(b - a >= 0.05 - 1e-9 for a, b in pairwise(found))
    assert found[0] >= -1e-9 and found[-1] <= 1 + 1e-9


def test_names_far_apart_stay_where_they_are() -> None:
    assert plotting.spread_out([0.1, 0.5, 0.9], 0.05) == pytest.approx([0.1, 0.5, 0.9])
