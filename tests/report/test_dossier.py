"""A dossier can be made again from any copy of the table; what was changed in it is named."""

import json
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from gnri.data.sources import read_table
from gnri.errors import GnriError
from gnri.report import verification
from gnri.report.dossier import CONTENTS, DossierOptions, identify_table, make_dossier
from tests.cli.commands import one_line, run
from tests.report.test_watch import loans

OPTIONS = ("--target", "granted", "--group", "owner", "--resamples", "2", "--form", "dnf")


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "loans.csv"
    loans(80, seed=1).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def original(table: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dossiers") / "original"
    found = run("audit", table, *OPTIONS, "--dossier", folder)
    assert found.exit_code == 0, found.output
    return folder


@pytest.fixture(scope="module")
def again() -> Iterator[None]:
    """Make a dossier of the same table with the same options once for all tests."""
    made: dict[Any, dict[str, bytes]] = {}

    def make(table: Any, options: DossierOptions, report: Any) -> dict[str, bytes]:
        key = options, identify_table(table, options)[1]["sha256"]
        if key not in made:
            made[key] = make_dossier(table, options, report)
        return made[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verification, "make_dossier", make)
        yield


@pytest.fixture
def copy(original: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "copy"
    folder.mkdir()
    for path in original.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_copy_in_another_order_gives_the_same_bytes(
    original: Path, table: Path, tmp_path: Path
) -> None:
    assert set(contents(original)) == set(CONTENTS)
    shuffled = pd.read_csv(table).sample(frac=1, random_state=0)
    other = tmp_path / "other.parquet"
    shuffled[[*reversed(shuffled.columns)]].to_parquet(other, index=False)
    assert run("audit", other, *OPTIONS, "--dossier", tmp_path / "two").exit_code == 0
    assert contents(tmp_path / "two") == contents(original)


def test_no_path_and_no_row_is_in_it(original: Path, table: Path) -> None:
    whole = b"".join(contents(original).values()).decode()
    assert str(table.parent) not in whole and table.name not in whole
    assert "provenance" not in whole
    lines = table.read_text().splitlines()[1:]
    assert not any(line in whole for line in lines)


@pytest.mark.usefixtures("again")
def test_an_untouched_dossier_is_accepted(copy: Path, table: Path) -> None:
    found = run("verify", copy, table)
    assert found.exit_code == 0, found.output
    assert found.stdout.startswith("all of it was done again, and is the same; SHA-256 of manifest")
    assert sha256((copy / "manifest.json").read_bytes()).hexdigest() in found.stdout
    alone = run("verify", copy)
    assert alone.exit_code == 0 and "its files agree" in alone.stdout


@pytest.mark.usefixtures("again")
def test_another_machine_may_differ_in_versions_and_last_digits(copy: Path, table: Path) -> None:
    edit(copy, "model.json", lambda one: one["versions"].update(numpy="2.0.0"))
    edit(copy, "validation.json", lambda one: one.update(accuracy=one["accuracy"] + 1e-12))
    found = run("verify", copy, table)
    assert found.exit_code == 0, found.output
    assert "note: model.json: versions.numpy: '2.0.0' there" in found.stdout


def edit(folder: Path, name: str, change: Callable[[Any], object], *, sign: bool = True) -> None:
    """Change a file of a dossier and, to hide that, its hash in the manifest."""
    document = json.loads((folder / name).read_text())
    change(document)
    write(folder, name, json.dumps(document, indent=1) + "\n", sign=sign)


def write(folder: Path, name: str, text: str, *, sign: bool = True) -> None:
    (folder / name).write_text(text)
    if sign and name != "manifest.json":
        manifest = json.loads((folder / "manifest.json").read_text())
        manifest["files"][name] = sha256(text.encode()).hexdigest()
        (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")


def _turn_rule(document: Any) -> None:
    rule = document["steps"][0]["rule"]
    rule["clauses"][0][0][1] = not rule["clauses"][0][0][1]


def _nudge_cut(document: Any) -> None:
    next(one for one in document["atoms"] if "cut" in one)["cut"] *= 1 + 1e-12


def _replace_in_text(folder: Path) -> None:
    write(folder, "rule.txt", (folder / "rule.txt").read_text().replace("income", "outcome"))


CHANGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "an edited rule": (
        lambda d: edit(d, "rule.json", _turn_rule),
        "rule.json: steps[0].rule.clauses[0][0][1]: True there, False here",
    ),
    "a threshold moved by little": (
        lambda d: edit(d, "rule.json", _nudge_cut),
        "rule.json: atoms[3].cut: 19.000000000019 there",
    ),
    "an edited rule, its hash kept": (
        lambda d: edit(d, "rule.json", _turn_rule, sign=False),
        "rule.json: its SHA-256 is not that in the manifest",
    ),
    "the rule in other words": (_replace_in_text, "rule.txt: is not the rule in rule.json"),
    "a changed figure": (
        lambda d: edit(d, "validation.json", lambda one: one.update(accuracy=0.999)),
        "validation.json: accuracy: 0.999 there",
    ),
    "changed evidence": (
        lambda d: edit(d, "evidence.json", lambda one: one[0]["clauses"][0].update(hits=3)),
        "evidence.json: [0].clauses[0].hits: 3 there",
    ),
    "a missing file": (lambda d: (d / "groups.json").unlink(), "groups.json: missing"),
    "a new file": (lambda d: write(d, "more.txt", "1", sign=False), "more.txt: is no part of"),
    "changed class counts": (
        lambda d: edit(d, "data.json", lambda one: one["classes"].update(no=1)),
        "data.json: classes.no: 1 there",
    ),
    "a changed seed": (
        lambda d: edit(d, "manifest.json", lambda one: one["options"].update(seed=7)),
        "symmetry.json: seed: 0 there, 7 here",
    ),
    "a truncated manifest": (
        lambda d: write(d, "manifest.json", (d / "manifest.json").read_text()[:100]),
        "manifest.json: cannot be read",
    ),
    "other weights": (
        lambda d: edit(d, "model.json", lambda one: one.update(sha256="0" * 64)),
        "model.json: sha256: '0000",
    ),
    "a better group": (
        lambda d: edit(
            d, "groups.json", lambda one: one["groups"][0]["classes"]["yes"].update(selected=0)
        ),
        "groups.json: groups[0].classes.yes.selected: 0 there",
    ),
    "a condition that returns more often": (
        lambda d: edit(d, "stability.json", lambda one: one["conditions"][0].update(returns=9)),
        "stability.json: conditions[0].returns: 9 there",
    ),
    "a trial that followed": (
        lambda d: edit(d, "symmetry.json", lambda one: one["gaps"][3].update(equal=False)),
        "symmetry.json: gaps[3].equal: False there, True here",
    ),
    "another page": (
        lambda d: write(d, "README.md", "# Trust me\n"),
        "README.md: line 1: '# Trust me' there, '# Evidence",
    ),
}


@pytest.mark.usefixtures("again")
@pytest.mark.parametrize("name", CHANGES)
def test_each_planted_change_is_named(name: str, copy: Path, table: Path) -> None:
    change, said = CHANGES[name]
    change(copy)
    found = run("verify", copy, table)
    assert found.exit_code == 1, found.output
    assert any(line.startswith(f"differs: {said}") for line in found.stdout.splitlines()), (
        found.stdout
    )
    assert found.stdout.splitlines()[-1].startswith("this dossier does not hold: ")


@pytest.mark.usefixtures("again")
def test_another_row_is_another_table(copy: Path, table: Path, tmp_path: Path) -> None:
    rows = table.read_text().splitlines(keepends=True)
    other = tmp_path / "other.csv"
    for text in (rows[:-1], [*rows[:-1], rows[1]], [*rows[:-1], "64,many,no,yes\n"]):
        other.write_text("".join(text))
        found = run("verify", copy, other)
        assert found.exit_code == 1
        assert "differs: the table: is another one, so nothing was done again\n" in found.stdout
    other.write_text("".join(rows).replace("owner", "owns"))
    assert "does not fit the options" in run("verify", copy, other).stdout


def test_several_classes_points_and_a_column_left_out(tmp_path: Path) -> None:
    table = loans(70, seed=2)
    table["kind"] = [f"{a} {b}" for a, b in zip(table["granted"], table["owner"], strict=True)]
    table.loc[table["kind"] == "no no", "kind"] = "no yes"
    path, folder = tmp_path / "t.csv", tmp_path / "d"
    table.to_csv(path, index=False)
    words = ("--target", "kind", "--ignore", "granted", "--form", "scorecard", "--resamples", "1")
    assert run("audit", path, *words, "--dossier", folder).exit_code == 0
    assert not (folder / "groups.json").exists()
    assert json.loads((folder / "rule.json").read_text())["unit"] > 0
    kept = contents(folder)
    assert json.loads(kept.pop("manifest.json"))["options"]["ignore"] == ["granted"]
    assert b"granted" not in b"".join(kept.values())
    found = run("verify", folder, path)
    assert found.exit_code == 0, found.output


def test_a_dossier_overwrites_nothing_but_a_dossier(table: Path, tmp_path: Path) -> None:
    folder = tmp_path / "full"
    folder.mkdir()
    (folder / "rule.json").write_text("mine")
    words = ("audit", table, *OPTIONS, "--dossier")
    assert "holds other files" in one_line(run(*words, folder))
    assert "there is no folder" in one_line(run(*words, tmp_path / "none" / "d"))
    assert "is read, so it cannot be written too" in one_line(run(*words, table))
    assert "leave --resamples out" in one_line(
        run("audit", table, *OPTIONS[:2], "--resamples", "3")
    )
    assert "leave --json out" in one_line(run(*words, tmp_path / "d", "--json"))
    assert "is no folder" in one_line(run("verify", tmp_path / "none"))
    assert (folder / "rule.json").read_text() == "mine"


def test_options_are_checked() -> None:
    with pytest.raises(GnriError, match="its model is one of"):
        DossierOptions("y", model="/home/me/model")
    with pytest.raises(GnriError, match="resamples must be a whole number"):
        DossierOptions("y", resamples=-1)


def test_a_table_is_known_by_its_rows_whatever_their_order_and_kind_of_file(table: Path) -> None:
    options = DossierOptions("granted")
    first = identify_table(read_table(table), options)[1]
    frame = pd.read_csv(table)
    parquet = table.with_suffix(".parquet")
    frame.iloc[::-1].to_parquet(parquet, index=False)
    assert identify_table(read_table(parquet), options)[1] == first
    frame.loc[0, "income"] += 1
    frame.to_parquet(parquet, index=False)
    changed = identify_table(read_table(parquet), options)[1]
    assert changed["sha256"] != first["sha256"]
