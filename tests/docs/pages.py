"""Pages of Markdown as what they promise: code that runs, and what it prints.

A block of `python` is run, those of a page in one space. In a block of `console` each line that
begins with `$` is a command. A block of `text` right below either is what it prints, to the
letter, but for the seconds. A block of `csv` with a title is a file that the page works with, and
`examples/` is there as in a checkout. No other block is allowed, so that nothing on a page goes
untried.
"""

import io
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from tests.docs.commands import printed_by

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>\w*)(?P<more>[^\n]*)\n(?P<body>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
TITLE = re.compile(r'title="([\w.-]+)"')
BOX = '<div class="rule" markdown>'
SECONDS = re.compile(r"\b\d+\.\d+ s\b")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its lines, and the place of them in the page."""

    language: str
    body: str
    title: str | None
    start: int
    end: int
    after: str
    """The text between the block before and this one."""


@dataclass(frozen=True)
class Output:
    """What a block promises to print, what it prints, and where the promise stands."""

    promised: str
    printed: str
    start: int
    end: int

    @property
    def kept(self) -> bool:
        return plain(self.promised) == plain(self.printed)


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a page."""
    found, last = [], 0
    for match in FENCE.finditer(text):
        title = TITLE.search(match["more"])
        place = match.span("body")
        name = title[1] if title else None
        after = text[last : match.start()]
        found.append(Block(match["language"], match["body"], name, *place, after))
        last = match.end()
    return found


def run(path: Path, folder: Path) -> Iterator[Output]:
    """Run a page in a folder of its own; each promise with what was printed."""
    text = path.read_text(encoding="utf-8")
    space: dict[str, object] = {"__name__": path.stem}
    last = None
    shutil.copytree(ROOT / "examples", folder / "examples", dirs_exist_ok=True)
    with chdir(folder), _importable(folder):
        for block in blocks(text):
            match block.language:
                case "python":
                    last = _python(block, text, path, space)
                case "console":
                    yield _console(block)
                    last = None
                case "csv":
                    assert block.title, f"{path.name}: a block of csv needs a title"
                    (folder / block.title).write_text(block.body, encoding="utf-8")
                case "text" if last is not None and not block.after.strip():
                    yield Output(block.body, last, block.start, block.end)
                    last = None
                case other:
                    raise AssertionError(f"{path.name}: a block of {other!r} is not run")


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """Let a page import what it wrote, and forget it afterwards."""
    sys.path.insert(0, str(folder))
    before = set(sys.modules)
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in set(sys.modules) - before:
            if str(getattr(sys.modules[name], "__file__", None)).startswith(str(folder)):
                del sys.modules[name]


def plain(text: str) -> str:
    """A text without what may differ: spaces at the ends of lines, and seconds."""
    lines = (line.rstrip() for line in text.strip("\n").splitlines())
    return SECONDS.sub("... s", "\n".join(lines))


def _python(block: Block, text: str, path: Path, space: dict[str, object]) -> str:
    # Padded, so that a traceback shows the true line of the page.
    source = "\n" * text.count("\n", 0, block.start) + block.body
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(source, str(path), "exec"), space)
    return printed.getvalue()


def _console(block: Block) -> Output:
    """Run each command; the promise is the block itself, commands included."""
    said = []
    for line in block.body.splitlines():
        if line.startswith("$ "):
            said.append(f"{line}\n{printed_by(shlex.split(line[2:], comments=True))}")
    assert said, f"a block of console has no command: {block.body[:60]!r}"
    printed = "\n".join(part.strip("\n") for part in said) + "\n"
    if all(line.startswith(("$ ", "#")) or not line for line in block.body.splitlines()):
        printed = block.body  # commands alone promise to work, not what they print
    return Output(block.body, printed, block.start, block.end)


def update(path: Path, folder: Path) -> bool:
    """Write what a page prints now in place of what it promised; whether that changed it."""
    text = path.read_text(encoding="utf-8")
    broken = [output for output in run(path, folder) if not output.kept]
    for output in reversed(broken):
        printed = "\n".join(line.rstrip() for line in output.printed.strip("\n").splitlines())
        text = text[: output.start] + printed + "\n" + text[output.end :]
    text = with_box(text)
    path.write_text(text, encoding="utf-8")
    return bool(broken)


def with_box(text: str) -> str:
    """The page with the rule in its box, if it has one, as it is printed further below."""
    if BOX not in text:
        return text
    printed = next(b.body for b in blocks(text) if b.language == "text" and "otherwise" in b.body)
    before, _, rest = text.partition(BOX)
    return f"{before}{BOX}\n{boxed(printed)}\n{rest[rest.index('</div>') :]}"


def boxed(printed: str) -> str:
    """A printed rule in bold and plain words.

    >>> print(boxed("yes if\\n    age > 7 and b = c\\n    or d\\notherwise no\\n"))
    **yes** if<br>
    **age > 7** and **b = c**<br>
    or **d**<br>
    otherwise **no**
    """
    lines = []
    for line in printed.strip("\n").splitlines():
        if head := re.fullmatch(r"(.*) (if|unless)", line):
            lines.append(f"**{head[1]}** {head[2]}")
            continue
        first, _, rest = line.strip().partition(" ")
        if line == line.strip() and first != "otherwise":
            lines.append(line)
            continue
        start, words = (f"{first} ", rest) if first in ("or", "otherwise") else ("", line.strip())
        lines.append(start + " and ".join(f"**{word}**" for word in words.split(" and ")))
    return "<br>\n".join(lines)


if __name__ == "__main__":
    import tempfile

    os.environ.pop("GNRI_DATA", None)
    wanted = sys.argv[1:]
    for page in PAGES if not wanted else [ROOT / name for name in wanted]:
        with tempfile.TemporaryDirectory() as place:
            sys.stdout.write(f"{page.relative_to(ROOT)}: ")
            print("updated" if update(page, Path(place)) else "as it was")
