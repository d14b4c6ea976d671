"""Whatever comes in is answered, or refused with an error of ours: a short run of each target.

The long runs are `python -m fuzz TARGET --inputs 1000000`; docs/reliability.md has their figures.
"""

import tracemalloc
from pathlib import Path
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fuzz.__main__ import fuzz
from fuzz.mutate import mutated
from fuzz.targets import TARGETS, Target, target
from gnri.errors import GnriError

MEGABYTE = 1_000_000
A_LITTLE = 1 << 17


@pytest.mark.parametrize("name", TARGETS)
def test_every_seed_is_taken(name: str) -> None:
    taken = 0
    for seed in target(name).seeds:
        try:
            target(name).read(seed)
            taken += 1
        except GnriError:
            pass  # the settings of a model that the weights do not fit
    assert taken or name == "settings"


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


WITHIN_TWICE = [
    ("rule", b"x0 & " * (MEGABYTE // 5)),
    ("rule", b"x0|" * (MEGABYTE // 3)),
    ("rule", b"~(" + b"".join(b"x%d|" % i for i in range(150_000))),
    ("rule", b'"odor=foul" & ' * (MEGABYTE // 14)),
    ("rule", b"~" * MEGABYTE),
    ("rule", b'"' + b"a" * MEGABYTE),
    ("json", b"[" * MEGABYTE),
    ("json", b'{"format": "' + b"a" * MEGABYTE + b'"}'),
    ("checkpoint", b"w" + b"\xff" * MEGABYTE),
    ("checkpoint", b"c" + b'{"format": "' + b"a" * MEGABYTE),
    ("csv", b"a,b\n" + b'"' * (MEGABYTE + 1)),
    ("csv", b"\xff" * MEGABYTE),
    ("csv", b"a,b\n" + b"1,2\n" * (MEGABYTE // 4) + b"1\n"),
    ("csv", b"a\n" + b"1\n" * (MEGABYTE // 2) + b"1,2\n"),
    ("csv", "a,b\n\U0001d538,1\n".encode() + b"1,2\n" * (MEGABYTE // 4) + b"1\n"),
    ("csv", b"\n" * MEGABYTE),
    ("parquet", b"PAR1" + b"\xff" * MEGABYTE + b"PAR1"),
    ("parquet", b"PAR1" + b"\x00" * MEGABYTE + b"\xff\xff\xff\x7fPAR1"),
    ("http", b"POST /api/predict\n" + b"[" * MEGABYTE),
    ("http", b"POST /api/predict\n" + b"a" * MEGABYTE),
    ("http", b"POST /api/predict\n" + b"a" * 2 * MEGABYTE),
    ("http", b'POST /api/predict\n{"row": "' + b"a" * MEGABYTE + b'"}'),
    ("http", b"POST /api/tables\n" + b"\xff" * MEGABYTE),
]
WIDE = "\U0001d538".encode()
BEYOND = [
    (10, "csv", b"," * MEGABYTE),
    (23, "json", b'{"format": [' + b"[]," * (MEGABYTE // 3)),
    (23, "http", b'POST /api/predict\n{"rows": [' + b"[]," * (MEGABYTE // 3)),
    (5, "rule", b"x0 & " * (MEGABYTE // 5) + WIDE),
    (5, "csv", b"a,b\n" + b"a" * MEGABYTE + WIDE),
    (8, "json", b'{"format": "' + b"a" * MEGABYTE + WIDE + b'"}'),
    (8, "http", b'POST /api/predict\n{"row": "' + b"a" * MEGABYTE + WIDE + b'"}'),
]
"""What Python makes of them before anybody can look: a cell of one byte is 8 in a list, a list of
three is 64, and a character of four bytes widens all others of its text.
"""


@pytest.mark.parametrize(
    ("most", "name", "data"),
    [*((2, name, data) for name, data in WITHIN_TWICE), *BEYOND],
    ids=lambda value: repr(value[:20]) if isinstance(value, bytes) else str(value),
)
def test_what_is_refused_takes_little_memory(most: int, name: str, data: bytes) -> None:
    aimed = target(name)
    _answered(aimed, aimed.seeds[0])  # what is loaded once does not count
    tracemalloc.start()
    try:
        _answered(aimed, data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= most * len(data) + A_LITTLE, f"{peak / len(data):.1f} times the input"


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
