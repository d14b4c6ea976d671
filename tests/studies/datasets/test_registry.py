"""Where a table comes from."""

import gzip
import json
from pathlib import Path

import pytest

from gnri.errors import GnriError
from studies.datasets import BENCHMARK, load, names
from studies.datasets.openml import CATALOGUE
from studies.datasets.registry import list_facts
from tests.studies.datasets.tables import SMALL, folder_with


@pytest.fixture(autouse=True)
def _no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GNRI_DATA", raising=False)


def test_a_table_of_a_folder(tmp_path: Path) -> None:
    found = load("small", folder_with(tmp_path))
    assert found.to_csv() == SMALL
    assert found.kinds == ("numeric", "categorical", "binary")
    assert "small" in names(tmp_path) and str(tmp_path) in found.origin


def test_the_folder_may_be_named_by_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GNRI_DATA", str(folder_with(tmp_path)))
    assert load("small").to_csv() == SMALL
    assert [facts.rows for facts in list_facts() if facts.name == "small"] == [4]


def test_a_packed_table(tmp_path: Path) -> None:
    folder_with(tmp_path)
    (tmp_path / "small.csv").unlink()
    (tmp_path / "small.csv.gz").write_bytes(gzip.compress(SMALL.encode()))
    assert load("small", tmp_path).to_csv() == SMALL


def test_the_folder_goes_before_the_generator(tmp_path: Path) -> None:
    assert load("tic-tac-toe", folder_with(tmp_path, name="tic-tac-toe")).to_csv() == SMALL
    assert len(load("monks-1", tmp_path).rows) == 556


def test_the_whole_benchmark_can_be_had() -> None:
    sources = {facts.name: facts.origin for facts in list_facts()}
    assert set(BENCHMARK) <= set(sources)
    assert [name for name in BENCHMARK if "folder" in sources[name]] == ["mutag"]
    for name, entry in CATALOGUE.items():
        assert sources[name] == f"OpenML {entry.openml}"


def _ask_for_another_kind(folder: Path) -> None:
    path = folder / "schema.json"
    path.write_text(path.read_text().replace('"categorical"', '"ordinal"'))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: (p / "small.csv").write_text(SMALL + "1,red,1,no\n"), "its SHA-256 must be"),
        (lambda p: (p / "small.csv").unlink(), "small.csv.gz must be there"),
        (lambda p: (p / "schema.json").write_text("{"), "must be JSON"),
        (lambda p: (p / "schema.json").write_text("[]"), "must be an object"),
        (lambda p: (p / "schema.json").unlink(), "must hold schema.json"),
        (_ask_for_another_kind, "'colour' of .* must be .* got 'ordinal'"),
    ],
)
def test_a_broken_folder_is_one_error(tmp_path: Path, change, message: str) -> None:
    folder_with(tmp_path)
    change(tmp_path)
    with pytest.raises(GnriError, match=message):
        load("small", tmp_path)


def test_a_packed_table_that_was_cut_off_is_one_error(tmp_path: Path) -> None:
    folder_with(tmp_path)
    (tmp_path / "small.csv").unlink()
    (tmp_path / "small.csv.gz").write_bytes(gzip.compress(SMALL.encode())[:-9])
    with pytest.raises(GnriError, match=r"small.csv.gz must be there, whole"):
        load("small", tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("age,colour,member\n1,red,1\n", "last column is 'class'"),
        ("age,colour,member,class\n1,red,1\n", "4 cells in each line, got 3 in line 2"),
        ("age,shape,member,class\n1,red,1,no\n", "no kind for column 'shape'"),
        ("", "must have a header"),
    ],
)
def test_a_broken_table_is_one_error(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(GnriError, match=message):
        load("small", folder_with(tmp_path, text))


def test_text_in_another_encoding_is_one_error(tmp_path: Path) -> None:
    folder_with(tmp_path)
    (tmp_path / "small.csv").write_bytes(SMALL.replace("red", "grün").encode("latin-1"))
    schema = json.loads((tmp_path / "schema.json").read_text())
    del schema["small"]["sha256"]
    (tmp_path / "schema.json").write_text(json.dumps(schema))
    with pytest.raises(GnriError, match="must be CSV in UTF-8"):
        load("small", tmp_path)


def test_unknown_names() -> None:
    with pytest.raises(GnriError, match="no table is called 'nonsense'; the names are adult, "):
        load("nonsense")
    with pytest.raises(GnriError, match="mutag can only be read from a folder"):
        load("mutag")
