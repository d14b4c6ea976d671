"""Whatever comes in is answered, or refused with an error of ours: a short run of each target.

The long runs are `python -m fuzz TARGET --inputs 1000000`; docs/reliability.md has their figures.
"""

from pathlib import Path
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fuzz.__main__ import fuzz
from fuzz.mutate import mutated
from fuzz.targets import TARGETS, Target, target
from gnri.errors import GnriError


@pytest.mark.parametrize("name", TARGETS)
def test_a_seed_is_taken(name: str) -> None:
    assert any(_taken(target(name), seed) for seed in target(name).seeds)


@pytest.mark.parametrize("name", TARGETS)
@given(seed=st.integers(0, 2**32))
def test_what_was_changed_a_little_is_answered_or_refused(name: str, seed: int) -> None:
    aimed = target(name)
    _answered(aimed, mutated(list(aimed.seeds), Random(seed)))


@pytest.mark.parametrize("name", [name for name in TARGETS if name != "settings"])
@given(data=st.binary(max_size=300))
@example(data=b"")
def test_any_bytes_are_answered_or_refused(name: str, data: bytes) -> None:
    _answered(target(name), data)


@given(text=st.text(alphabet='x01&|~() "\\truefals', max_size=60))
def test_any_text_of_the_alphabet_of_rules_is_answered_or_refused(text: str) -> None:
    _answered(target("rule"), text.encode())


def test_a_reader_that_breaks_is_found(tmp_path: Path) -> None:
    def read(data: bytes) -> None:
        if data[:1] == b"?":
            raise KeyError("broken")

    found = fuzz(Target(read, (b"?", b"fine")), inputs=50, seed=0, last=tmp_path / "last")
    assert list(found["faults"]) == ["KeyError: "]  # type: ignore[call-overload]
    assert not (tmp_path / "last").exists()


def test_the_same_seed_makes_the_same_inputs() -> None:
    seeds = list(target("json").seeds)
    drawn = [[mutated(seeds, random) for _ in range(50)] for random in (Random(3), Random(3))]
    assert drawn[0] == drawn[1] and len(set(drawn[0])) > 25


def _answered(aimed: Target, data: bytes) -> None:
    try:
        aimed.read(data)
    except GnriError as error:
        assert str(error)


def _taken(aimed: Target, data: bytes) -> bool:
    try:
        return not str(aimed.read(data)).startswith("4")
    except GnriError:
        return False
