"""HTML in which text cannot become markup."""

from html import escape
from itertools import zip_longest


class Markup(str):
    """Text that is HTML already. All other text is escaped where it is used."""

    __slots__ = ()


def element(name: str, /, *children: str, **attributes: object) -> Markup:
    """An element; `class_` is the attribute class and `aria_label` is aria-label.

    >>> print(element("td", "a < b", class_="number"))
    <td class="number">a &lt; b</td>
    >>> print(element("p", element("b", "bold"), " & plain"))
    <p><b>bold</b> &amp; plain</p>
    """
    inside = "".join(map(_markup, children))
    return Markup(f"<{_opening(name, attributes)}>{inside}</{name}>")


def empty(name: str, /, **attributes: object) -> Markup:
    """An element that has no content, such as `<meta>`."""
    return Markup(f"<{_opening(name, attributes)}>")


def table(head: list[str], rows: list[list[Markup]]) -> Markup:
    """A table of cells made by `element`; a head stands as the cells below it do."""
    numeric = ["number" in cell.partition(">")[0] for cell in rows[0]] if rows else []
    heads = (
        element("th", title, scope="col", class_="number" if right else "text")
        for title, right in zip_longest(head, numeric)
    )
    body = (element("tr", *cells) for cells in rows)
    return element(
        "div",
        element("table", element("thead", element("tr", *heads)), element("tbody", *body)),
        class_="scroll",
    )


def clipped(text: str, longest: int) -> str:
    """The text, cut off with an ellipsis where it is longer; nothing if hardly any would be left.

    >>> clipped("mushroom", 6), clipped("mushroom", 8), clipped("mushroom", 2)
    ('mushr…', 'mushroom', '')
    """
    if len(text) <= longest:
        return text
    return f"{text[: longest - 1]}…" if longest > 3 else ""


def counted(number: int, thing: str) -> str:
    """So many of a thing.

    >>> counted(1, "column"), counted(1200, "column")
    ('1 column', '1,200 columns')
    """
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _opening(name: str, attributes: dict[str, object]) -> str:
    parts = (
        f'{key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
    )
    return " ".join([name, *parts])


def _markup(child: str) -> str:
    return child if isinstance(child, Markup) else escape(child)
