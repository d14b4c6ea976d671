"""Commands as they stand on a page: run as they are, or at toy size where they run for long.

What cannot be run here is in `DRY`, with the reason.
"""

import csv
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from random import Random
from unittest.mock import patch
from urllib.request import urlopen

import typer
from click.testing import CliRunner

from gnri.cli import app
from studies.__main__ import app as studies

ROOT = Path(__file__).parents[2]
SMALLER = {
    "train recipes/gnri.toml": ["train", str(ROOT / "recipes" / "tiny.toml"), "--device", "cpu"],
    "train recipes/gnri-wide.toml": ["train", str(ROOT / "recipes/tiny.toml"), "--device", "cpu"],
    "train recipes/guided.toml": [
        *("train", str(ROOT / "recipes" / "guided-tiny.toml"), "--device", "cpu"),
        *("--out", "runs/guided-0", "--set", "train.steps=10"),
    ],
    "train recipes/critic.toml --init runs/guided-0/checkpoint --jobs 16": [
        *("train", str(ROOT / "recipes" / "critic-tiny.toml"), "--device", "cpu"),
        *("--init", "runs/guided-0/checkpoint"),
    ],
    "bench real": ["bench", "real", "--learners", "majority", "--sets", "monks-1"],
    "bench few": ["bench", "few", "--learners", "majority", "--sets", "monks-1"],
    "bench synthetic": ["bench", "synthetic", "--learners", "cart"],
    "bench own folder": ["bench", "own", "folder", "--learners", "majority,cart"],
    "reproduce --render": ["reproduce", "--render", "cost", "lift"],
    "reproduce --tiny all": [
        *("reproduce", "--tiny", "scaling", "--device", "cpu"),
        *("--only", "seed=42", "--only", "atoms=6", "--only", "condition=gnri"),
    ],
}
"""Commands of ours that run for long, and the same at toy size."""

KEPT = {
    "bench numeric": {"set": "iris", "learner": "cart"},
    "bench synthetic": {"atoms": "6", "learner": "cart"},
    "reproduce scaling": {},
    "reproduce rule_eq": {},
    "reproduce capability --jobs 2": {},
    "reproduce --render": {},
}
"""Commands that measure what is missing: run beside the committed rows without these, as they are
but for those that are in `SMALLER` too.
The studies of the paper have networks that are not in the repository, so nothing is missing there
and they draw; `SMALLER` measures one at toy size."""

FEWER = {
    "fuzz": ["--inputs", "20"],
    "tests.reliability.determinism": ["--tasks", "1"],
    "tests.reliability.parity": ["--rows", "50"],
    "tests.reliability.false_alarms": ["--halves", "1", "--no-estimate"],
    "benchmarks.cuda": ["--tasks", "1", "--repeats", "1", "--device", "cpu:0"],
}
"""Modules that run for long, and the words that make them short."""

DRY = {
    "make setup": "asks the package index; .ci/run runs it",
    "make check": "is the first half of the make test that runs this; .ci/run runs that",
    "make test": "is what runs this; .ci/run runs it",
    "make test-browser": "is run by .ci/run",
    "make test-studies": "is run by .ci/run",
    "make goldens": "writes the kept rules and the pages themselves; .ci/run runs it",
    "make sbom": "asks the package index",
    "make audit": "asks the package index and a database of vulnerabilities",
    "python -m tests.reliability.wheel": "asks the package index",
    "python -m tests.reliability.attacks": "takes minutes; tests have each in small",
    "python -m tests.reliability.soak": "is run for a short while by .ci/run",
}
"""What is not run: make only says what it would do, and a module has to be there."""

FINDINGS = {"watch": 3, "verify": 1}
"""Commands of ours whose exit code says what they found."""

CLUSTER = "tcp://host:8786"
"""A cluster on a page; here it is one of this machine."""


def printed_by(words: list[str]) -> str:
    """What a command of ours prints; any other is run, or else checked."""
    program, *rest = words
    match program.removeprefix(".venv/bin/"):
        case "gnri" if rest[:1] == ["serve"]:
            _serve(rest)
        case "python" if rest[:2] == ["-m", "studies"]:
            return _study(rest[2:])
        case "gnri" if CLUSTER in rest:
            with _cluster() as address:
                _gnri([address if word == CLUSTER else word for word in rest])
        case "gnri":
            return _gnri(rest)
        case "make":
            _make(rest)
        case "pip":
            _pip(rest)
        case "pytest":
            _run("-m", "pytest", "--quiet", "-p", "no:benchmark", *rest, folder=ROOT)
        case "python":
            _python(rest)
        case other:
            raise AssertionError(f"nobody checks the command {other!r}")
    return ""


def _study(words: list[str]) -> str:
    """Run a command of the studies, at toy size where it runs for long."""
    said = " ".join(words)
    check_words(words, studies)
    _bring_rows(KEPT.get(said))
    return _invoke(studies, SMALLER.get(said, words))


def lay_out(folder: Path) -> None:
    """The files that commands in the text of a page name, small ones."""
    import pyarrow
    from pyarrow import parquet

    random = Random(0)
    rows = [{name: random.choice(values) for name, values in _MUSHROOM.items()} for _ in range(120)]
    for row in rows:
        row["class"] = "bad" if row["odor"] == "foul" or row["spore"] == "green" else "good"
    for name in ("mushroom.csv", "new.csv"):
        with (folder / name).open("w", newline="") as file:
            table = csv.DictWriter(file, rows[0])
            table.writeheader()
            table.writerows(rows)
    (folder / "folder").mkdir()
    labelled = [{"label" if key == "class" else key: row[key] for key in row} for row in rows]
    for name in ("part-0.parquet", "part-1.parquet", "folder/0.parquet"):
        parquet.write_table(pyarrow.Table.from_pylist(labelled), folder / name)
    _gnri(["induce", f"{folder}/mushroom.csv", "--target", "class", "--out", f"{folder}/rule.json"])


_MUSHROOM = {
    "odor": ("foul", "none", "almond"),
    "spore": ("green", "white", "brown"),
    "bruises": ("yes", "no"),
}


def _serve(words: list[str]) -> None:
    """Start the server on a free port, ask for its page, and end it as Ctrl+C does."""
    check_words(words)
    command = [sys.executable, "-m", "gnri", *words, "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as served:
        assert served.stdout is not None
        line = served.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+/", line)
        assert found is not None, line
        with urlopen(found[0]) as page:
            assert b"<h1" in page.read()
        served.send_signal(signal.SIGINT)
        assert served.wait(20) in (0, 130, -signal.SIGINT)


def _bring_rows(missing: dict[str, str] | None) -> None:
    """The committed figures in the folder of the page, without the rows that are to be missing."""
    if missing is None:
        return
    shutil.copytree(ROOT / "results", "results", dirs_exist_ok=True)
    for path in Path("results").glob("*.csv") if missing else ():
        with path.open(newline="") as file:
            reader = csv.DictReader(file)
            names, rows = reader.fieldnames or [], list(reader)
        if missing.keys() <= set(names):
            kept = [row for row in rows if {key: row[key] for key in missing} != missing]
            with path.open("w", newline="") as file:
                table = csv.DictWriter(file, names, lineterminator="\n")
                table.writeheader()
                table.writerows(kept)


@contextmanager
def _cluster() -> Iterator[str]:
    from distributed import LocalCluster

    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as found:
        yield found.scheduler_address


def _make(targets: list[str]) -> None:
    """Run the targets; what would set up the environment is taken to be done."""
    done = Path(sys.prefix) / ".installed"
    for target in targets:
        dry = ["--dry-run"] if f"make {target}" in DRY else []
        command = ["make", *dry, f"VENV={sys.prefix}", f"--old-file={done}", target]
        _checked(command, ROOT, os.environ | {"MAKEFLAGS": ""})


def _pip(words: list[str]) -> None:
    """Ask pip for the same, of what is installed: to build this package would take the index."""
    ours = [re.sub(r"^\.(?=\[|$)", "gnri", word) for word in words]
    said = _run("-m", "pip", *ours, "--dry-run", "--no-index")
    assert "does not provide the extra" not in said, said


def _python(words: list[str]) -> None:
    """Run a module of ours for a short while, or a module or script as it is."""
    match words:
        case ["-m", "venv", *rest]:
            _run("-m", "venv", "--without-pip", *rest)  # pip takes longer than all the rest
        case ["-m", module, *_] if module in FEWER:
            _run_module(words[1:])
        case ["-m", module, *_] if f"python -m {module}" in DRY:
            assert (ROOT / f"{module.replace('.', '/')}.py").is_file(), words
        case _:
            raise AssertionError(f"nobody runs {words}")


def _run(*words: str, folder: Path | None = None) -> str:
    return _checked([sys.executable, *words], folder, dict(os.environ))


def _checked(command: list[str], folder: Path | None, environment: dict[str, str]) -> str:
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def _gnri(words: list[str]) -> str:
    return _invoke(app, words)


def _invoke(application: typer.Typer, words: list[str]) -> str:
    done = CliRunner().invoke(typer.main.get_command(application), words)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    found = FINDINGS.get(words[0], 0)
    assert done.exit_code in (0, found), f"{' '.join(words)}: {done.output}"
    return done.stdout


def check_words(words: list[str], application: typer.Typer = app) -> None:
    """Raise unless the words are those of a command, its options and its arguments."""
    command = typer.main.get_command(application)
    while hasattr(command, "commands"):
        command, words = command.commands[words[0]], words[1:]
    command.make_context("gnri", list(words))


def _run_module(words: list[str]) -> None:
    """Run a module of ours for a short while, on the CPU, with its figures going here.

    In this process, where what it imports is loaded already.
    """
    where = ["--results", "."] if "determinism" in words[0] else []
    here = [word if word != "cuda" else "cpu" for word in words]
    module = import_module(words[0] if "." in words[0] else f"{words[0]}.__main__")
    with patch.object(sys, "argv", [*here, *FEWER[words[0]], *where]):
        assert not module.main(), words
