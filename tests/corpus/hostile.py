"""Tables that try a reader: each is a function of its number alone."""

import gzip
from random import Random

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
        data = mutated(data, random)
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


def mutated(data: bytes, random: Random) -> bytes:
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
