"""Tables and figures drawn from the CSV files alone; never typed."""

from gnri.atomic_write import write_atomically
from studies.paper import drawing
from studies.paper.study import Results, Study


def render(study: Study, results: Results) -> None:
    """STEM.md for each table of a study, figures/STEM.svg and .png for each figure."""
    for stem, text in study.tables(results).items():
        write_atomically(results.folder / f"{stem}.md", text.encode())
    with drawing.house_style():
        for stem, figure in study.figures(results).items():
            drawing.save(figure, results.folder / "figures", stem)
