"""What a command writes destroys nothing that it reads, and nothing else that it writes."""

import os
import stat
import sys
import threading
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest

from gnri.atomic_write import write_atomically
from tests.cli.commands import csv_text, one_line, run

STATES = "x,y,x',y'\n0,0,0,0\n0,1,1,0\n1,0,0,1\n1,1,1,1\n"


@pytest.fixture
def folder(tmp_path: Path, rule: Path) -> Path:
    (tmp_path / "t.csv").write_text(csv_text())
    (tmp_path / "n.csv").write_text(csv_text())
    (tmp_path / "states.csv").write_text(STATES)
    (tmp_path / "r.json").write_bytes(rule.read_bytes())
    (tmp_path / "parts").mkdir()
    for i in range(2):
        (tmp_path / "parts" / f"part-{i}.csv").write_text(csv_text())
    return tmp_path


def held(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _same(path: Path) -> Path:
    return path


def _roundabout(path: Path) -> Path:
    return path.parent / "parts" / ".." / path.name


def _relative(path: Path) -> Path:
    return Path(os.path.relpath(path))


def _link(path: Path) -> Path:
    link = path.with_name("link")
    link.symlink_to(path.name)
    return link


def _hard_link(path: Path) -> Path:
    link = path.with_name("hard")
    link.hardlink_to(path)
    return link


COMMANDS = {
    "induce": ("t.csv", ("induce", "t.csv", "--target", "class", "--out")),
    "induce page": ("t.csv", ("induce", "t.csv", "--target", "class", "--report")),
    "induce keep": (
        "r.json",
        ("induce", "t.csv", "--target", "class", "--keep", "r.json", "--out"),
    ),
    "transitions": ("states.csv", ("induce", "states.csv", "--transitions", "--out")),
    "predict rule": ("r.json", ("predict", "r.json", "t.csv", "--out")),
    "predict table": ("t.csv", ("predict", "r.json", "t.csv", "--out")),
    "watch rule": ("r.json", ("watch", "r.json", "t.csv", "--report")),
    "watch table": ("t.csv", ("watch", "r.json", "t.csv", "--report")),
    "watch training": ("n.csv", ("watch", "r.json", "t.csv", "--training", "n.csv", "--report")),
    "dossier": ("t.csv", ("audit", "t.csv", "--target", "class", "--dossier")),
    "export": ("r.json", ("export", "r.json", "--format", "sql", "--out")),
}


@pytest.mark.parametrize("format_value", [_same, _roundabout, _relative, _link, _hard_link])
@pytest.mark.parametrize("name", COMMANDS)
def test_an_input_is_never_an_output(
    name: str, format_value: Callable[[Path], Path], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    target, words = COMMANDS[name]
    out = format_value(folder / target)
    before = held(folder)
    assert f"{out} is read, so it cannot be written too" in one_line(run(*words, out))
    assert held(folder) == before


@pytest.mark.parametrize("out", ["parts/part-0.csv", "parts/part-9.csv", "link.csv"])
@pytest.mark.parametrize("given", ["parts", "parts/part-*.csv"])
def test_an_output_is_none_of_the_parts(given: str, out: str, folder: Path) -> None:
    (folder / "link.csv").symlink_to(folder / "parts" / "part-1.csv")
    before = held(folder)
    words = ("induce", folder / given, "--target", "class", "--out", folder / out)
    assert "is read, so it cannot be written too" in one_line(run(*words))
    assert held(folder) == before


def test_a_file_beside_the_parts_can_be_written(folder: Path) -> None:
    words = ("induce", folder / "parts" / "part-*.csv", "--target", "class", "--out")
    assert run(*words, folder / "parts" / "rule.json").exit_code == 0
    assert run("export", folder / "parts" / "rule.json").exit_code == 0


@pytest.mark.parametrize("there", [False, True])
def test_two_outputs_are_two_files(folder: Path, there: bool) -> None:
    if there:
        (folder / "new").write_text("kept")
    (folder / "link").symlink_to("new")
    before = held(folder)
    for other in (folder / "new", folder / "parts" / ".." / "new", folder / "link"):
        words = ("induce", folder / "t.csv", "--target", "class", "--out", folder / "new")
        assert "two things would be written to" in one_line(run(*words, "--report", other))
    assert held(folder) == before


def test_standard_input_may_be_a_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (folder / "t.csv").open() as given:
        monkeypatch.setattr(sys, "stdin", given)
        from gnri.cli.console import check_outputs
        from gnri.errors import GnriError

        check_outputs([folder / "r.json"], ["-"])
        with pytest.raises(GnriError, match=r"t\.csv is read"):
            check_outputs([folder / "t.csv"], ["-"])


def test_a_link_stays_and_its_target_is_replaced(folder: Path) -> None:
    (folder / "real.json").write_text("old")
    for name, target in (("link", "real.json"), ("to nothing yet", "parts/new.json")):
        (folder / name).symlink_to(target)
        words = ("export", folder / "r.json", "--format", "json", "--out", folder / name)
        assert run(*words).exit_code == 0
        assert (folder / name).is_symlink()
        assert (folder / target).read_text().startswith("{")


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_a_file_that_is_replaced_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(mode)
    write_atomically(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert path.read_bytes() == b"new"


def test_what_is_no_file_is_written_into(folder: Path) -> None:
    pipe, got = folder / "pipe", list[bytes]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()), daemon=True)
    reader.start()
    assert run("export", folder / "r.json", "--format", "json", "--out", pipe).exit_code == 0
    reader.join(timeout=60)
    assert pipe.is_fifo() and got[0].startswith(b"{")


def test_a_link_that_leads_round_is_refused(folder: Path) -> None:
    (folder / "one").symlink_to("two")
    (folder / "two").symlink_to("one")
    one_line(run("export", folder / "r.json", "--out", folder / "one"))
    assert (folder / "one").is_symlink()


def test_the_version_is_printed() -> None:
    assert run("--version").stdout == f"gnri {version('gnri')}\n"
