"""Commands as they stand on a page: run, at toy size where they run for long, or else checked."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import typer
from click.testing import CliRunner

from gnri.cli import app

ROOT = Path(__file__).parents[2]
SMALLER = {
    "train recipes/gnri.toml": ["train", str(ROOT / "recipes" / "tiny.toml"), "--device", "cpu"],
    "train recipes/guided.toml": [
        *("train", str(ROOT / "recipes" / "guided-tiny.toml"), "--device", "cpu"),
        *("--out", "runs/guided-0"),
    ],
    "train recipes/critic.toml --init runs/guided-0/checkpoint --jobs 16": [
        *("train", str(ROOT / "recipes" / "critic-tiny.toml"), "--device", "cpu"),
        *("--init", "runs/guided-0/checkpoint"),
    ],
    "bench real": ["bench", "real", "--learners", "majority", "--sets", "monks-1"],
    "bench few": ["bench", "few", "--learners", "majority", "--sets", "monks-1"],
    "bench synthetic": ["bench", "synthetic", "--learners", "majority"],
}
"""Commands of ours that run for long, and the same at toy size."""

LONG = {"serve", "train", "bench", "reproduce"}
"""What else of these there is: its words are checked, and other tests run it at toy size."""

FEWER = {"fuzz": ["--inputs", "20"], "tests.reliability.determinism": ["--tasks", "1"]}
"""Modules that run for long, and the words that make them short."""


def printed_by(words: list[str]) -> str:
    """What a command prints; only its words are checked if it is none of ours, or runs long."""
    program, *rest = words
    match program.removeprefix(".venv/bin/"):
        case "gnri" if rest and rest[0] not in LONG:
            return _gnri(rest)
        case "gnri" if " ".join(rest) in SMALLER:
            check_words(rest)
            _gnri(SMALLER[" ".join(rest)])
        case "gnri":
            check_words(rest)
        case "make":
            targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
            assert [word for word in rest if word not in targets] == [], words
        case "pip":
            _check_install(rest)
        case "pytest":
            assert [w for w in rest if w.startswith("tests") and not (ROOT / w).exists()] == []
        case "python":
            _check_script(rest)
        case "cd" | "git":
            pass
        case other:
            raise AssertionError(f"nobody checks the command {other!r}")
    return ""


def _gnri(words: list[str]) -> str:
    done = CliRunner().invoke(typer.main.get_command(app), words)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, f"gnri {' '.join(words)}: {done.output}"
    return done.stdout


def check_words(words: list[str]) -> None:
    """Raise unless the words are those of a command, its options and its arguments."""
    command = typer.main.get_command(app)
    while hasattr(command, "commands"):
        command, words = command.commands[words[0]], words[1:]
    command.make_context("gnri", list(words))


def _check_install(words: list[str]) -> None:
    """Raise unless what is installed is this package, with extras that it has, or our tools."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    known = set(project["optional-dependencies"])
    for extra in re.findall(r"\[([\w,]+)\]", " ".join(words)):
        assert set(extra.split(",")) <= known, words


def _check_script(words: list[str]) -> None:
    """Raise unless the script, or the module behind -m, is there."""
    if words[:1] == ["-m"]:
        module = words[1].replace(".", "/")
        if words[1].split(".")[0] in ("tests", "fuzz"):
            assert (ROOT / f"{module}.py").is_file() or (ROOT / module).is_dir(), words
        if words[1] in FEWER:
            _run_module(words[1:])
        return
    assert not words or words[0].startswith("-") or (ROOT / words[0]).is_file(), words


def _run_module(words: list[str]) -> None:
    """Run a module of ours for a short while, on the CPU, with its figures going here."""
    where = ["--results", "."] if "determinism" in words[0] else []
    here = [word if word != "cuda" else "cpu" for word in words]
    done = subprocess.run(
        [sys.executable, "-m", *here, *FEWER[words[0]], *where],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{words}: {done.stderr}"
