"""A study of nothing, light enough that another process has it at once."""

from gnri.errors import GnriError
from studies.results import Row
from studies.study import Context, Piece, Settings, Study

measured: list[Piece] = []


def pieces(settings: Settings) -> list[Piece]:
    return [{"name": name, "seed": seed} for name in settings.names for seed in (1, 2)]


def measure(piece: Piece, context: Context) -> list[Row]:
    measured.append(piece)
    if piece["name"] == "broken":
        raise GnriError("stop here")
    return [{"figure": figure, "checkpoint": "abc"} for figure in (0.5, 0.25)]


TOY = Study("toy", lambda *_: (), pieces, measure)
