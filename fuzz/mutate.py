"""Bytes changed a little, again and again: the draws are functions of a seed alone."""

import json
from copy import deepcopy
from random import Random
from typing import Any

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 10**30, -(2**63), 0.5, -0.0, 1e308, 5e-324),
    *("", "x0", "a" * 300, "\ud800", "\x00", "=1+1", "<script>", "gnri-rule", "gnri-ruleset"),
    *([], {}, [[]], [[0, True]], [0, 0, 0], {"kind": "above", "column": "a", "cut": 1}),
)
TOKENS = (
    *(
        b"\x00",
        b"\xff",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"\n",
        b"\r\n",
        b'"',
        b"'",
        b",",
        b"\t",
        b";",
    ),
    *(b"NaN", b"-Infinity", b"1e999", b"-0", b"9" * 30, b"0x1", b"null", b"true", b"[]", b"{}"),
    *(b"[" * 40, b"{" * 40, b'{"a":' * 20, b"\\ud800", b"\\u0000", b"~(", b"|", b"&", b"false"),
    *(b"at least 1 of (", b" >= 2", b" + ", b"-2*", b"(x0 & ~x1)", b"x1"),
    *(b"\x7f\xff\xff\xff", b"\xff\xff\xff\x7f", b"\xff" * 8, b"\x00" * 8, b"PAR1", b"\x1f\x8b"),
)


def mutated(corpus: list[bytes], random: Random, longest: int = 4096) -> bytes:
    """One of the corpus after one to six small changes."""
    chosen = random.choice(corpus)
    if random.random() < 0.5 and (changed := _changed_tree(chosen, random)) is not None:
        return changed
    data = bytearray(chosen)
    for _ in range(random.randint(1, 6)):
        random.choice(_CHANGES)(data, corpus, random)
    return bytes(data[:longest])


def _changed_tree(data: bytes, random: Random) -> bytes | None:
    """The JSON in the data, from its first brace on, with one to three of its parts changed."""
    start = data.find(b"{")
    try:
        tree = json.loads(data[start:]) if start >= 0 else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(tree, dict):
        return None
    for _ in range(random.randint(1, 3)):
        _change(tree, random)
    return data[:start] + json.dumps(tree).encode()


def _change(tree: Any, random: Random) -> None:
    """Replace, drop, double or rename one part, somewhere in the tree."""
    while tree:
        keys = list(tree) if isinstance(tree, dict) else range(len(tree))
        key = random.choice(keys)
        below = tree[key]
        if isinstance(below, dict | list) and below and random.random() < 0.7:
            tree = below
            continue
        match random.randrange(6):
            case 0:
                del tree[key]
            case 1 if isinstance(tree, list):
                tree.insert(key, below)
            case 2 if isinstance(tree, dict):
                tree[random.choice(("x", "format", "names", ""))] = tree.pop(key)
            case 3 if isinstance(below, str):
                tree[key] = below + random.choice(("'", '"', "\\", "\n", " ", "\u202e"))
            case _:
                tree[key] = deepcopy(random.choice(VALUES))
        return


def _flip(data: bytearray, _: list[bytes], random: Random) -> None:
    if data:
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)


def _set(data: bytearray, _: list[bytes], random: Random) -> None:
    if data:
        data[random.randrange(len(data))] = random.randrange(256)


def _drop(data: bytearray, _: list[bytes], random: Random) -> None:
    start = random.randint(0, len(data))
    del data[start : start + random.choice((1, 1, 2, 4, 16, 64))]


def _repeat(data: bytearray, _: list[bytes], random: Random) -> None:
    start = random.randint(0, len(data))
    piece = data[start : start + random.choice((1, 4, 16, 64))]
    data[start:start] = piece * random.choice((1, 1, 2, 8))


def _token(data: bytearray, _: list[bytes], random: Random) -> None:
    start = random.randint(0, len(data))
    data[start : start + random.choice((0, 0, 1, 4))] = random.choice(TOKENS)


def _splice(data: bytearray, corpus: list[bytes], random: Random) -> None:
    other = random.choice(corpus)
    start = random.randint(0, len(data))
    data[start:] = other[random.randint(0, len(other)) :]


def _number(data: bytearray, _: list[bytes], random: Random) -> None:
    """A whole number in the text replaced by another one."""
    digits = [i for i, byte in enumerate(data) if 48 <= byte <= 57]
    if digits:
        place = random.choice(digits)
        data[place : place + 1] = str(random.choice((-1, 0, 1, 2**31, 2**63, 10**20))).encode()


_CHANGES = (_flip, _flip, _set, _drop, _repeat, _token, _splice, _number)
