"""Pieces are measured once, and what is written says where it came from."""

from dataclasses import replace
from pathlib import Path

import pytest

from gnri.errors import CheckpointError, GnriError
from studies.paper import studies
from studies.paper.networks import folder_of
from studies.results import Row, read
from studies.study import Context, Piece, Protocol, Study, is_chosen, load_protocol, run
from tests.studies.toy import TOY, measured, pieces


@pytest.fixture
def context(tmp_path: Path) -> Context:
    measured.clear()
    return Context(tmp_path, protocol=Protocol({"toy": {"names": ["a", "b"]}}))


def test_every_piece_is_measured_once(context: Context) -> None:
    assert (run(TOY, context), run(TOY, context)) == (4, 0)
    assert len(measured) == 4
    rows = read(context.results / "toy.csv")
    assert len(rows) == 8
    assert list(rows[0]) == [
        *("name", "seed", "figure", "checkpoint", "protocol", "commit", "machine", "date")
    ]
    assert context.rows("toy") == rows


def test_a_run_goes_on_where_it_stopped(context: Context) -> None:
    broken = replace(context, protocol=Protocol({"toy": {"names": ["a", "broken", "b"]}}))
    with pytest.raises(GnriError, match="stop here"):
        run(TOY, broken)
    assert [row["name"] for row in read(context.results / "toy.csv")] == ["a"] * 4
    with pytest.raises(GnriError, match="stop here"):
        run(TOY, broken)
    assert [piece["name"] for piece in measured] == ["a", "a", "broken", "broken"]


def test_several_processes_write_the_same_rows(context: Context) -> None:
    run(TOY, replace(context, jobs=2))
    rows = read(context.results / "toy.csv")
    assert sorted((row["name"], row["seed"]) for row in rows) == sorted(
        (str(p["name"]), str(p["seed"]))
        for p in pieces(context.protocol.section("toy"))
        for _ in range(2)
    )


def test_another_protocol_is_measured_anew_and_kept_apart(context: Context) -> None:
    run(TOY, context)
    other = replace(context, protocol=Protocol({"toy": {"names": ["a"]}}))
    assert other.rows("toy") == []
    assert run(TOY, other) == 2
    assert len(other.rows("toy")) == 4
    assert len(context.rows("toy")) == 8


def test_by_force_it_is_measured_anew(context: Context) -> None:
    run(TOY, context)
    only = {"name": frozenset({"a"})}
    assert (run(TOY, replace(context, force=True), only), run(TOY, context)) == (2, 0)
    assert run(Study("toy", TOY.page, derived=True), context) == 0  # of other studies' rows
    assert len(read(context.results / "toy.csv")) == 8


def test_a_forced_run_that_is_cut_off_keeps_the_old_rows(context: Context) -> None:
    run(TOY, context)

    def stop_at_b(piece: Piece, context: Context) -> list[Row]:
        if piece["name"] == "b":
            raise GnriError("stop here")
        return [{"figure": 1, "checkpoint": "new"}]

    with pytest.raises(GnriError, match="stop here"):
        run(replace(TOY, measure=stop_at_b), replace(context, force=True))
    rows = read(context.results / "toy.csv")
    assert [row["checkpoint"] for row in rows if row["name"] == "b"] == ["abc"] * 4
    assert [row["checkpoint"] for row in rows if row["name"] == "a"] == ["new"] * 2


def test_only_some_pieces(context: Context) -> None:
    assert run(TOY, context, only={"seed": frozenset({"2"}), "name": frozenset({"a"})}) == 1
    assert not is_chosen({"name": "a"}, {"seed": frozenset({"2"})})


def test_a_device_of_its_own(context: Context) -> None:
    seen: list[str] = []

    def where(piece: Piece, context: Context) -> list[Row]:
        seen.append(context.device)
        return [{"figure": 1}]

    run(replace(TOY, measure=where, on_cpu=True), replace(context, device="meta"))
    assert set(seen) == {"cpu"}


def test_rows_with_other_columns_are_refused(context: Context) -> None:
    run(TOY, context, only={"name": frozenset({"a"})})
    other = replace(TOY, measure=lambda *_: [{"else": 1}])
    with pytest.raises(GnriError, match="must have the columns name, seed, figure"):
        run(other, context)


def test_a_study_without_rows_is_refused(context: Context) -> None:
    with pytest.raises(GnriError, match="gave no rows"):
        run(replace(TOY, measure=lambda *_: []), context)


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
        found = study.pieces(protocol.section(study.name))
        keys = [tuple(sorted(piece.items(), key=str)) for piece in found]
        assert keys or study.derived
        assert len(set(keys)) == len(keys)


def test_missing_weights_say_how_to_train_them(context: Context, tmp_path: Path) -> None:
    command = (
        f"python -m studies train recipes/sweep/eqarch.toml --seed 42 --out {tmp_path}/eqarch-42"
    )
    with pytest.raises(CheckpointError, match=command):
        folder_of(replace(context, checkpoints=tmp_path), "+tta", 42)
    assert folder_of(context, "gnri", "shipped").is_dir()
