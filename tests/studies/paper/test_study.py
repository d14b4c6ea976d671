"""Pieces are measured once, and what is written says where it came from."""

from dataclasses import replace
from pathlib import Path

import pytest

from gnri.errors import CheckpointError, GnriError
from studies.benchmarks.results import Row, read
from studies.paper.checkpoints import folder_of
from studies.paper.protocol import Protocol, load_protocol
from studies.paper.running import chosen, run
from studies.paper.studies import studies
from studies.paper.study import Piece, Place, Study
from tests.studies.paper.toy import TOY, measured, pieces


@pytest.fixture
def place(tmp_path: Path) -> Place:
    measured.clear()
    return Place(Protocol({"toy": {"names": ["a", "b"]}}), tmp_path)


def test_every_piece_is_measured_once(place: Place) -> None:
    assert (run(TOY, place), run(TOY, place)) == (4, 0)
    assert len(measured) == 4
    rows = read(place.results / "toy.csv")
    assert len(rows) == 8
    assert list(rows[0]) == [
        *("name", "seed", "figure", "checkpoint", "protocol", "commit", "machine", "date")
    ]
    assert place.found.rows("toy") == rows


def test_a_run_goes_on_where_it_stopped(place: Place) -> None:
    broken = replace(place, protocol=Protocol({"toy": {"names": ["a", "broken", "b"]}}))
    with pytest.raises(GnriError, match="stop here"):
        run(TOY, broken)
    assert [row["name"] for row in read(place.results / "toy.csv")] == ["a"] * 4
    with pytest.raises(GnriError, match="stop here"):
        run(TOY, broken)
    assert [piece["name"] for piece in measured] == ["a", "a", "broken", "broken"]


def test_several_processes_write_the_same_rows(place: Place) -> None:
    run(TOY, place, jobs=2)
    rows = read(place.results / "toy.csv")
    assert sorted((row["name"], row["seed"]) for row in rows) == sorted(
        (str(p["name"]), str(p["seed"])) for p in pieces(place.protocol) for _ in range(2)
    )


def test_another_protocol_is_measured_anew_and_kept_apart(place: Place) -> None:
    run(TOY, place)
    other = replace(place, protocol=Protocol({"toy": {"names": ["a"]}}))
    assert other.found.rows("toy") == []
    assert run(TOY, other) == 2
    assert len(other.found.rows("toy")) == 4
    assert len(place.found.rows("toy")) == 8


def test_again_and_derived_ones_are_measured_anew(place: Place) -> None:
    run(TOY, place)
    only = {"name": frozenset({"a"})}
    assert (run(TOY, place, only=only, again=True), run(TOY, place)) == (2, 0)
    assert run(replace(TOY, derived=True), place) == 4
    assert len(read(place.results / "toy.csv")) == 8


def test_only_some_pieces(place: Place) -> None:
    assert run(TOY, place, only={"seed": frozenset({"2"}), "name": frozenset({"a"})}) == 1
    assert not chosen({"name": "a"}, {"seed": frozenset({"2"})})


def test_a_device_of_its_own(place: Place) -> None:
    seen: list[str] = []

    def where(piece: Piece, place: Place) -> list[Row]:
        seen.append(place.device)
        return [{"figure": 1}]

    run(replace(TOY, measure=where, on_cpu=True), replace(place, device="meta"))
    assert set(seen) == {"cpu"}


def test_rows_with_other_columns_are_refused(place: Place) -> None:
    run(TOY, place, only={"name": frozenset({"a"})})
    other = replace(TOY, measure=lambda *_: [{"else": 1}])
    with pytest.raises(GnriError, match="must have the columns name, seed, figure"):
        run(other, place)


def test_a_study_without_rows_is_refused(place: Place) -> None:
    with pytest.raises(GnriError, match="gave no rows"):
        run(replace(TOY, measure=lambda *_: []), place)


def test_the_identity_is_that_of_the_settings() -> None:
    first, same = (Protocol({"a": {"x": 1, "y": [2]}, "b": {"z": n}}) for n in (1, 2))
    assert first.identity("a") == same.identity("a")
    assert first.identity("b") != same.identity("b")
    with pytest.raises(GnriError, match=r"add \[c\] to protocol.toml"):
        first.identity("c")


@pytest.mark.parametrize("tiny", [False, True])
def test_the_committed_protocol_fits_every_study(tiny: bool) -> None:
    protocol = load_protocol(tiny=tiny)
    for study in studies().values():
        found = study.pieces(protocol)
        keys = [tuple(sorted(piece.items(), key=str)) for piece in found]
        assert keys
        assert len(set(keys)) == len(keys)


def test_settings_that_do_not_fit_are_refused() -> None:
    with pytest.raises(GnriError, match="the protocol of a does not fit"):
        Protocol({"a": {"x": 1}}).read("a", Study)


def test_missing_weights_say_how_to_train_them(place: Place, tmp_path: Path) -> None:
    command = (
        f"python -m studies train recipes/sweep/eqarch.toml --seed 42 --out {tmp_path}/eqarch-42"
    )
    with pytest.raises(CheckpointError, match=command):
        folder_of(replace(place, checkpoints=tmp_path), "+tta", 42)
    assert folder_of(place, "gnri", "shipped").is_dir()
