"""The one look of all figures, and files without dates or random names."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from statistics import mean, stdev
from typing import TYPE_CHECKING, Any

import numpy as np

from gnri.atomic_write import write_atomically
from gnri.errors import GnriError
from studies import read_data

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MUTED = "#6b6b6b"


@dataclass(frozen=True, slots=True)
class Look:
    """How a condition or learner is drawn, and what it is called in a figure."""

    colour: str
    label: str
    line: str = "-"
    marker: str = "o"


LOOKS = {name: Look(**look) for name, look in read_data("studies", "looks.toml").items()}


def look_of(name: str) -> Look:
    """Return the look of a condition or learner; grey for one that has none."""
    return LOOKS.get(name, Look(MUTED, name))


def figure_style() -> AbstractContextManager[None]:
    """Give what is drawn and saved inside the one look."""
    _check_matplotlib()
    from matplotlib import style

    return style.context(["default", Path(__file__).with_name("figures.mplstyle")])


def blank(width: float = 7.2, height: float = 4.2) -> "Figure":
    """Return an empty figure of this size in inches, whose parts keep clear of each other."""
    _check_matplotlib()
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _check_matplotlib() -> None:
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise GnriError(
            "figures need matplotlib; install it with `pip install 'gnri[plots]'`"
        ) from None


def save(figure: "Figure", folder: Path, stem: str) -> None:
    """Write STEM.svg, without a date or a random name in it."""
    from matplotlib import rc_context

    folder.mkdir(parents=True, exist_ok=True)
    held = BytesIO()
    with rc_context({"svg.hashsalt": "gnri"}):
        figure.savefig(held, format="svg", metadata={"Date": None})
    write_atomically(folder / f"{stem}.svg", held.getvalue())


def curve(axes: "Axes", runs: Mapping[float, Sequence[float]], name: str) -> None:
    """Draw the mean of the runs of all seeds at each x, in a band of one deviation."""
    look, places = look_of(name), sorted(runs)
    middle = np.array([mean(runs[x]) for x in places])
    spread = np.array([stdev(runs[x]) if len(runs[x]) > 1 else 0.0 for x in places])
    axes.plot(places, middle, look.line, color=look.colour, marker=look.marker, label=look.label)
    if spread.any():
        band: dict[str, Any] = {"color": look.colour, "alpha": 0.15, "linewidth": 0}
        axes.fill_between(places, middle - spread, middle + spread, **band)


def widths(axes: "Axes", places: Sequence[int]) -> None:
    """Make an axis of numbers of atoms, in doublings; what was measured is written if it fits."""
    axes.set_xscale("log", base=2)
    crowded = {near for near, far in pairwise(places) if 96 < far < 1.4 * near}
    axes.set_xticks(list(places), ["" if place in crowded else str(place) for place in places])
    axes.minorticks_off()
    axes.set_xlabel("atoms")
