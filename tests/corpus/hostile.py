"""Inputs that try a reader: each is a function of its number alone."""

import gzip
import json
from copy import deepcopy
from random import Random
from typing import Any

TOKENS = (
    *(
        b"\x00",
        b"\xff",
        b"\xc3",
        b"\xed\xa0\x80",
        b"\xef\xbb\xbf",
        b"\n",
        b"\r\n",
        b"\r",
        b'"',
        b"'",
    ),
    *(
        b",",
        b"\t",
        b";",
        b"|",
        b"NaN",
        b"1e999",
        b"-0",
        b"9" * 30,
        b"0x1",
        b"\\",
        b"#",
        b" ",
        b"\x1a",
    ),
    *(
        b"[" * 40,
        b'{"a":' * 20,
        b"\\ud800",
        b"~(",
        b"|",
        b"&",
        b"false",
        b"null",
        b"\xc2\xa0",
        b"\x85",
    ),
)
NUMBERS = ("1", "2", "3.5", "-4", "+5", "1e3", "0", "10", "12", "0.1", "7", "2.50")
ODD_NUMBERS = (
    *("007", "1e400", "-1e400", " 3", "3 ", "1_000", "1,000", "0x10", "1e-400", "-0", "00", "0.0"),
    *(
        ".5",
        "5.",
        "1e",
        "--1",
        "inf",
        "-Infinity",
        "9007199254740993",
        "1.0",
        "٣",
        "1e5",
        "½",
        "1d",
    ),
)
FLAGS = (
    ("0", "1"),
    ("true", "false"),
    ("True", "FALSE"),
    ("1.0", "0.0"),
    ("yes", "no"),
    ("1", "true"),
)
TEXTS = (
    "foul",
    "none",
    "almond",
    "A b",
    "é",
    "x,y",
    'say "so"',
    "a;b",
    "a|b",
    "two\nlines",
    "'",
    "a\tb",
)
DATES = ("2024-01-31", "31.12.2023", "12:30", "2024-01-31T00:00:00Z", "1/2/3")
MISSING = (
    "",
    "?",
    "NA",
    "na",
    "-",
    ".",
    "null",
    "None",
    "NaN",
    "nan",
    "N/A",
    "#N/A",
    " ",
    "n/a",
    "NULL",
    "<NA>",
)
NAMES = (
    *(
        "a",
        "b",
        "c",
        "age",
        "odor",
        "x y",
        " lead",
        "trail ",
        "é",
        "a",
        "",
        "A",
        '"q"',
        "1",
        "y",
        "n,m",
    ),
    *("=1+1", "a.b", "null", "x'", "prediction", " ", "sep=", "\ufeffz", "a\nb", "very " * 9),
)


def table(number: int, *, mild: bool = False) -> tuple[bytes, str]:
    """Return the bytes of a file of text with a separator, most of them odd, and its ending.

    If `mild`, there are rows, `y` is the label, and no byte is changed.
    """
    random = Random(f"{'mild' if mild else 'table'} {number}")
    mark = random.choice(",,,,;;\t|")
    width = random.randint(2 if mild else 1, 5)
    rows = random.choice((12, 20, 40) if mild else (0, 1, 2, 3, 4, 5, 6, 8, 12, 40))
    header = _names(width, random, mild)
    columns = [_column(rows, random) for _ in range(width - 1)] + [_labels(rows, random)]
    lines = [header, *map(list, zip(*columns, strict=True))]
    if random.random() < 0.08 and not mild:
        _make_ragged(lines, random)
    data = _written(lines, mark, random)
    if random.random() < 0.18 and not mild:
        data = _mutated(data, random)
    ending = random.choices((".csv", ".tsv", ".csv.gz"), (90, 6, 4))[0]
    if ending == ".csv.gz" and random.random() < 0.8:
        data = gzip.compress(data, mtime=0)
    return data, ending


def _names(width: int, random: Random, mild: bool) -> list[str]:
    if mild or random.random() < 0.75:
        return [*random.sample(("a", "b", "c", "age", "odor", "x y", "é"), width - 1), "y"]
    return [random.choice(NAMES) for _ in range(width)]


def _column(rows: int, random: Random) -> list[str]:
    odd = (*NUMBERS, random.choice(ODD_NUMBERS))
    pools = (
        NUMBERS,
        NUMBERS,
        odd,
        ODD_NUMBERS,
        TEXTS[:4],
        TEXTS,
        DATES,
        (*NUMBERS, "foul"),
        *FLAGS,
    )
    pool: tuple[str, ...] = random.choice(pools)
    gaps = random.choice((0, 0, 0.1, 0.3, 1))
    codes = random.choice((("",), MISSING, (random.choice(MISSING),)))
    return [
        random.choice(codes) if random.random() < gaps else _spaced(random.choice(pool), random)
        for _ in range(rows)
    ]


def _spaced(cell: str, random: Random) -> str:
    return random.choice((" ", "\t", "\xa0", "  ")) + cell if random.random() < 0.03 else cell


def _labels(rows: int, random: Random) -> list[str]:
    pools = (("yes", "no"), ("0", "1"), ("true", "false"), ("1", "2", "3"), ("a", "b", "c", "d"))
    pool = random.choice(
        (*pools, *pools, ("1.5", "2"), ("yes", ""), ("007", "1"), ("one",), NUMBERS)
    )
    return [random.choice(pool) for _ in range(rows)]


def _make_ragged(lines: list[list[str]], random: Random) -> None:
    line = random.choice(lines)
    if random.random() < 0.5:
        line.append(random.choice(("", "x", "1")))
    else:
        line.pop()


def _written(lines: list[list[str]], mark: str, random: Random) -> bytes:
    end = random.choices(("\n", "\r\n", "\r"), (66, 30, 4))[0]
    quotes = random.choice(("needed", "needed", "needed", "all", "some", "none"))
    written = [mark.join(_quoted(cell, mark, quotes, random) for cell in line) for line in lines]
    if random.random() < 0.1:
        written.insert(random.randint(0, len(written)), random.choice(("", "", " ", mark, '""')))
    text = end.join(written) + random.choice((end, end, "", end * 2))
    if random.random() < 0.04:
        text = f"sep={random.choice((mark, mark, ';', '^', ''))}{end}{text}"
    start = b"\xef\xbb\xbf" if random.random() < 0.08 else b""
    coding = random.choices(("utf-8", "latin-1", "utf-16"), (96, 3, 1))[0]
    return start + text.encode(coding, "replace")


def _quoted(cell: str, mark: str, quotes: str, random: Random) -> str:
    needed = any(odd in cell for odd in (mark, '"', "\n", "\r"))
    some = quotes == "some" and random.random() < 0.5
    if quotes == "all" or some or (quotes == "needed" and needed):
        return '"' + cell.replace('"', '""') + '"'
    return cell


def _mutated(data: bytes, random: Random) -> bytes:
    """Return the bytes after one to four small changes."""
    found = bytearray(data)
    for _ in range(random.randint(1, 4)):
        start = random.randint(0, len(found))
        match random.randrange(5):
            case 0 if start < len(found):
                found[start] ^= 1 << random.randrange(8)
            case 1:
                del found[start : start + random.choice((1, 1, 2, 4, 16))]
            case 2:
                found[start:start] = found[start : start + random.choice((1, 4, 16))]
            case _:
                found[start : start + random.choice((0, 0, 1, 4))] = random.choice(TOKENS)
    return bytes(found)


VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 10**30, -(2**63), 0.5, -0.0, 1e308, 5e-324),
    *("", "x0", "a" * 300, "\ud800", "\x00", "=1+1", "<script>", "gnri-rule", "gnri-ruleset"),
    *([], {}, [[]], [[0, True]], [0, 0, 0], {"kind": "above", "column": "a", "cut": 1}),
)


def _rule(clauses: list[list[Any]], positive: bool = True) -> dict[str, Any]:
    return {"format": "gnri-rule", "version": 1, "positive": positive, "clauses": clauses}


RULESETS: tuple[dict[str, Any], ...] = (
    {
        "format": "gnri-ruleset",
        "version": 1,
        "classes": ["no", "yes"],
        "majority": 0,
        "turns": [],
        "atoms": [
            {"kind": "above", "column": "age", "cut": 30.5},
            {"kind": "equals", "column": "odor", "value": "foul"},
            {"kind": "one of", "column": "dose", "values": ["a", "b"]},
            {"kind": "true", "column": "ill"},
        ],
        "blocks": [[1]],
        "rules": [_rule([[[0, True], [1, False]], [[2, True]], [[3, True]]])],
    },
    {
        "format": "gnri-ruleset",
        "version": 1,
        "classes": [1, 2, 3],
        "majority": 1,
        "turns": [[2], [0]],
        "atoms": [
            {"kind": "above", "column": "a", "cut": -1},
            {"kind": "above", "column": "a", "cut": 2.5},
            {"kind": "equals", "column": "b", "value": 7},
            {"kind": "equals", "column": "b", "value": 8},
        ],
        "blocks": [[2, 3]],
        "rules": [_rule([[[0, True]]], False), None, _rule([[[1, True], [3, False]]])],
    },
)


def ruleset(number: int) -> tuple[bytes, str]:
    """Return a saved classifier with parts of it changed, or with bytes of it changed."""
    random = Random(f"ruleset {number}")
    tree = deepcopy(random.choice(RULESETS))
    changes = random.choices((0, 1, 2, 3), (2, 75, 16, 7))[0]
    for _ in range(changes):
        _change(tree, random)
    data = json.dumps(tree, indent=random.choice((None, None, 1))).encode()
    if random.random() < 0.1:
        data = _mutated(data, random)
    return data, ".json"


def _change(tree: Any, random: Random) -> None:
    """Replace, drop, double or rename one part, somewhere in the tree."""
    while tree:
        key = random.choice(list(tree) if isinstance(tree, dict) else range(len(tree)))
        below = tree[key]
        if isinstance(below, dict | list) and below and random.random() < 0.8:
            tree = below
            continue
        match random.randrange(8):
            case 0:
                del tree[key]
            case 1 if isinstance(tree, list):
                tree.insert(key, below)
            case 2 if isinstance(tree, dict):
                tree[random.choice(("x", "format", "names", ""))] = tree.pop(key)
            case 3 | 4 if isinstance(below, str):
                tree[key] = below + random.choice(("'", '"', "\\", "\n", " ", "\u202e", "é"))
            case 3 | 4 | 5 if isinstance(below, int | float):
                tree[key] = random.choice(
                    (not below, below + 1, below - 1, below + 0.5, -below, 0, 1)
                )
            case _:
                tree[key] = deepcopy(random.choice(VALUES))
        return


RULE_NAMES = ("odor=foul", "age > 60", "has bruises", "x0")
WORDS = (
    *("x0", "x1", "x12", "~", "~x3", "&", "|", "(", ")", "~(", "true", "false", " ", '"age > 60"'),
    *(
        '"has bruises"',
        "odor=foul",
        "x01",
        "x-1",
        "x99999999999",
        "X0",
        "and",
        "!",
        "\n",
        '"',
        "é",
        "",
    ),
)
RULE_TEXTS = ("x0 & ~x1 | x2", "~(x1 | x12 & x3)", "false", "~(true)", '"age > 60" & ~odor=foul')


def rule(number: int) -> str:
    """Return the text of a rule, or of what looks like one."""
    random = Random(f"rule {number}")
    if random.random() < 0.5:
        atoms = [f"{random.choice(('', '~'))}x{random.randrange(9)}" for _ in range(9)]
        words = [word for atom in atoms for word in (atom, random.choice((" & ", " | ")))]
        text = "".join(words[: 2 * random.randint(1, 9) - 1])
        text = f"~({text})" if random.random() < 0.3 else text
    else:
        text = random.choice(RULE_TEXTS)
    for _ in range(random.choice((0, 0, 1, 1, 2, 3))):
        start = random.randint(0, len(text))
        text = text[:start] + random.choice(WORDS) + text[start + random.choice((0, 0, 1, 2)) :]
    return text
