"""Draw the packages of gnri and who imports whom: `python docs/pictures/packages.py`.

Read from the imports themselves. An arrow that follows from two others is left out.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PICTURE = Path(__file__).with_suffix(".svg")
SMALL = frozenset({"errors", "atomic_write", "processes", "__main__", "gnri"})
"""Parts that nearly all import, or none; they would hide the others."""

WIDTH, HEIGHT, GAP_X, GAP_Y = 118, 34, 26, 46

Edges = dict[str, set[str]]


def imports(source: Path = ROOT / "src" / "gnri") -> Edges:
    """Return for each part of the package the other parts that it imports."""
    found: Edges = {}
    for file in sorted(source.rglob("*.py")):
        part = file.relative_to(source).parts[0].removesuffix(".py")
        if part not in SMALL and part != "__init__":
            mine = found.setdefault(part, set())
            mine |= set(_parts(ast.parse(file.read_text(encoding="utf-8")))) - {part} - SMALL
    return found


def arrows(edges: Edges) -> list[tuple[str, str]]:
    """Return the imports that do not follow from others."""
    reach: Edges = {}

    def reached(part: str) -> set[str]:
        if part not in reach:
            reach[part] = set().union(*({one} | reached(one) for one in edges[part]))
        return reach[part]

    return sorted(
        (part, other)
        for part, others in edges.items()
        for other in others
        if not any(other in reached(one) for one in others - {other})
    )


def levels(edges: Edges) -> dict[str, int]:
    """Return how many imports deep the parts below each part go."""
    found: dict[str, int] = {}

    def level(part: str) -> int:
        if part not in found:
            found[part] = 1 + max((level(one) for one in edges[part]), default=-1)
        return found[part]

    for part in edges:
        level(part)
    return found


def draw(edges: Edges) -> str:
    """Return the picture, what imports nothing at the bottom."""
    level, kept = levels(edges), arrows(edges)
    rows = [sorted(p for p in edges if level[p] == i) for i in range(max(level.values()) + 1)]
    wide = max(map(len, rows)) * (WIDTH + GAP_X) + GAP_X
    high = len(rows) * (HEIGHT + GAP_Y)
    place = {}
    for i, row in enumerate(reversed(rows)):
        left = (wide - len(row) * (WIDTH + GAP_X) + GAP_X) // 2
        for j, part in enumerate(row):
            place[part] = (left + j * (WIDTH + GAP_X), GAP_Y // 2 + i * (HEIGHT + GAP_Y))
    lines = [_arrow(place[part], place[other]) for part, other in kept]
    boxes = [_box(part, *place[part]) for part in sorted(place)]
    said = "; ".join(f"{part} imports {other}" for part, other in kept)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" role="img">',
            f"<title>The packages of gnri, each above what it imports</title><desc>{said}</desc>",
            '<g stroke="#7a8594" fill="none">',
            *lines,
            '</g><g font-family="sans-serif" font-size="14" text-anchor="middle">',
            *boxes,
            "</g></svg>\n",
        ]
    )


def _parts(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("gnri."):
            yield node.module.split(".")[1]
        elif isinstance(node, ast.ImportFrom) and node.module == "gnri":
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Import):
            names = (alias.name.split(".") for alias in node.names)
            yield from (name[1] for name in names if name[0] == "gnri" and len(name) > 1)


def _arrow(above: tuple[int, int], below: tuple[int, int]) -> str:
    (x, y), (to_x, to_y) = above, below
    x, to_x, y = x + WIDTH // 2, to_x + WIDTH // 2, y + HEIGHT
    middle = (y + to_y) // 2
    return f'<path d="M{x} {y}C{x} {middle} {to_x} {middle} {to_x} {to_y}"/>'


def _box(name: str, x: int, y: int) -> str:
    return (
        f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="5" fill="#eef2f7" '
        f'stroke="#41506a"/><text x="{x + WIDTH // 2}" y="{y + 22}" fill="#1c2530">{name}</text>'
    )


if __name__ == "__main__":
    PICTURE.write_text(draw(imports()), encoding="utf-8")
    print(PICTURE.name)
