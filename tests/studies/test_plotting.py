"""Figures: files without dates."""

from pathlib import Path

from studies import plotting


def _draw(folder: Path) -> None:
    with plotting.figure_style():
        figure = plotting.blank()
        axes = figure.subplots()
        for shift, name in enumerate(plotting.LOOKS):
            runs = {n: [0.5 + shift / 50, 0.6 + shift / 50] for n in (6, 12, 1024)}
            plotting.curve(axes, runs, name)
        plotting.widths(axes, (6, 12, 1024))
        plotting.save(figure, folder, "sketch")


def test_a_figure_is_saved_without_its_date(tmp_path: Path) -> None:
    _draw(tmp_path)
    assert (tmp_path / "sketch.svg").stat().st_size > 1000
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
