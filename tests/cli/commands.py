"""Commands as a user types them, and a table to type them about."""

from pathlib import Path

from typer.testing import CliRunner, Result

from gnri.cli import app

ROWS = [
    ("foul", "12.5", "true", "bad"),
    ("foul", "9", "false", "bad"),
    ("none", "3", "true", "good"),
    ("none", "2.5", "false", "good"),
    ("almond", "3", "true", "good"),
    ("none", "11", "true", "bad"),
    ("almond", "10", "false", "bad"),
    ("none", "", "true", "good"),
] * 5
"""Bad if the number is large; foul ones are, and one cell in eight is missing."""

HEADER = "odor,height,bruises,class"


def run(*words: str | Path, given: bytes | str | None = None) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], input=given)


def csv_text(separator: str = ",") -> str:
    lines = [HEADER, *map(",".join, ROWS)]
    return "\n".join(lines).replace(",", separator) + "\n"


def one_line(result: Result) -> str:
    """What a mistake was answered with: one line on standard error, exit code 2, nothing else."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("gnri: ")
    return line
