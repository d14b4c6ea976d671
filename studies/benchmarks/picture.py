"""Pictures of a benchmark as SVG: the same figures give the same file."""

from pathlib import Path
from typing import TYPE_CHECKING

from gnri.errors import GnriError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figure_for(path: Path, size: tuple[float, float]) -> "Figure":
    """An empty figure of this size in inches, or an error that says what `path` needs."""
    try:
        from matplotlib import figure
    except ImportError:
        raise GnriError(
            f"{path.name} needs matplotlib; install it with `pip install 'gnri[plots]'`"
        ) from None
    return figure.Figure(figsize=size, layout="constrained")


def write_svg(figure: "Figure", path: Path) -> None:
    """Write a figure without a date and without random names."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG

    with rc_context({"svg.hashsalt": "gnri"}):
        FigureCanvasSVG(figure).print_svg(path, metadata={"Date": None})  # type: ignore[no-untyped-call]
