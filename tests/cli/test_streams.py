"""Standard streams that are closed, full, in ASCII, or that nobody reads."""

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gnri.cli.console import output, write_text
from tests.cli.commands import one_line, run

GNRI = f"{sys.executable} -m gnri"
NASTY = "\x1b]52;c;aGk=\x07\x1b[2J\u202e"  # writes the clipboard, clears the screen, turns text
WRITTEN = r"\x1b]52;c;aGk=\x07\x1b[2J\u202e"


def shell(line: str, folder: Path, **changed: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", line.replace("gnri", GNRI, 1)],
        cwd=folder,
        env={**os.environ, **changed},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("gnri predict r.json - <&-", 2, "standard input is empty"),
        ("gnri predict r.json t.csv >&-", 2, "standard output cannot be used: Bad file descriptor"),
        ("gnri induce t.csv --target class --no-estimate >&-", 2, "standard output cannot be used"),
        ("gnri predict r.json t.csv > /dev/full", 2, "standard output .*: No space left on device"),
        ("gnri --help >&-", 2, "standard output cannot be used"),
        ("gnri predict r.json t.csv 2>&-", 0, ""),
        ("gnri induce t.csv --target class --no-estimate 2>&-", 0, ""),
        ("gnri predict r.json none.csv 2>&-", 2, ""),
        ("gnri predict r.json t.csv <&- >&- 2>&-", 2, ""),
        ("gnri predict r.json t.csv | true", 0, ""),
        ("gnri export r.json | true", 0, ""),
        ("gnri induce t.csv --target class | true", 0, ""),
        ("gnri --help | true", 0, ""),
    ],
)
def test_any_stream_is_answered_in_one_line(
    line: str, code: int, said: str, table: Path, rule: Path
) -> None:
    folder = table.parent
    (folder / "r.json").write_bytes(rule.read_bytes())
    (folder / "t.csv").write_bytes(table.read_bytes())
    done = shell(line, folder)
    assert done.returncode == code, done.stderr
    assert re.fullmatch(f"gnri: .*{said}.*\n" if said else "", done.stderr), done.stderr


def test_in_ascii_a_screen_is_escaped_and_a_file_is_utf8(tmp_path: Path) -> None:
    rows = "".join(f"{i % 2},{'né'[i % 2]}\n" for i in range(21))
    (tmp_path / "t.csv").write_text(f"ä,ü\n{rows}")
    line = "gnri induce t.csv --target ü --no-estimate --out r.json"
    done = shell(line, tmp_path, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert r"\xfc: n 11, \xe9 10" in done.stdout
    done = shell("gnri predict r.json t.csv", tmp_path, PYTHONIOENCODING="ascii")
    assert done.stdout.splitlines()[:3] == ["ä,ü,prediction", "0,n,n", "1,é,é"]


def test_an_output_that_is_standard_output_is_written_into(table: Path, tmp_path: Path) -> None:
    line = f"gnri induce {table} --target class --no-estimate --out"
    for name in ("/dev/stdout", "both"):
        (tmp_path / "both").write_text("kept\n")
        done = shell(f"{line} {name} >> both", tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        kept, rules, *printed = (tmp_path / "both").read_text().splitlines()
        assert (kept, rules[:11], bool(printed)) == ("kept", '{"format": ', True)


def test_a_pipe_without_a_writer_is_waited_for_with_a_word(table: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    line = f"gnri induce pipe --target class --no-estimate & sleep 4; cat {table} > pipe; wait $!"
    done = shell(line, tmp_path)
    assert (done.returncode, done.stdout[:5]) == (0, "pipe:")
    assert done.stderr == "gnri: reading pipe until its writer closes it\n"
    assert "pipe cannot be read twice" in one_line(
        run("induce", tmp_path / "pipe", "--target", "class", "--memory", "1GB")
    )


@pytest.mark.parametrize("way", [(), ("--memory", "1GB")])
def test_what_a_file_holds_is_not_obeyed_by_a_terminal(
    way: tuple[str, ...], tmp_path: Path
) -> None:
    path = tmp_path / f"{NASTY}.csv"
    rows = "".join(f"{i % 2},1,,{'np'[i % 2]}{NASTY}\n" for i in range(21))
    target = f"y{NASTY}\nheld out  100 %"
    path.write_text(f'a,b{NASTY},c{NASTY},"{target}"\n{rows}')
    done = run("induce", path, "--target", target, *way)
    assert done.exit_code == 0 and WRITTEN in done.stdout
    assert done.stdout.replace("\n", "").isprintable()
    assert "\nheld out  100 %:" not in done.stdout
    for words in (("induce", path, "--target", NASTY), ("audit", path), ("predict", path, path)):
        assert one_line(run(*words)).isprintable()


def test_on_a_terminal_what_is_written_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    for terminal in (True, False):
        stream = io.TextIOWrapper(io.BytesIO())
        monkeypatch.setattr(stream, "isatty", lambda terminal=terminal: terminal)
        monkeypatch.setattr(sys, "stdout", stream)
        write_text(f"a\t{NASTY}\n", None)
        found = stream.buffer.getvalue().decode()  # type: ignore[attr-defined]
        assert found == f"a\t{WRITTEN if terminal else NASTY}\n"


def test_whatever_is_printed_on_the_screen_is_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    output().print(f"{NASTY}\nheld out", soft_wrap=True)
    shown = capsys.readouterr().out
    assert shown.replace("\n", "").isprintable() and r"\x1b[2J\u202e" in shown
