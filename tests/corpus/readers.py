"""Sections on readers: 20,000 odd inputs each, and what becomes of every one of them.

Of each input a mark and a digest are kept: `a` where all is accepted, `p` where a column or the
labels are refused, `r` where the whole is, `x` where something else than a refusal is raised.
What refusals say is kept apart, as other words are not another judgement.
"""

import json
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from pprint import pprint
from typing import Any

from typer.testing import CliRunner

from gnri import parse
from gnri.cli import app
from tests.corpus import adapters, hostile, hostile_rules
from tests.corpus.rules import digest

COUNT = 20_000
FITS = 400
"""Tables that are not only read, but learnt from: in memory and in parts."""

ON_A_LINE = 20

READERS: dict[str, tuple[Callable[[int, Path], Any], int]] = {}


def _reader(name: str, count: int) -> Callable[[Any], Any]:
    def add(work: Callable[[int, Path], Any]) -> Callable[[int, Path], Any]:
        READERS[name] = (work, count)
        return work

    return add


_mild = partial(hostile.table, mild=True)


@_reader("memory", COUNT)
def _memory(number: int, folder: Path) -> Any:
    return adapters.read_memory(_file(hostile.table(number), folder))


@_reader("parts", COUNT)
def _parts(number: int, folder: Path) -> Any:
    return adapters.read_parts(_file(hostile.table(number), folder))


@_reader("rules", COUNT)
def _rules(number: int, folder: Path) -> Any:
    return adapters.read_rules(_file(hostile_rules.rule_list(number), folder))


@_reader("text", COUNT)
def _text(number: int, folder: Path) -> Any:
    text = hostile_rules.rule(number)
    names = list(hostile_rules.RULE_NAMES) if number % 2 or "=" in text else None
    judge = adapters.Scorer()
    found = judge.ask(parse, text, names)
    said = {"names": [str(found), repr(found)]} if found is not None else {"refused": True}
    return {**said, "refusals": judge.refusals}


@_reader("induce", FITS)
def _induce(number: int, folder: Path) -> Any:
    """Learn from a table by the command, in memory and in parts; y is its label."""
    path = str(_file(_mild(number), folder))
    found: dict[str, Any] = {"refusals": []}
    for way in (["--no-estimate"], ["--memory", "2GB"]):
        words = ["induce", path, "--target", "y", "--json", *way]
        result = CliRunner().invoke(app, words)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            found[way[0]] = f"x{type(result.exception).__name__}"
        elif result.exit_code:
            found["refusals"].append(("exit", result.stderr))
        else:
            document = json.loads(result.stdout)
            kept = ("text", "classes", "rule_list", "columns")
            found[way[0]] = {key: document[key] for key in kept}
    return {**found, "refused": len(found["refusals"]) == 2}


def section(name: str) -> Callable[[], dict[str, list[str]]]:
    """Return what makes the section of a reader."""
    return partial(_judged, name)


def _judged(name: str) -> dict[str, list[str]]:
    work, count = READERS[name]
    with tempfile.TemporaryDirectory(dir=_scratch()) as place:
        found = [judge(partial(work, number, Path(place)), Path(place)) for number in range(count)]
    judgements, wording = ([pair[i] for pair in found] for i in (0, 1))
    return {"judgements": _lines(judgements), "wording": _lines(wording)}


def judge(work: Callable[[], Any], folder: Path) -> tuple[str, str]:
    """Return a mark with a digest of what was answered, and a digest of what refusals say."""
    try:
        found = work()
    except Exception as error:
        return f"x{type(error).__name__}", "-"
    refusals = found.pop("refusals")
    said = json.dumps(refusals).replace(str(folder), "DIR")
    wording = digest(said)[:6] if refusals else "-"
    if found.get("refused"):
        return "r", wording
    return f"{'p' if refusals else 'a'}{digest(found)[:10]}", wording


def show(name: str, number: int, frozen: Path) -> None:
    """Print an input of a reader, what is kept of it, and what becomes of it now."""
    names = ("memory", "parts") if name in ("memory", "parts") else (name,)
    makers = {"rules": hostile_rules.rule_list, "text": hostile_rules.rule, "induce": _mild}
    made = makers.get(name, hostile.table)(number)
    print(made)
    with tempfile.TemporaryDirectory(dir=_scratch()) as place:
        for one in names:
            work = partial(READERS[one][0], number, Path(place))
            kept = json.loads((frozen / f"readers-{one}.json").read_text(encoding="utf-8"))
            was = [_items(kept[key])[number] for key in ("judgements", "wording")]
            print(f"{one}: was {was}, is {list(judge(work, Path(place)))}")
            try:
                pprint(work(), width=100, sort_dicts=False)
            except Exception as error:
                print(f"raised {type(error).__name__}: {error}")


def differences(frozen: dict[str, list[str]], made: dict[str, list[str]]) -> list[str]:
    """Return a line for each input that is judged in another way, or refused in other words."""
    lines = []
    for key in made:
        pairs = list(zip(_items(frozen[key]), _items(made[key]), strict=True))
        lines += [
            f"{key} of {i}: was {was}, is {now}" for i, (was, now) in enumerate(pairs) if was != now
        ]
    return lines


def _file(made: tuple[bytes, str], folder: Path) -> Path:
    data, ending = made
    path = folder / f"it{ending}"
    path.write_bytes(data)
    return path


def _lines(items: list[str]) -> list[str]:
    return [" ".join(items[i : i + ON_A_LINE]) for i in range(0, len(items), ON_A_LINE)]


def _items(lines: list[str]) -> list[str]:
    return [item for line in lines for item in line.split(" ")]


def _scratch() -> Path | None:
    memory = Path("/dev/shm")
    return memory if memory.is_dir() else None
