"""What stands between the cells of a table of text."""

import re

SEPARATORS = (b",", b"\t", b";", b"|")

_SAID = re.compile(rb'(?:\xef\xbb\xbf)?"?sep=([^\w"\r\n])"?(?=\r?\n)', re.ASCII)
_END = re.compile(rb"[\r\n]")


def split_off_separator(data: bytes) -> tuple[bytes, str | None]:
    """The table without a first line that says its separator, as Excel writes it, and that.

    The end of that line stays, so that lines are counted as they are in the file.

    >>> split_off_separator(b"sep=;\\na;b\\n"), split_off_separator(b"a;b\\n")
    ((b'\\na;b\\n', ';'), (b'a;b\\n', None))
    """
    said = _SAID.match(data)
    return (data, None) if said is None else (data[said.end() :], said[1].decode("latin-1"))


def separator_of(data: bytes) -> str:
    """The first of comma, tab, semicolon and bar that stands in the first line.

    >>> separator_of(b"age;height, in cm\\n51;1,70\\n"), separator_of(b"age|height")
    (',', '|')
    """
    ended = _END.search(data)
    end = len(data) if ended is None else ended.start()
    found = (mark for mark in SEPARATORS if data.find(mark, 0, end) >= 0)
    return next(found, SEPARATORS[0]).decode()
