"""Wherever a table comes from, it keeps the contract of sources."""

import pickle
from pathlib import Path

import pytest

from gnri.data.table import text_column
from tests.contracts import source_contract as contract


@pytest.mark.parametrize("name", contract.SOURCES)
def test_every_source_gives_the_same_columns(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = contract.SOURCES[name](contract.GOOD, tmp_path, monkeypatch)
    assert source.names == list(contract.GOOD)
    assert contract.plain_counts(source) == contract.expected(contract.GOOD)
    wanted = {
        name: text_column(name, cells).decide().texts() for name, cells in contract.GOOD.items()
    }
    assert contract.cells(source) == wanted
    assert source.without(["odor"]).names == [name for name in wanted if name != "odor"]
    for partition in source.partitions:
        assert list(partition.types) == source.names
        assert pickle.loads(pickle.dumps(partition)).origin == partition.origin


@pytest.mark.parametrize("name", contract.SOURCES)
@pytest.mark.parametrize("bad", contract.BAD)
def test_every_source_refuses_the_same_tables(
    bad: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns, said = contract.BAD[bad]
    line = contract.refusal(lambda: contract.SOURCES[name](columns, tmp_path, monkeypatch))
    assert said in line and len(line.splitlines()) == 1
