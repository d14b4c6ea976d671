"""`gnri induce --transitions`."""

import json
from pathlib import Path

import pytest

from tests.cli.commands import one_line, run
from tests.transitions.networks import INOUE, Network


@pytest.fixture
def inoue(tmp_path: Path) -> Path:
    path = tmp_path / "inoue.csv"
    path.write_text(as_csv(INOUE, "'"))
    return path


def as_csv(network: Network, mark: str) -> str:
    names = list(network.rules)
    lines = [", ".join([*names, *(f"{name}{mark}" for name in names)])]
    for state in network.states():
        lines.append(",".join(map(str, [*state.values(), *network.step(state).values()])))
    return "\n".join(lines) + "\n"


def test_the_program_is_the_published_one(inoue: Path) -> None:
    result = run("induce", inoue, "--transitions")
    assert result.exit_code == 0, result.output
    assert "reproduces 8 of 8 transitions" in result.stdout
    rules = [line for line in result.stdout.splitlines() if not line.startswith(("%", "#"))]
    assert rules == ["p(t+1) :- q(t).", "q(t+1) :- p(t), r(t).", "r(t+1) :- not p(t)."]


def test_python_steps_as_the_network(inoue: Path, tmp_path: Path) -> None:
    out = tmp_path / "system.py"
    assert run("induce", inoue, "--transitions", "--format", "python", "--out", out).exit_code == 0
    space: dict[str, object] = {}
    exec(out.read_text(), space)
    step = space["step"]
    assert callable(step)
    assert [step(state) for state in INOUE.states()] == [INOUE.step(s) for s in INOUE.states()]


def test_json_and_the_other_mark(tmp_path: Path) -> None:
    path = tmp_path / "inoue.csv"
    path.write_text(as_csv(INOUE, "_next"))
    found = json.loads(run("induce", path, "--transitions", "--json").stdout)
    assert found["variables"] == ["p", "q", "r"]
    assert (found["transitions"], found["reproduced"]) == (8, 8)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--format", "fortran"),
            "--format must be program or python with --transitions; got 'fortran'",
        ),
        (("--target", "p"), "leave --target out"),
        (("--report", "page.html", "--no-negations"), "leave --report and --negations out"),
        (("--ignore", "p", "--max-clauses", "0"), "leave --ignore and --max-clauses out"),
        (("--model", "nonsense", "--memory", "1"), "leave --memory and --model out"),
        (("--no-refine", "--binarize", "auto"), "leave --refine and --binarize out"),
        (("--max-literals", "1", "--no-estimate"), "leave --estimate and --max-literals out"),
        (("--scheduler", "tcp://host:1"), "leave --scheduler out"),
    ],
)
def test_a_wrong_wish(inoue: Path, words: tuple[str, ...], message: str) -> None:
    assert message in one_line(run("induce", inoue, "--transitions", *words))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x,y\n0,1\n", "must be variables and their next values"),
        ("x,z'\n0,1\n", "has no column of its own"),
        ("x,x'\n0,2\n", "got '2' in row 1"),
        ("x,x'\n0,\n", "states are 0 or 1"),
        ("x,x'\n0,1\n1,0\n0,0\n", "rows 1 and 3 below the header"),
        ("x,x',x_next\n0,1,1\n", "two columns of the next value of x"),
    ],
)
def test_transitions_that_cannot_be(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "wrong.csv"
    path.write_text(text)
    assert message in one_line(run("induce", path, "--transitions"))
