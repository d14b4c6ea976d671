"""Pages read back: their tags, their attributes, their text, and what is wrong with them."""

from html.parser import HTMLParser

VOID = {"meta"}
TAGS = frozenset(
    {"html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p", "div", "span"}
    | {"strong", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "details", "summary"}
    | {"figure", "figcaption", "pre", "svg", "rect", "line", "circle", "text", "polyline"}
)
ATTRIBUTES = frozenset(
    {"lang", "charset", "http-equiv", "content", "name", "class", "scope", "role", "aria-label"}
    | {"viewbox", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "width", "height"}
    | {"fill-opacity", "text-anchor", "points"}
)
"""All that our pages are made of; none of it can load or run anything."""


class Page(HTMLParser):
    """What is in a page."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.faults: list[str] = []
        self.texts: list[str] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self._open: list[str] = []
        self.feed(source)
        self.close()
        if self._open:
            self.faults.append(f"not closed: {self._open}")

    @property
    def text(self) -> str:
        return "\n".join(self.texts)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in TAGS:
            self.faults.append(f"<{tag}>")
        for name, value in attrs:
            self.attributes.append((tag, name, value))
            if name not in ATTRIBUTES:
                self.faults.append(f"<{tag} {name}={value!r}>")
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.faults.append(f"</{tag}> out of place")

    def handle_data(self, data: str) -> None:
        if self._open[-1:] != ["style"]:
            self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        self.faults.append(f"<!--{data}")

    def handle_pi(self, data: str) -> None:
        self.faults.append(f"<?{data}")

    def unknown_decl(self, data: str) -> None:
        self.faults.append(f"<![{data}")
