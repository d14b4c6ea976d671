"""Sections on what a user sees: exports, the command line, and the page."""

import json
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from typer.testing import CliRunner

from gnri import RuleClassifier
from gnri.cli import app
from tests.corpus import adapters
from tests.corpus.rules import EXPORTS, digest
from tests.corpus.tasks import TARGET, tables

TIMED = ("seconds", "passes")
"""Parts of the JSON of `gnri induce` that depend on the machine."""

_SECONDS = re.compile(r"\d+\.\d s\b|(?<=, then )[\d,]+(?= over the packed rows)")
_VERSIONS = re.compile(r"gnri \d[^<]*Python [\d.]+")
_STYLE = re.compile(r"<style>.*?</style>|sha256-[^&']*", re.S)
_TAG = re.compile(r"<[^>]*>")


def exports() -> dict[str, Any]:
    """Return every export of three tables in full, and reasons for 20 rows."""
    return {name: _exports_of(frame) for name, frame in tables().items()}


def _exports_of(frame: pd.DataFrame) -> dict[str, Any]:
    rows, labels = frame.drop(columns=TARGET), frame[TARGET]
    learnt = RuleClassifier().fit(rows, labels)
    written = {export: getattr(learnt, export)().split("\n") for export in EXPORTS}
    return {
        **written,
        "to_json": [digest(learnt.to_json()), json.loads(learnt.to_json())],
        "to_sql": learnt.to_sql('odd "table"').split("\n"),
        "to_frame": learnt.to_frame().to_dict("records"),
        "explain": [adapters.explanation_of(one) for one in learnt.explain(rows.iloc[:20])],
        "summary": adapters.summary_of(learnt).split("\n"),
        "predict_proba": [score.hex() for score in learnt.predict_proba(rows.iloc[:20])[:, 1]],
    }


def report() -> dict[str, Any]:
    """Return the words of a page, without versions, and its markup."""
    found = {}
    for name, frame in tables().items():
        rows, labels = frame.drop(columns=TARGET), frame[TARGET]
        learnt = RuleClassifier().fit(rows[:150], labels[:150])
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "page.html"
            learnt.report(path, test=(rows[150:], labels[150:]), folds=3)
            page = _STYLE.sub("", _VERSIONS.sub("VERSIONS", path.read_text(encoding="utf-8")))
        words = [line.strip() for line in _TAG.sub("\n", page).split("\n")]
        found[name] = {"words": [line for line in words if line]}
        if name == "mixed":
            found[name]["markup"] = page.replace("><", ">\n<").split("\n")
    return found


def command_line() -> dict[str, Any]:
    """Return what the commands say of three tables: in memory, in parts and on workers."""
    with tempfile.TemporaryDirectory() as place, _workers() as scheduler:
        commands = Commands(Path(place))
        found = {
            name: {**_induced(commands, name, scheduler), **_after(commands, name)}
            for name in map(commands.write, tables().items())
        }
        return {**found, "refusals": _refusals(commands), "help": _help(commands)}


class Commands:
    """A folder of files, and commands that are run in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, named: tuple[str, pd.DataFrame]) -> str:
        """Write a table as one file, and shuffled as parts of both kinds; return its name."""
        name, frame = named
        parts = self.folder / f"{name}-parts"
        parts.mkdir()
        frame.to_csv(self.folder / f"{name}.csv", index=False)
        typed = frame.convert_dtypes()
        typed.to_parquet(self.folder / f"{name}.parquet", index=False)
        order = np.random.default_rng(0).permutation(len(frame))
        for i, rows in enumerate(np.array_split(order, 3)):
            frame.iloc[rows].to_csv(self.folder / f"{name}-{i}.part.csv", index=False)
            typed.iloc[rows].to_parquet(parts / f"part-{i}.parquet", index=False)
        return name

    def run(self, *words: str) -> list[Any]:
        """Return the exit code, and the lines on standard output and on standard error."""
        given = [word.replace("DIR", str(self.folder)) for word in words]
        result = CliRunner().invoke(app, given)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return [result.exit_code, *map(self._masked, (result.stdout, result.stderr))]

    def _masked(self, text: str) -> list[str]:
        plain = text.replace(str(self.folder), "DIR")
        return [line.rstrip() for line in _SECONDS.sub("#", plain).split("\n")]


def _induced(commands: Commands, name: str, scheduler: str) -> dict[str, Any]:
    ways = {
        "csv": [f"DIR/{name}.csv", "--estimate", "--out", f"DIR/{name}.json"],
        "parquet": [f"DIR/{name}.parquet", "--no-estimate"],
        "one pass": [f"DIR/{name}.csv", "--no-estimate", "--no-refine"],
        "gnri": [f"DIR/{name}.csv", "--no-estimate", "--model", "gnri"],
        "median": [f"DIR/{name}.csv", "--no-estimate", "--binarize", "median"],
        "short": [f"DIR/{name}.csv", "--no-estimate", "--max-clauses", "2", "--max-literals", "1"],
        "no negations": [f"DIR/{name}.csv", "--no-estimate", "--no-negations"],
        "budget": [f"DIR/{name}.csv", "--memory", "2GB"],
        "csv parts": [f"DIR/{name}-*.part.csv"],
        "parquet parts": [f"DIR/{name}-parts"],
        "workers": [f"DIR/{name}-*.part.csv", "--scheduler", scheduler],
    }
    return {way: _document(commands, words) for way, words in ways.items()}


def _document(commands: Commands, words: list[str]) -> Any:
    code, out, err = commands.run("induce", *words, "--target", TARGET, "--json")
    if code:
        return [code, err]
    document = json.loads("\n".join(out))
    rule_list = json.dumps(document.pop("rule_list"))
    return {key: said for key, said in document.items() if key not in TIMED} | {"rule_list": rule_list}


def _after(commands: Commands, name: str) -> dict[str, Any]:
    """Return what a person reads, and what the commands that follow `induce` write."""
    rule, table = f"DIR/{name}.json", f"DIR/{name}.csv"
    formats = ("text", "sql", "python", "prolog", "latex", "json")
    return {
        "screen": commands.run("induce", table, "--target", TARGET, "--estimate"),
        "screen in parts": commands.run("induce", f"DIR/{name}-*.part.csv", "--target", TARGET),
        "predict": commands.run("predict", rule, table),
        "export": {to: commands.run("export", rule, "--to", to) for to in formats},
        "audit": commands.run("audit", table, "--target", TARGET),
        "audit json": commands.run("audit", table, "--target", TARGET, "--json"),
    }


def _refusals(commands: Commands) -> dict[str, Any]:
    table = "DIR/mixed.csv"
    asked = (
        ("induce", table),
        ("induce", table, "--target", "z"),
        ("induce", table, "--target", "odor"),
        ("induce", table, "--target", TARGET, "--model", "none"),
        ("induce", table, "--target", TARGET, "--binarize", "none"),
        ("induce", table, "--target", TARGET, "--memory", "little"),
        ("induce", table, "--target", TARGET, "--memory", "1KB"),
        ("induce", table, "--target", TARGET, "--no-refine", "--max-clauses", "1"),
        ("induce", "DIR/none.csv", "--target", TARGET),
        ("induce", "DIR/none-*.csv", "--target", TARGET),
        ("predict", "DIR/none.json", table),
        ("predict", table, table),
        ("predict", "DIR/mixed.json", "DIR/numeric.csv"),
        ("export", "DIR/mixed.json", "--to", "none"),
        ("audit", table),
        ("none",),
    )
    return {" ".join(words): commands.run(*words) for words in asked}


def _help(commands: Commands) -> dict[str, int]:
    return {name: commands.run(name, "--help")[0] for name in ("induce", "predict", "export")}


@contextmanager
def _workers() -> Iterator[str]:
    """Start two workers here; give the address of their scheduler."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
    ) as found:
        yield found.scheduler_address
