"""What gnri answers, frozen: `python -m tests.corpus.freeze --check`, or `--write`.

`--only NAME` takes one section, and may be repeated. `--show READER NUMBER` prints an input of
the fuzzed readers and what becomes of it. `costs` are measured only when asked for by name; they
are printed beside those of the file, and never count as a difference.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from difflib import unified_diff
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch is loaded

FROZEN = Path(__file__).parent / "frozen"
MOST = 400
"""Characters of a value that are printed where it differs."""


def sections() -> dict[str, Callable[[], Any]]:
    """Return the sections that are compared, by name."""
    from tests.corpus import readers, rules, shown

    return {
        "goldens": rules.goldens,
        "nineteen": rules.nineteen,
        "episodes": rules.many_episodes,
        "exports": shown.exports,
        "cli": shown.command_line,
        "report": shown.report,
        **{f"readers-{name}": readers.section(name) for name in readers.READERS},
    }


def main() -> int:
    """Write, check or show; return 1 if anything differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.corpus.freeze", description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", action="append", metavar="NAME")
    parser.add_argument("--no-wording", action="store_true", help="refusals may say other words")
    parser.add_argument("--show", nargs=2, metavar=("READER", "NUMBER"))
    asked = parser.parse_args()
    if asked.show:
        from tests.corpus import readers

        readers.show(asked.show[0], int(asked.show[1]), FROZEN)
        return 0
    if asked.write == asked.check:
        parser.error("either --write or --check")
    if asked.only == ["costs"]:
        from tests.corpus import costs

        return costs.main(FROZEN / "costs.json", write=asked.write)
    import gnri

    print(f"gnri in {Path(gnri.__file__).parent}")  # another one may be installed
    chosen = _chosen(asked.only, parser)
    differ = [name for name, make in chosen.items() if not _done(name, make, asked)]
    print(f"{len(chosen)} sections, {len(differ)} differ: {', '.join(differ) or 'none'}")
    return 1 if differ else 0


def _chosen(
    only: list[str] | None, parser: argparse.ArgumentParser
) -> dict[str, Callable[[], Any]]:
    """Return the sections that are asked for; `readers` stands for all of that beginning."""
    found = sections()
    if not only:
        return found
    wanted = {name for name in found for one in only if name == one or name.startswith(f"{one}-")}
    if not wanted:
        parser.error(f"the sections are {', '.join(found)} and costs")
    return {name: make for name, make in found.items() if name in wanted}


def _done(name: str, make: Callable[[], Any], asked: argparse.Namespace) -> bool:
    """Make a section; write it, or print how it differs and return whether it is the same."""
    from tests.corpus import readers
    from tests.corpus.rules import SectionSkippedError

    path, started = FROZEN / f"{name}.json", time.perf_counter()
    try:
        made = json.loads(_text(make()))
    except SectionSkippedError as reason:
        print(f"{name}: skipped, {reason}", flush=True)
        return True
    seconds = time.perf_counter() - started
    if asked.write:
        path.write_text(_text(made) + "\n", encoding="utf-8")
        print(f"{name}: written, {path.stat().st_size:,} bytes, {seconds:.0f} s", flush=True)
        return True
    frozen = json.loads(path.read_text(encoding="utf-8"))
    if asked.no_wording:
        frozen.pop("wording", None), made.pop("wording", None)
    compare = readers.differences if name.startswith("readers-") else differences
    found = list(compare(frozen, made))
    print(f"{name}: {len(found) or 'no'} differences, {seconds:.0f} s", flush=True)
    for line in found:
        print(f"  {line}", flush=True)
    return not found


def differences(frozen: Any, made: Any, place: str = "") -> Iterator[str]:
    """Yield a line for each place where two trees differ."""
    if isinstance(frozen, dict) and isinstance(made, dict):
        for key in [*frozen, *(key for key in made if key not in frozen)]:
            yield from differences(frozen.get(key), made.get(key), f"{place}/{key}")
    elif isinstance(frozen, list) and isinstance(made, list) and len(frozen) == len(made):
        for i, pair in enumerate(zip(frozen, made, strict=True)):
            yield from differences(*pair, f"{place}[{i}]")
    elif isinstance(frozen, list) and isinstance(made, list):
        was, now = ([json.dumps(item) for item in items] for items in (frozen, made))
        yield "\n    ".join([place, *unified_diff(was, now, "was", "is", n=0, lineterm="")])
    elif frozen != made:
        yield f"{place}\n    was {_short(frozen)}\n    is  {_short(made)}"


def _short(thing: Any) -> str:
    said = thing if isinstance(thing, str) else json.dumps(thing, ensure_ascii=False)
    return said if len(said) <= MOST else f"{said[:MOST]}... ({len(said)} characters)"


def _text(tree: Any) -> str:
    """Return the tree as JSON, with lines short enough for a diff and hardly longer than that."""
    return json.dumps(tree, indent=0, ensure_ascii=True, default=_plain)


def _plain(thing: Any) -> Any:
    return thing.item() if hasattr(thing, "item") else str(thing)


if __name__ == "__main__":
    sys.exit(main())
