"""What the site shows of the rest of the repository: a page for each table in `results/`.

mkdocs calls these functions. Figures are never typed into a page; they come from the files that
the benchmarks wrote.
"""

from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results"


def on_config(config: Any) -> Any:
    """Add the pages of figures to the navigation."""
    _section(config.nav, "Benchmarks").extend(
        {title(path): f"benchmarks/{path.name}"} for path in tables()
    )
    return config


def on_files(files: Files, config: Any) -> Files:
    """The pages of figures, and the pictures beside them."""
    for path in [*tables(), *sorted(RESULTS.glob("*.svg"))]:
        files.append(File.generated(config, f"benchmarks/{path.name}", abs_src_path=str(path)))
    return files


def tables() -> list[Path]:
    """The files of figures."""
    return sorted(RESULTS.glob("*.md"))


def title(path: Path) -> str:
    """The title of a page: its first line."""
    return path.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")


def _section(nav: list[dict[str, Any]], name: str) -> list[Any]:
    return next(section[name] for section in nav if name in section)
