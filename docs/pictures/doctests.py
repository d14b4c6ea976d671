"""Examples in docstrings shown as code; mkdocstrings calls this for every object it reads."""

from typing import Any

from griffe import Extension, Object


class Doctests(Extension):
    """Puts a fence around each run of lines that begins with >>>."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(text: str) -> str:
    """The text with its examples as blocks of code."""
    lines: list[str] = []
    inside = False
    for line in [*text.splitlines(), ""]:
        if not inside and line.lstrip().startswith(">>>"):
            lines.append("```pycon")
            inside = True
        elif inside and not line.strip():
            lines.append("```")
            inside = False
        lines.append(line)
    return "\n".join(lines).rstrip("\n")
